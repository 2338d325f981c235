/*
 * The architecture's part of eBPF: a compiler of verified programs to machine code (jit.c), and
 * trampolines at functions (trampoline.c).
 *
 * The JIT is pure: a host test compiles programs and runs the code.
 */
#pragma once

#include "arch/irq/extable.h"
#include "trace/bpf/core/prog.h"

/* A program while it is compiled. */
struct bpf_jit {
	const struct bpf_prog *prog; /* [in] */
	u32 *offsets; /* [in] room for prog->len + 1: where the code of each instruction begins */
	u32 *starts;  /* [in] room for nr_subprogs + 1: where the code of each function begins */
	u8 *flags;    /* [in] room for prog->len zeros: what is known of each instruction */
	bool (*interrupted)(void); /* [in] asked between passes; true: give up. NULL: never */
	u32 size;                  /* bytes of code; the tables are right when it is known */
	u32 passes;                /* over the program, to find the size */
	u32 nr_extable;
	struct exception_table_entry *extable; /* [in] of the write: room for nr_extable */
};

/*
 * bpf_jit_measure() finds the size, or is interrupted: false. bpf_jit_write() then writes the code,
 * which will be executed at address, to buffer. The address is within reach of a near call from the
 * image. Task context.
 */
bool bpf_jit_measure(struct bpf_jit *jit);
void bpf_jit_write(struct bpf_jit *jit, u8 *buffer, unsigned long address);
