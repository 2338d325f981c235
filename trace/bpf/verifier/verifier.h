/*
 * The verifier: proves, before a program runs, that it stays within its bounds and ends.
 *
 * It walks all ways through the program and keeps, for each instruction on a way, what each
 * register and each slot of the stack may contain. What it does not understand it refuses. The
 * chapter docs/bpf-verifier.md reads the files in this order:
 *
 *	tnum.c scalar.c alu.c branch.c	numbers: known bits and ranges; pure functions of values
 *	instructions.c subprogs.c	the program's shape: the table of instructions, functions
 *	walk.c step.c jumps.c		the walk, an instruction at a time
 *	state.c stack.c			states; spilled registers and initialised bytes
 *	pointers.c memory.c btf.c	pointers, and what they may do
 *	calls.c args.c helpers…		calls of helpers and functions; references
 *	prune.c states_equal.c		when a state need not be walked: one like it was
 *	liveness.c precision.c		what of a state matters for that
 *
 * Invariant: at each moment the value that a real run has in a register at this instruction lies in
 * tnum and in all four ranges of its bpf_reg_state, for at least one state that was walked or
 * pruned against. Everything that changes a value keeps this; tests/fuzz/fuzz_bpf_verifier.c checks
 * it.
 *
 * Pure: allocates, and asks maps and BTF by functions; touches no other state of the kernel. One
 * check runs in one task; it may sleep, and ends by itself with -EINTR or -EAGAIN at a fatal
 * signal.
 */
#pragma once

#include "kernel/btf/btf.h"
#include "kernel/lib/list.h"
#include "trace/bpf/core/check_memory.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/helpers/numbers.h"
#include "trace/bpf/load/load.h"
#include "trace/bpf/verifier/scalar.h"

/* What a register contains. */
enum bpf_reg_type {
	NOT_INIT,         /* nothing that may be read */
	SCALAR_VALUE,     /* a number: s */
	PTR_TO_CTX,       /* the context, + off */
	CONST_PTR_TO_MAP, /* a struct bpf_map */
	PTR_TO_MAP_VALUE, /* + off + s, in a value of map_ptr */
	PTR_TO_MAP_KEY,   /* the same, in a key; read only */
	PTR_TO_STACK,     /* R10 of frame frameno, + off + s */
	PTR_TO_MEM,       /* mem_size bytes, + off + s */
	PTR_TO_BUF,       /* of an iterator: any bytes from 0 on, counted in env->prog */
	PTR_TO_BTF_ID,    /* a structure of the kernel, + off: loads may fault */
	PTR_TO_FUNC,      /* a callback: subprogno */
	/* flags */
	BPF_REG_TYPE_BASE = 0xff,
	PTR_MAYBE_NULL = 0x100,
	MEM_RDONLY = 0x200,
	MEM_ALLOC = 0x400,     /* a record of a ring buffer: a reference */
	PTR_UNTRUSTED = 0x800, /* helpers do not take it */
	MEM_PERCPU = 0x1000,   /* of one CPU: only bpf_per_cpu_ptr() makes an address of it */
	MEM_USER = 0x2000,     /* of a program in ring 3: no direct loads */
};

struct bpf_origin;

struct bpf_reg_state {
	u32 type; /* enum bpf_reg_type with flags */
	s32 off;  /* of a pointer: constant part */
	union {
		struct bpf_map *map_ptr;
		u32 mem_size;
		u32 btf_id; /* in the types of the kernel */
		u32 subprogno;
		u32 range;
	};
	/* The number; of a pointer: the variable part of its offset, in bytes. */
	struct bpf_scalar s;
	/*
	 * != 0: registers of the same id have the same value (scalars that were copied, spilled),
	 * the same variable offset, or become NULL or not together.
	 */
	u32 id;
	u32 ref_obj_id; /* != 0: this pointer is, or comes from, this reference */
	u32 frameno;    /* PTR_TO_STACK */
	/*
	 * SCALAR_VALUE: from which values of the kept states the number was computed: precision.c.
	 * NULL: from none. It moves with each copy of the register, and mark_reg_…() clear it.
	 */
	struct bpf_origin *origin;
};

/* A byte of the stack. */
enum bpf_stack_slot_type {
	STACK_INVALID, /* not written */
	STACK_SPILL,   /* part of a spilled register */
	STACK_MISC,    /* written with something */
	STACK_ZERO,    /* 0 */
};

#define BPF_REG_SIZE 8

