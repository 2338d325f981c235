/*
 * A program: what bpf_check() has proved, and what runs it. The verifier writes into insns what the
 * interpreter and the JIT need. The number of instructions never changes:
 *
 *	call of a helper	imm: the function's address - __bpf_call_base. For a helper of
 *				maps it may be the function of the map's type
 *	call of helper 12	JMP | TAIL_CALL: bpf_tail_call()
 *	call of a function	off: bytes of stack that the caller uses, a multiple of 8
 *	LD | IMM | DW		the address of a map, a value, a variable or a function (callback),
 *				src_reg as it was, but BPF_PSEUDO_MAP_FD for ..._IDX and so on
 *	LDX | PROBE_MEM		a load from the kernel's memory that may fault: then it reads 0
 *	LDX of a pointer in the context: DW, also if the program loads a part of it
 *	code that is never reached: JA -1
 *
 * Legend: [C] constant once the program has an id; [A] atomic; [P] a CPU's own.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/atomic.h"
#include "kernel/rcu/rcu.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/core/insn.h"

struct bpf_btf;
struct bpf_func_info;
struct bpf_image;
struct bpf_map;
struct bpf_prog;
struct bpf_prog_type_ops;
struct btf;
struct btf_type;
struct user_struct;

typedef u32 bpf_func_t(const void *ctx, const struct bpf_insn *insns);

/* Of a program on one CPU. cnt and nsecs count while bpf_stats_enabled_key is on. [P] */
struct bpf_prog_stats {
	u64 cnt, nsecs, misses;
} __aligned(64);

/* A function of the program: from start to the start of the next one. */
struct bpf_subprog {
	u32 start;
	u16 stack_depth; /* bytes, a multiple of 8 */
	bool is_callback, has_tail_call, is_global;
	const void *jit; /* its code, of a program that is compiled */
};

struct bpf_prog {
	bpf_func_t *bpf_func;                      /* [C] interpreter or JIT code: bpf_prog_run() */
	enum bpf_prog_type type;                   /* [C] */
	enum bpf_attach_type expected_attach_type; /* [C] */
	const struct bpf_prog_type_ops *ops;       /* [C] contexts and helpers of this type */
	u32 len;                                   /* [C] instructions */
	struct bpf_insn *insns;                    /* [C] */
	struct bpf_subprog *subprogs;              /* [C] the first one is the program itself */
	u32 nr_subprogs;                           /* [C] */
	bool jited, gpl_compatible, has_callchain_buf, overrides_return, sleepable; /* [C] */
	bool uses_tail_call;                                                        /* [C] */
	u32 jited_len;                                                              /* [C] bytes */
	struct bpf_image *image; /* [C] the code; NULL: interpreted. core/runtime.c */
	u32 max_ctx_offset; /* [C] bytes of the context that it reads; a record must have them */
	u32 ctx_words; /* [C] the 8-byte words of those, as bits; all, if helpers get the context */
	u32 max_buf_access;         /* [C] the same of an iterator's buffers: keys and values */
	struct bpf_map **used_maps; /* [C] each is counted */
	u32 nr_used_maps;           /* [C] */
	u32 verified_insns;         /* [C] that the verifier has looked at */

	/* What a TRACING program is for. */
	u32 attach_btf_id;              /* [C] in attach_btf; 0: none */
	struct bpf_btf *attach_btf;     /* [C] counted, of the kernel or a module; NULL: none */
	const struct btf *attach_types; /* [C] those of attach_btf */
	struct bpf_prog *dst_prog;      /* [C] counted; always NULL: no program on a program */
	const struct btf_type *attach_func_proto; /* [C] */
	const char *attach_func_name;             /* [C] */
	unsigned long attach_addr;                /* [C] of fentry, fexit, fmod_ret */

	/* For reports. */
	struct bpf_btf *btf;             /* [C] counted; NULL: has none */
	struct bpf_func_info *func_info; /* [C] */
	void *line_info;                 /* [C] struct bpf_line_info[] */
	u64 *jited_lines;                /* [C] the code of each; NULL: not known */
	u32 nr_func_info, nr_line_info;  /* [C] */
	u32 id;                          /* [C] */
	u8 tag[BPF_TAG_SIZE];            /* [C] */
	char name[BPF_OBJ_NAME_LEN];     /* [C] */
	u64 load_time;                   /* [C] ns since boot */
	uid_t created_by;                /* [C] */
	struct user_struct *payer;       /* [C] counted: its memory is charged here */
	size_t charged;                  /* [C] bytes */
	struct bpf_prog_stats *stats;    /* [C] an array: one for each possible CPU */
	u8 *mark; /* [C] a per-CPU byte: bpf_prog_enter(). NULL: this type does not use it */

