/*
 * Classic BPF as filters of system calls use it: seccomp(2). A program of this machine reads a
 * struct seccomp_data, computes with two registers of 32 bits, A and X, and 16 words of scratch
 * memory, jumps only forwards, and ends with a number. So it ends after at most as many steps as it
 * has instructions.
 *
 * Pure code, which host tests and a fuzzer run, too.
 */
#pragma once

#include "kernel/types.h"

/* Linux's struct sock_filter. */
struct sock_filter {
	u16 code;
	u8 jt, jf; /* instructions to leave out if a test is true, or false */
	u32 k;
};

#define BPF_MAXINSNS 4096U

/* What a filter reads. */
struct seccomp_data {
	int nr;
	u32 arch;
	u64 instruction_pointer;
	u64 args[6];
};

/*
 * Whether the program is one that seccomp_bpf_run() may run: known instructions, jumps and loads
 * that stay within, a return at the end, no division by a constant 0, and no scratch word that is
 * read before each way to it has written it. words: scratch memory, one for each instruction.
 */
bool seccomp_bpf_check(const struct sock_filter *program, u32 length, u16 *words);
/*
 * The number with which a checked program ends. A division by 0 in it ends it with 0. Any context.
 */
u32 seccomp_bpf_run(const struct sock_filter *program, const struct seccomp_data *data);
/* Whether it ends with *result for each call of data->nr and data->arch, whatever the rest is. */
bool seccomp_bpf_is_constant(const struct sock_filter *program, const struct seccomp_data *data,
			     u32 *result);