/*
 * 8 bytes of the stack. slot_type[i] is the byte at fp - 8 * slot - 1 - i: as in Linux's log, [0]
 * is the byte at the highest address. A register of 1, 2 or 4 bytes that was spilled to the lowest
 * address has STACK_SPILL in the last bytes only.
 */
struct bpf_stack_state {
	struct bpf_reg_state spilled; /* if bpf_is_spilled_reg() */
	struct bpf_origin *reads;     /* of which slots in kept states a load here reads */
	u8 slot_type[BPF_REG_SIZE];
};
static inline bool bpf_is_spilled_reg(const struct bpf_stack_state *slot)
{
	return slot->slot_type[BPF_REG_SIZE - 1] == STACK_SPILL;
}

/* A function that was called and has not returned. */
struct bpf_func_state {
	struct bpf_reg_state regs[MAX_BPF_REG];
	u32 callsite; /* the instruction of the call; of the first function: its start */
	u32 frameno, subprogno;
	bool in_callback_fn;    /* a helper calls it, any number of times; it returns 0 or 1 */
	bool callback_returned; /* the walk comes to the call again, from a callback */
	u32 callback_call;      /* a number of the call of the helper that calls back */
	u32 allocated_stack;    /* bytes, a multiple of 8 */
	struct bpf_stack_state *stack; /* allocated_stack / 8; [0] is at fp - 8 */
};

static inline u32 nr_slots(const struct bpf_func_state *frame)
{
	return frame->allocated_stack / BPF_REG_SIZE;
}

/* References: of ring buffer records that must be given up. */
struct bpf_reference_state {
	u32 id;
	u32 insn_idx;     /* that acquired it */
	u32 callback_ref; /* frame of the innermost callback that acquired it; 0: none */
};

struct bpf_verifier_state {
	struct bpf_func_state *frame[MAX_CALL_FRAMES];
	u32 curframe;
	u32 insn_idx;
	struct bpf_reference_state *refs; /* of bpf_state_alloc(); copies have room for nr_refs */
	u32 nr_refs;
	struct bpf_verifier_state *parent; /* the last state that prune.c kept on this way */
	u32 branches;                      /* ways from here that are not at their end yet */
	/* Room of walk.c, prune.c. */
	struct list_head node;
	u32 prev_insn_idx;   /* of a pending state: the instruction from which the way branched */
	u64 log_pos;         /* of a pending state: where the log of its way begins */
	u32 callback_rounds; /* how often the way came back from a callback */
	u32 hits, misses;    /* of a kept state: how often it was like another one, or not */
};

struct bpf_form;

/* What is known of an instruction, beyond the program. */
struct bpf_insn_aux_data {
	const struct bpf_form *form; /* instructions.c */
	u32 mem_type; /* of a load, store: enum bpf_reg_type of its pointer; all ways agree */
	u32 reg_type; /* of ld_imm64: what its register becomes: with map_off, and one of these */
	union {
		struct bpf_map *map;
		u32 btf_id, mem_size;
	};
	u64 address; /* of ld_imm64: what it becomes; of a call: the function that is called */
	u32 arg_btf_id,
		ret_btf_id; /* of a call: the structures it takes and returns; 0: not looked up */
	u32 map_off;        /* of ld_imm64 of a map's value */
	const struct bpf_func_proto *proto; /* of a call of a helper */
	bool seen;                          /* some way comes here: else it is dead code */
	bool loads_pointer; /* of the context, as a whole, also if the program loads a part of it */
	bool prune_point;
	u8 search, ways;     /* instructions.c: the state of its search */
	u32 found_from;      /* the same */
	bool calls_callback; /* a call of a helper that calls back, 0 to n times: calls.c */
	u16 live_regs;       /* registers that some way from here reads before it writes: bits */
};

struct bpf_subprog_info {
	u32 start;
	u16 stack_depth;
	bool has_tail_call, is_callback, is_global, has_ld_abs;
	/*
	 * [i]: when it is frame i, its callers use at most that much stack - 1. 0: it never is.
	 */
	u32 callers_stack[MAX_CALL_FRAMES + 1];
	const struct btf_type *proto; /* FUNC_PROTO of func_info, in prog->btf; NULL: none */
	const char *name;
};

#define BPF_ID_MAP_SIZE 256

struct bpf_verifier_env {
	struct bpf_prog *prog;
	struct bpf_insn *insns; /* prog->insns */
	struct bpf_verifier_log *log;
	const struct btf *btf; /* the kernel's types; NULL: none */
	const union bpf_attr *attr;

