/* What the files of the JIT share. */
#pragma once

#include "arch/bpf/emit.h"
#include "arch/bpf/jit.h"

/* One pass over the program, and the function that it is in. */
struct jit_pass {
	struct emitter e;
	struct bpf_jit *jit;
	const struct bpf_prog *prog;
	u32 extable;               /* entries so far */
	const struct bpf_map *map; /* that R1 certainly is now; NULL: unknown */
	/* of the function */
	bool is_main;     /* it is the program itself */
	u32 saved;        /* which of R6 to R9 it changes: a bit each */
	u32 frame_size;   /* bytes below rbp for its stack and the counter's address */
	s32 counter_slot; /* from rbp: the address of the counter of tail calls */
	bool has_frame;   /* it pushes rbp */
};

/*
 * The machine's registers of R0 to R10. Arguments and results of helpers are where C wants them, so
 * a call moves nothing. R10 is the frame pointer, so traces of the stack show programs. r9 to r12
 * are free: r12 is never changed, the others are for the code of one instruction.
 */
static const u8 jit_reg[MAX_BPF_REG] = { RAX, RDI, RSI, RDX, RCX, R8, RBX, R13, R14, R15, RBP };

/* jit_insn.c: arithmetic, loads, stores, atomics. */
void jit_alu(struct jit_pass *p, const struct bpf_insn *insn);
/*
 * Whether insn and the next one are `dst = src; dst += constant`: the address of something on the
 * stack or in the context. Such a pair is one instruction of the machine.
 */
bool jit_is_address(const struct bpf_insn *insn);
void jit_address(struct jit_pass *p, const struct bpf_insn *insn);
void jit_load(struct jit_pass *p, const struct bpf_insn *insn);
void jit_store(struct jit_pass *p, const struct bpf_insn *insn);
void jit_atomic(struct jit_pass *p, const struct bpf_insn *insn);

/* jit_helpers.c */
/* Of an instruction, in bpf_jit.flags. */
#define JIT_TARGET 1 /* jumps lead to it */
#define JIT_SHORT  2 /* it is a jump whose distance fits into a byte */

/* Sets JIT_TARGET. */
void jit_mark_targets(const struct bpf_prog *prog, u8 *flags);
/* Notes in p->map what instruction i does to R1. */
void jit_follow_map(struct jit_pass *p, u32 i);
void jit_helper_call(struct jit_pass *p, unsigned long helper);