	atomic_t refs; /* [A] */
	struct rcu_head rcu;
};

/*
 * Runs a verified program. Any context; preemption off, inside rcu_read_lock(). The caller guards
 * against recursion (attach/run.h).
 */
static inline u32 bpf_prog_run(const struct bpf_prog *prog, const void *ctx)
{
	return prog->bpf_func(ctx, prog->insns);
}

/* core/interpreter.c. Pure. A bpf_func_t. */
u32 bpf_interpret(const void *ctx, const struct bpf_insn *insns);
/* The address that imm of a call counts from. Calling it does nothing. */
u64 __bpf_call_base(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/* core/runtime.c */
extern int bpf_jit_enable; /* sysctl net.core.bpf_jit_enable: 0: new programs are interpreted */
/*
 * Chooses what runs a program that bpf_fixup() has finished: compiles it, or sets the interpreter.
 * Sets bpf_func, jited, jited_len. 0, -ENOMEM, -ENOTSUPP (524: cannot be interpreted), -EINVAL (a
 * map of programs that it uses holds programs of another kind). Task context.
 */
int bpf_prog_select_runtime(struct bpf_prog *prog);
/* Frees the code. No CPU runs the program any more, and none can. Task context. */
void bpf_prog_free_runtime(struct bpf_prog *prog);
/*
 * Whether the stack has no room for a tail call of a function, which leaves frames on it: then the
 * tail call fails. Called by programs.
 */
bool bpf_stack_is_low(void);
/*
 * Calls a callback of the program that runs now: a helper's argument of type ARG_PTR_TO_FUNC. Only
 * compiled programs have callbacks. Context of helpers.
 */
u64 bpf_call_callback(const void *callback, u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/*
 * syscall/prog.c. Counts. get: the program has references. put: may be the last one; any context.
 */
void bpf_prog_get(struct bpf_prog *prog);
void bpf_prog_put(struct bpf_prog *prog);
/* The program of a descriptor, counted, or ERR_PTR(-EBADF, -EINVAL: not a program). */
struct bpf_prog *bpf_prog_get_fd(int fd);

/* ---- what a type of programs is: contexts and helpers ---- */

/* What an argument of a helper must be. */
enum bpf_arg_type {
	ARG_DONTCARE,         /* no argument */
	ARG_CONST_MAP_PTR,    /* a map */
	ARG_PTR_TO_MAP_KEY,   /* initialised memory, key_size bytes */
	ARG_PTR_TO_MAP_VALUE, /* initialised memory, value_size bytes */
	ARG_PTR_TO_MEM,       /* memory; its size is the next argument */
	ARG_CONST_SIZE,       /* > 0, with a bound */
	ARG_CONST_SIZE_OR_ZERO,
	ARG_PTR_TO_CTX,
	ARG_ANYTHING, /* any number; no pointer leaks by it that a helper would not expect */
	ARG_PTR_TO_ALLOC_MEM,         /* ringbuf_reserve's memory; released by the helper */
	ARG_CONST_ALLOC_SIZE_OR_ZERO, /* a known constant: the size of memory that is returned */
	ARG_PTR_TO_BTF_ID,            /* a structure of the kernel: arg_btf_name */
	ARG_PTR_TO_LONG,              /* 8 bytes to be written */
	ARG_PTR_TO_STACK,     /* a pointer to the stack, or NULL with MAYBE_NULL: for a callback */
	ARG_PTR_TO_FUNC,      /* a callback */
	ARG_PTR_TO_CONST_STR, /* text in a frozen read-only map */
	__BPF_ARG_TYPE_MAX,
	BPF_ARG_BASE = 0xff,
	/* flags */
	ARG_MAYBE_NULL = 0x100,
	ARG_MEM_UNINIT = 0x200, /* the helper writes all of it */
	ARG_MEM_RDONLY = 0x400, /* the helper only reads: read-only memory will do */
};

enum bpf_return_type {
	RET_INTEGER,
	RET_SIZE, /* the bytes that were written, at most ARG_CONST_SIZE, or an errno */
	RET_VOID,
	RET_PTR_TO_MAP_VALUE_OR_NULL,
	RET_PTR_TO_ALLOC_MEM_OR_NULL, /* a reference that must be given up */
	RET_PTR_TO_BTF_ID,            /* ret_btf_name, trusted, never NULL */
};

/* Maps that hold the values of the program's keys, and nothing else. */
#define BPF_MAP_BIT(type) (1ULL << BPF_MAP_TYPE_##type)
#define BPF_MAPS_OF_VALUES                                                                         \
	(BPF_MAP_BIT(HASH) | BPF_MAP_BIT(ARRAY) | BPF_MAP_BIT(LPM_TRIE) | BPF_MAP_BIT(LRU_HASH) |  \
	 BPF_MAPS_OF_CPUS)
/* Those with a value for each CPU. */
#define BPF_MAPS_OF_CPUS                                                                           \
	(BPF_MAP_BIT(PERCPU_HASH) | BPF_MAP_BIT(PERCPU_ARRAY) | BPF_MAP_BIT(LRU_PERCPU_HASH))

/* A helper, as one type of programs may call it. Constant. */
struct bpf_func_proto {
	u64 (*func)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
	const char *name; /* without "bpf_" */
	bool gpl_only, may_sleep;
	bool writes_map; /* not into one that is read-only for programs */
	enum bpf_return_type ret_type;
	u16 arg_type[5]; /* enum bpf_arg_type */
	u64 map_types;   /* ARG_CONST_MAP_PTR: bits of enum bpf_map_type; 0: BPF_MAPS_OF_VALUES */
	const char *arg_btf_name[5], *ret_btf_name; /* of a struct of the kernel, "task_struct" */
	/* Whether this program may call it; no: "helper call is not allowed in probe". NULL: yes */
	bool (*allowed)(const struct bpf_prog *prog);
	/* A program that calls it has been proved. Task context, sleeps. NULL: nothing to do */
	void (*prepare)(void);
};

struct bpf_helper;
/* Result of is_valid_access. */
struct bpf_insn_access_aux {
	enum { BPF_CTX_SCALAR, BPF_CTX_BTF_ID, BPF_CTX_BUF } kind;
	u32 btf_id; /* BPF_CTX_BTF_ID: of the struct in the types of the kernel */
	bool maybe_null;
	bool untrusted; /* the structure may be gone: helpers do not take it */
};

/* One file each in helpers/; types.c lists them. Constant. */
struct bpf_prog_type_ops {
	enum bpf_prog_type type;
	const char *name; /* of the type, as bpftool writes it */
	/* Helpers as programs of this type call them, before those of all tracing; NULL: none. */
	const struct bpf_helper *helpers;
	/* The helper, or NULL, where it depends on the program. NULL: by helpers */
	const struct bpf_func_proto *(*get_func_proto)(u32 func_id, const struct bpf_prog *prog);
	/* Whether a program may touch size bytes at off of its context. Fills in *aux. */
	bool (*is_valid_access)(int off, int size, bool write, const struct bpf_prog *prog,
				struct bpf_insn_access_aux *aux);
	/* expected_attach_type and the rest at load: 0 or an errno. NULL: nothing is wrong. */
	int (*check_attach)(struct bpf_prog *prog);
	/* BPF_PROG_TEST_RUN: 0 or an errno. Task context. NULL: -EOPNOTSUPP. */
	int (*test_run)(struct bpf_prog *prog, const union bpf_attr *attr,
			union bpf_attr __user *uattr);
	u32 ctx_size; /* bytes at most; what the interpreter of the fuzzer offers */
	/*
	 * Whether R0 has limits at the end, which it sets; it depends on expected_attach_type.
	 * NULL: any number will do.
	 */
	bool (*retval_range)(const struct bpf_prog *prog, s32 *min, s32 *max);
};
/* helpers/protos.c: the helper as the program calls it, or NULL. */
const struct bpf_func_proto *bpf_get_func_proto(u32 func_id, const struct bpf_prog *prog);
/* helpers/types.c: NULL: no such type here. */
const struct bpf_prog_type_ops *bpf_find_prog_type(u32 type);