	struct bpf_insn_aux_data *aux; /* one for each instruction */
	struct bpf_subprog_info subprogs[BPF_MAX_SUBPROGS + 1];
	u32 nr_subprogs;

	struct bpf_verifier_state *cur;
	u32 insn_idx;
	s32 prev_insn_idx;        /* of the instruction before on this way; -1: none */
	struct list_head pending; /* states of ways that are still to be walked */
	u32 nr_pending;
	struct list_head retired;   /* states that were kept, and are not looked at any more */
	struct list_head *explored; /* per instruction: states that were walked, room of prune.c */
	u32 id_gen;
	u32 insn_processed, prev_insn_processed, jmps_processed, prev_jmps_processed;
	u32 peak_states, max_states_per_insn, total_states;
	struct bpf_origin_block *origins; /* memory of all origins: precision.c */
	struct bpf_check_memory memory;   /* of all states, and of aux and explored: */
	size_t table_bytes;
	u32 map_btf_id; /* of struct bpf_map; 0: not looked up yet */
	int push_error;
	u64 insn_log_pos; /* where the log stood after the last instruction, and its length there */
	u32 insn_log_len;
	const struct bpf_line_info *logged_line;
	struct bpf_id_pair {
		u32 old, cur;
	} idmap[BPF_ID_MAP_SIZE]; /* room of states_equal.c */
	u32 nr_ids;
};

/* 64 MB: more for states than that, and the program is too complex: -E2BIG. */
#define BPF_STATE_MEMORY (64UL << 20)

/*
 * verifier.c. Checks prog, whose insns, type, expected_attach_type, ops, btf, func_info,
 * gpl_compatible, attach_… are set, and rewrites it so that it may run. Sets subprogs, used_maps
 * (counted; the caller gives them up, also after an error), verified_insns and so on. 0, -EINVAL,
 * -EACCES, -EPERM, -E2BIG, -ENOMEM, -EFAULT, -EINTR, with the reason in the log. Task context,
 * sleeps.
 */
int bpf_check(struct bpf_prog *prog, const union bpf_attr *attr, struct bpf_verifier_log *log);

/* ---- inside the verifier. Task context; 0 or an errno, the reason in the log ---- */

/* Offsets of pointers and sizes of memory are less. */
#define BPF_MAX_VAR_OFF (1 << 29)
#define BPF_MAX_VAR_SIZ (1 << 29)

/* instructions.c: opcodes, reserved fields, registers; then: each is reached. Sets prune points. */
int bpf_check_opcodes(struct bpf_verifier_env *env);
int bpf_check_ways(struct bpf_verifier_env *env);
/* The registers that an instruction reads and writes, as bits. */
void bpf_insn_regs(struct bpf_verifier_env *env, u32 insn_idx, u16 *use, u16 *def);
/* Something was written to each register that the instruction reads, and it does not write R10. */
int check_operands(struct bpf_verifier_env *env, const struct bpf_insn *insn);
int check_reg_read(struct bpf_verifier_env *env, u32 regno);
/* subprogs.c: finds functions; checks func_info; later the stack depth and recursion of calls. */
int bpf_check_subprogs(struct bpf_verifier_env *env);
int bpf_check_max_stack_depth(struct bpf_verifier_env *env);
/* Number of the function that starts at that instruction, or -ENOENT. */
int bpf_find_subprog(const struct bpf_verifier_env *env, u32 insn_idx);
/* walk.c: walks all ways from the start of a function. */
int bpf_walk(struct bpf_verifier_env *env);
/*
 * A copy of the current state, to be walked later from insn_idx. NULL: too many, or no memory: the
 * caller returns -E2BIG or -ENOMEM, which is in env->push_error. The caller may change the copy.
 */
struct bpf_verifier_state *bpf_push_state(struct bpf_verifier_env *env, u32 insn_idx);

/* state.c */
static inline struct bpf_func_state *cur_func(struct bpf_verifier_env *env)
{
	return env->cur->frame[env->cur->curframe];
}
static inline struct bpf_reg_state *cur_regs(struct bpf_verifier_env *env)
{
	return cur_func(env)->regs;
}
static inline u32 reg_base(const struct bpf_reg_state *reg)
{
	return reg->type & BPF_REG_TYPE_BASE;
}
/* The number 0, which may stand for NULL. */
static inline bool bpf_reg_is_null(const struct bpf_reg_state *reg)
{
	return reg->type == SCALAR_VALUE && scalar_is_zero(&reg->s);
}
/* A copy of a state, or NULL: no memory, or the limit, see env->push_error. */
struct bpf_verifier_state *bpf_copy_state(struct bpf_verifier_env *env,
					  const struct bpf_verifier_state *src);
