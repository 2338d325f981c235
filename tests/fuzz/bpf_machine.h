/*
 * An interpreter of eBPF that believes nothing: it knows of each word whether it is a pointer, and
 * into what. What a verified program must never
 * do ends the fuzzer with the reason. For fuzz_bpf_verifier.
 *
 * Helpers do what their prototypes say: they read and fill memory, and return any number.
 */
#pragma once

#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"

#define MACHINE_REGIONS 1024
#define MACHINE_STEPS   8000 /* more than that: the run is given up without a judgement */

enum region_kind {
	REGION_STACK,
	REGION_CTX,
	REGION_MAP, /* a struct bpf_map, which no program may read */
	REGION_VALUE,
	REGION_KEY,    /* of for_each_map_elem(): read only */
	REGION_RECORD, /* of a ring buffer */
	REGION_FUNC,   /* a function of the program */
};
/* What a word is that is no pointer into a region. */
enum { WORD_NUMBER = -1, WORD_NOT_INIT = -2 };

struct word {
	u64 bits;
	s32 region;
};

struct region {
	enum region_kind kind;
	u64 base; /* an address that the host does not have */
	u32 size;
	u8 *bytes;     /* those of the stack that the program has not written are any */
	s32 *pointers; /* of the stack: region of the word in each slot of 8 bytes */
	const struct bpf_map *map;
	u32 number; /* frame, or function */
	bool read_only, live;
};

struct machine_frame {
	s32 callsite; /* -1: of the program itself */
	u32 subprog;
	s32 stack;            /* region */
	struct word saved[4]; /* the caller's R6 to R9 */
};

struct machine {
	const struct bpf_insn *insns; /* as the user wrote them */
	const struct bpf_prog *prog;  /* as the verifier left it */
	/* Called before each instruction. */
	void (*observe)(const struct machine *m, u32 pc);
	void *data;
	/* state */
	struct word regs[MAX_BPF_REG];
	struct machine_frame frames[MAX_CALL_FRAMES];
	u32 depth; /* of the current frame */
	struct region regions[MACHINE_REGIONS];
	s32 nr_regions, ctx, values[32][4], maps[32]; /* by descriptor - 10, and number */
	u32 references, steps, callbacks;
	u64 random;
	bool given_up;
};

/* Runs the program once. seed chooses contents of maps and the context, and results of helpers. */
void machine_run(struct machine *m, u64 seed);

/* machine_memory.c */
/* A new region. Its number. */
s32 machine_region(struct machine *m, enum region_kind kind, u32 size);
void machine_free(struct machine *m);
u64 machine_random(struct machine *m);
/* The bytes at the pointer. Ends the fuzzer if they are not all there. */
u8 *machine_access(struct machine *m, struct word pointer, s64 off, u64 size, bool write);
/* For helpers: bytes that they read, and bytes that they fill. */
void machine_read(struct machine *m, struct word pointer, u64 size);
void machine_fill(struct machine *m, struct word pointer, u64 size);
struct word machine_load(struct machine *m, struct word pointer, s64 off, u32 size);
void machine_store(struct machine *m, struct word pointer, s64 off, u32 size, struct word value);
void machine_fail(const struct machine *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* machine_helpers.c: the call of a helper at pc. */
void machine_helper(struct machine *m, u32 pc);
/* bpf_machine.c: runs a callback until it returns. */
struct word machine_callback(struct machine *m, u32 callsite, struct word func,
			     const struct word *args);
static inline struct word machine_number(u64 bits)
{
	return (struct word){ bits, WORD_NUMBER };
}
