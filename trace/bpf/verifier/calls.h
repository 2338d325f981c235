/*
 * What the files for calls share: args.c, helpers.c, map_types.c, calls.c, references.c.
 */
#pragma once

#include "trace/bpf/helpers/numbers.h"
#include "trace/bpf/verifier/verifier.h"

/* What the arguments of a helper say. */
struct bpf_call {
	u32 func_id;
	const struct bpf_func_proto *proto;
	struct bpf_map *map; /* ARG_CONST_MAP_PTR */
	u32 map_uid;
	u32 subprogno;  /* ARG_PTR_TO_FUNC */
	u32 mem_size;   /* ARG_CONST_ALLOC_SIZE_OR_ZERO */
	u64 max_size;   /* ARG_CONST_SIZE: at most */
	u32 ref_obj_id; /* the reference that an argument is; 0: none */
	bool releases;  /* the helper gives it up */
};

/* args.c: one argument, from 0 on; in order, because some depend on those before. */
int check_func_arg(struct bpf_verifier_env *env, u32 arg, struct bpf_call *call);
/* Arguments of a global function of the program. */
int check_global_args(struct bpf_verifier_env *env, u32 subprogno);

/* map_types.c: which helpers take which types of maps. */
int check_map_func_compatibility(struct bpf_verifier_env *env, const struct bpf_map *map,
				 u32 func_id);

/* calls.c: pushes a state that begins in the callback of the call. */
int push_callback(struct bpf_verifier_env *env, u32 insn_idx, const struct bpf_call *call);
/* "At … the register R0 has value …": R0 is precise, and in min … max, or -EINVAL. */
int check_r0_range(struct bpf_verifier_env *env, const char *where, u64 min, u64 max);

/* references.c: the same as check_reference_leak() where the function may end by a tail call. */
int check_tail_call_leak(struct bpf_verifier_env *env);