void bpf_free_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state);
/*
 * A new frame on top of a state's, for a function that is called; R10 and callsite are set, the
 * registers are not initialised. NULL: no memory, or too many frames: env->push_error.
 */
struct bpf_func_state *bpf_push_frame(struct bpf_verifier_env *env,
				      struct bpf_verifier_state *state, u32 subprogno);
void bpf_pop_frame(struct bpf_verifier_env *env, struct bpf_verifier_state *state);
/*
 * Memory of states: zeroed, for bpf_check_memory_free(). NULL: env->push_error says why: -ENOMEM,
 * -EAGAIN (a signal), or -E2BIG, with words in the log.
 */
void *bpf_state_alloc(struct bpf_verifier_env *env, size_t size);
void mark_reg_unknown(struct bpf_reg_state *reg); /* any number */
void mark_reg_not_init(struct bpf_reg_state *reg);
/* A pointer of that type, without offset. The caller sets what it leads to. */
void mark_reg_pointer(struct bpf_reg_state *reg, u32 type);
void mark_reg_known(struct bpf_reg_state *reg, u64 value);
/* Each register and spilled register of all frames of the state. */
struct bpf_reg_iter {
	u32 frame, next;
};
struct bpf_reg_state *bpf_next_reg(struct bpf_verifier_state *state, struct bpf_reg_iter *iter);
#define bpf_for_each_reg(reg, state)                                                               \
	for (struct bpf_reg_iter iter = { 0, 0 }, *once = &iter; once; once = NULL)                \
		for (struct bpf_reg_state * reg; (reg = bpf_next_reg(state, &iter));)
/* Makes room for size bytes of stack below R10, a multiple of 8. 0, -ENOMEM, -E2BIG. */
int bpf_grow_stack(struct bpf_verifier_env *env, struct bpf_func_state *func, u32 size);

/*
 * One access to memory: size bytes at off of a pointer. A store writes *value (NULL: any number),
 * a load sets *dst (NULL: nothing).
 */
struct bpf_access {
	int regno; /* of the pointer */
	int off;   /* with the constant part of the pointer's */
	int size;
	bool write, strict_alignment;
	bool by_helper, zero_size_allowed; /* any number of bytes, of numbers or of the stack */
	const struct bpf_reg_state *value;
	struct bpf_reg_state *dst;
	const struct bpf_reg_state *reg; /* the pointer: set in memory.c */
};

/* stack.c */
int check_stack_access(struct bpf_verifier_env *env, const struct bpf_access *access);

/* memory.c: a load, store or atomic through a pointer register. */
int check_mem_access(struct bpf_verifier_env *env, struct bpf_access access);
int check_atomic(struct bpf_verifier_env *env, const struct bpf_insn *insn,
		 struct bpf_access access);
/* A helper reads access_size bytes at a register's pointer, or also writes them. */
int check_helper_mem_access(struct bpf_verifier_env *env, int regno, int access_size,
			    bool zero_size_allowed, bool write);
int check_ptr_alignment(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
			int size, bool strict);
/* A pointer that must be as it was given; fixed_off_ok: or moved by a constant. */
int check_ptr_off_reg(struct bpf_verifier_env *env, int regno, bool fixed_off_ok);

