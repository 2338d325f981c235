/*
 * Makes code that runs programs: trampolines, at the entry and at the return of a function of the
 * kernel, and direct calls of tracepoints. trace/bpf/attach/trampoline.c and direct.c own them.
 */
#pragma once

#include "kernel/atomic.h"
#include "trace/bpf/attach/trampoline.h"

#define BPF_TRAMP_MAX_PROGS 38 /* at one function, as in Linux */
#define BPF_TRAMP_MAX_ARGS  6  /* words: more are not in registers */

/* In the order in which they run: before the function; instead of it; after it. */
enum bpf_tramp_kind { BPF_TRAMP_FENTRY, BPF_TRAMP_MODRET, BPF_TRAMP_FEXIT, NR_BPF_TRAMP_KINDS };

/* What a trampoline is to do. */
struct bpf_tramp_plan {
	unsigned long function; /* the address of its site */
	u32 nr_args;            /* words */
	u32 nr[NR_BPF_TRAMP_KINDS];
	const struct bpf_tramp_link *links[NR_BPF_TRAMP_KINDS][BPF_TRAMP_MAX_PROGS];
	bool traces_stack; /* a program looks at the stack: the function must be on it */
	/* Calls of the function that have not returned: the trampoline will be needed once more. */
	atomic_t *calls;
};

/*
 * The places in its code, from the beginning. There are two variants: for a site without other
 * users, which jumps to it, and for one with others (struct ftrace_direct_code).
 */
struct bpf_tramp_code {
	u32 size;
	u32 start[2];
	u32 called[2]; /* behind the call of the function. 0: there is none */
	/*
	 * After the call: a nop of 5 bytes. As a jmp to skip_to it lets calls that return leave out
	 * the programs.
	 */
	u32 skip[2], skip_to[2];
};

/*
 * Writes the code for an address to buffer, or with NULL only finds the size and the places. Task
 * context.
 */
void bpf_tramp_write(const struct bpf_tramp_plan *plan, struct bpf_tramp_code *code, u8 *buffer,
		     unsigned long address);

/*
 * Writes what a tracepoint's sites call for its only probe (tracepoint_probe_register_direct()): it
 * runs the program with the arguments as its context. masks: the bits of each; at most
 * BPF_TRAMP_MAX_ARGS. With buffer NULL only returns the size, as it does always. Task context.
 */
u32 bpf_direct_write(const struct bpf_prog *prog, const u64 *masks, u32 nr_args, u8 *buffer,
		     unsigned long address);
