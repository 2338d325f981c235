/*
 * What a load needs around the proof: the meaning of constants, the types of the kernel and of the
 * program, the log that the user reads, and what goes into the program that was proved. Task
 * context; 0 or an errno, with the reason in the log.
 */
#pragma once

#include "kernel/btf/btf.h"
#include "trace/bpf/core/prog.h"

struct bpf_func_state;
struct bpf_map;
struct bpf_verifier_env;

/* Where the user's log goes. */
struct bpf_verifier_log {
	u32 level;       /* BPF_LOG_*; 0: none */
#define BPF_LOG_LEVEL1 1 /* each state that is walked */
#define BPF_LOG_LEVEL2 2
#define BPF_LOG_LEVEL  (BPF_LOG_LEVEL1 | BPF_LOG_LEVEL2)
#define BPF_LOG_STATS  4
	/*
	 * Takes text of any length, which comes at byte `pos` of the log. Sets full when there is
	 * no room. It does not change pos: the verifier does, and goes back, too, when a way was
	 * safe. The text ends at pos, after bpf_check().
	 */
	void (*write)(struct bpf_verifier_log *log, const char *text, size_t len);
	u64 pos;
	void *data;
	bool full;
	/*
	 * NULL, or called before each instruction that is walked, with its state in env->cur: the
	 * fuzzer compares it with a real run.
	 */
	void (*watch)(struct bpf_verifier_log *log, struct bpf_verifier_env *env);
};

/* verbose(env, "var_off=" TNUM_FMT, TNUM_ARGS(t)) */
#define TNUM_FMT     "(0x%lx; 0x%lx)"
#define TNUM_ARGS(t) (t).value, (t).mask

/* log.c. Up to 255 bytes of the log. log NULL: nothing. */
__printf(2, 3) void bpf_log(struct bpf_verifier_log *log, const char *fmt, ...);
#define verbose(env, ...) bpf_log((env)->log, __VA_ARGS__)
/* The same, and returns err: the check ends here. */
__printf(3, 4) int refuse(struct bpf_verifier_env *env, int err, const char *fmt, ...);
/* -EINVAL; says what is wrong with a way between two instructions, and their lines of source. */
int refuse_way(struct bpf_verifier_env *env, const char *what, u32 from, u32 to);
/* At a call of a static function, and where it returns to insn_idx. */
void bpf_log_call(struct bpf_verifier_env *env, const struct bpf_func_state *caller,
		  const struct bpf_func_state *callee);
void bpf_log_return(struct bpf_verifier_env *env, const struct bpf_func_state *callee,
		    const struct bpf_func_state *caller, u32 insn_idx);
/* Before the walk does an instruction; or does not, because a state like this one was there. */
void bpf_log_step(struct bpf_verifier_env *env, bool new_way);
void bpf_log_pruned(struct bpf_verifier_env *env, bool new_way);
void bpf_print_stats(struct bpf_verifier_env *env, u64 ns);
void bpf_log_rewind(struct bpf_verifier_env *env, u64 pos);
const char *bpf_reg_type_str(u32 type);
/* disasm.c: "(b7) r0 = 0". At most size bytes. Pure; no env. */
void bpf_disasm(const struct bpf_insn *insn, char *text, size_t size);
const char *bpf_alu_operator(u8 op); /* "+=" */

/* resolve.c: ld_imm64 of maps, values, variables. */
int bpf_resolve_pseudo_ldimm64(struct bpf_verifier_env *env);

/*
 * btf_check.c. Whether types that btf_parse() has read are as Linux wants those of a program. 0,
 * -EINVAL, -EEXIST, -E2BIG, -ELOOP, -ENOTSUPP, -ENOMEM, with the reason in the log. Pure.
 */
int bpf_btf_check(const struct btf *btf, struct bpf_verifier_log *log);

/* btf.c. What lies at an offset of a structure. */
enum bpf_member { BPF_MEMBER_SCALAR, BPF_MEMBER_PTR, BPF_MEMBER_STRUCT };
/*
 * What an access to size bytes at off of structure `id` touches: a number; or a pointer to the
 * structure *next, with *flags of enum bpf_reg_type.
 */
int btf_struct_access(struct bpf_verifier_log *log, const struct btf *btf, u32 id, int off,
		      int size, u32 *next, u32 *flags);
/* Whether a pointer to struct `id` at off may stand for one to struct `want`: first members. */
bool btf_struct_ids_match(const struct btf *btf, u32 id, int off, u32 want);
const char *bpf_btf_type_name(const struct btf *btf, u32 id); /* "void" if there is none */
/* Number of a STRUCT of the kernel, by name. 0: none. */
u32 bpf_btf_find_struct(const struct btf *btf, const char *name);
/* Bytes of a type. 0: it has no size, or more than any memory has. */
u32 bpf_btf_type_size(const struct btf *btf, u32 id);

/* What a global function expects in R1 … R5: func_args.c. */
struct bpf_func_arg {
	enum { BPF_FUNC_ARG_SCALAR, BPF_FUNC_ARG_CTX, BPF_FUNC_ARG_MEM } kind;
	u32 mem_size; /* BPF_FUNC_ARG_MEM: bytes at the pointer, which may be NULL */
};

/*
 * What a function expects by its BTF. arg has 5 elements; *nr: how many are used. 0, or -EINVAL:
 * has no BTF, or an argument that is neither a number nor a pointer to the context or to memory.
 */
int bpf_get_func_args(struct bpf_verifier_env *env, u32 subprog, struct bpf_func_arg *arg, u32 *nr);
/* Notes names and prototypes of the functions, by func_info. */
int bpf_check_func_info(struct bpf_verifier_env *env);
/* Whether a FUNC_PROTO of the program's BTF returns a number. */
bool bpf_returns_number(const struct btf *btf, const struct btf_type *proto);

/*
 * fixup.c: helpers of maps call a function of the map's type. So the program may call that itself,
 * if all ways to the call come with maps of one type. Called once on each way.
 */
void bpf_note_call_target(struct bpf_verifier_env *env, u32 insn_idx, const struct bpf_map *map);
/* After the walk: what the interpreter and the JIT need (trace/bpf/core/prog.h). */
int bpf_fixup(struct bpf_verifier_env *env);