/* pointers.c: ADD, SUB with a pointer; all other arithmetic on pointers is refused. */
int adjust_ptr_min_max_vals(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			    const struct bpf_reg_state *ptr, const struct bpf_reg_state *scalar);
/* btf.c: a load from a struct of the kernel, or from a map, whose members are readable, too. */
int check_ptr_to_btf_access(struct bpf_verifier_env *env, const struct bpf_access *access);
/* step.c: one instruction that is no jump: loads, stores, arithmetic. */
int check_step(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/*
 * jumps.c: a conditional jump: pushes one way, goes on with the other; or finds that only one is.
 */
int check_cond_jmp_op(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* What a pointer that may be NULL becomes when it is, or is not. */
void learn_null(struct bpf_reg_state *reg, bool is_null);

/*
 * calls.c
 *
 * A helper that calls back may do so 0 to n times. So check_helper_call() pushes a state that
 * begins in the callback: bpf_push_state(), then bpf_push_frame() on the copy, whose caller frame
 * keeps R1 to R5; and goes on as if there was no (further) round. At the EXIT of the callback
 * prepare_func_exit() pops the frame and goes back to the call itself, which is walked again with
 * what the callback left in the caller's stack. prune.c ends that: it makes unknown what
 * differs from round to round, and stops when a round brings nothing new.
 */
/* R0 to R5 after a call. */
void clear_caller_saved_regs(struct bpf_reg_state *regs);
int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn);
int check_func_call(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* EXIT of a frame that is not the first: back to the caller. */
int prepare_func_exit(struct bpf_verifier_env *env);
/*
 * The function, if it was called, ends at this instruction, and returns 0 or any number; or it goes
 * on: that way is walked later.
 */
int end_function_here(struct bpf_verifier_env *env, bool returns_zero);
int check_return_code(struct bpf_verifier_env *env);
int check_reference_leak(struct bpf_verifier_env *env, bool at_tail_call);
/* reg is a new one. 0, -ENOMEM, -E2BIG. */
int acquire_reference(struct bpf_verifier_env *env, struct bpf_reg_state *reg);
int release_reference(struct bpf_verifier_env *env, u32 ref_obj_id);
/* The state has it no more. */
void drop_reference(struct bpf_verifier_state *state, u32 id);

/* What the arguments of a helper say. */
struct bpf_call {
	u32 func_id;
	const struct bpf_func_proto *proto;
	struct bpf_map *map; /* ARG_CONST_MAP_PTR */
	u32 subprogno;       /* ARG_PTR_TO_FUNC */
	u32 mem_size;        /* ARG_CONST_ALLOC_SIZE_OR_ZERO */
	u64 max_size;        /* ARG_CONST_SIZE: at most */
	u32 releases;        /* the reference that it gives up; 0: none */
};

/* args.c: one argument, from 0 on; in order, because some depend on those before. */
int check_func_arg(struct bpf_verifier_env *env, u32 arg, struct bpf_call *call);
/* Arguments of a global function of the program. */
int check_global_args(struct bpf_verifier_env *env, u32 subprogno);

/* calls.c: pushes a state that begins in the callback of the call. */
int push_callback(struct bpf_verifier_env *env, const struct bpf_call *call);

/* prune.c: whether a state like the current one was walked from here: 1; 0: go on; or an errno. */
int is_state_visited(struct bpf_verifier_env *env);
/* A way that came from that kept state (NULL: from none) has come to its end. */
void bpf_way_ended(struct bpf_verifier_state *from);
/*
 * states_equal.c: whether cur is safe because old was. exact: compares what does not matter, too.
 */
bool bpf_states_equal(struct bpf_verifier_env *env, struct bpf_verifier_state *old,
		      struct bpf_verifier_state *cur, bool exact);
bool bpf_same_callers(const struct bpf_verifier_state *a, const struct bpf_verifier_state *b);
/* All that the state knows matters. */
void bpf_mark_all(struct bpf_verifier_state *state);
/* What matters in old, matters in cur, which it covers. */
void bpf_inherit_precision(struct bpf_verifier_state *old, struct bpf_verifier_state *cur);
/* Makes unknown what old does not cover in the stacks of cur. */
void bpf_widen_stack(struct bpf_verifier_env *env, struct bpf_verifier_state *old,
		     struct bpf_verifier_state *cur);

/*
 * precision.c. The verifier's decision depends on the number in this register (a size, an offset, a
 * jump that goes one way): states are alike only if they agree in what the number came from. Each
 * place that uses a number so calls this. No effect on pointers.
 */
void mark_precise(const struct bpf_reg_state *reg);
/* dst was computed from its old number and src's. 0, -ENOMEM, -E2BIG. */
int merge_origin(struct bpf_verifier_env *env, struct bpf_reg_state *dst,
		 const struct bpf_reg_state *src);
bool is_precise(const struct bpf_reg_state *reg);
/* The same of slots: their contents are read. */
void mark_slot_read(const struct bpf_stack_state *slot);
bool is_slot_read(const struct bpf_stack_state *slot);
/* Gives all that a state knows an origin of its own, before it is kept. 0, -ENOMEM, -E2BIG. */
int start_origins(struct bpf_verifier_env *env, struct bpf_verifier_state *state);
void free_origins(struct bpf_verifier_env *env);

/* liveness.c: fills aux->live_regs. */
void bpf_compute_liveness(struct bpf_verifier_env *env);
