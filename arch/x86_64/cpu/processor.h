/* Spin-wait and halt. The machine's part of a task. */
#pragma once

#include "kernel/compiler.h"

struct fpu_state;

/*
 * The selectors that a program may load. They are not in pt_regs: the kernel does not touch them.
 */
union segments {
	struct {
		u16 ds, es, fs, gs;
	};
	u64 all;
};

/*
 * The machine's part of struct task_struct.
 *
 * [O] only the task itself; [S] the task itself, or the switch away from it
 */
struct thread_struct {
	struct fpu_state *fpu;        /* [O] saved FPU registers; NULL: a kernel task */
	unsigned long fsbase, gsbase; /* [S] of the program, while it does not run */
	union segments segments;      /* [S] of the program, while it does not run */
	unsigned fpu_cpu;             /* [S] the CPU that saved the FPU registers */
	/* [O] the last fault of the program: for the frame of a signal handler */
	unsigned long trap_nr, error_code, cr2;
	unsigned pagefault_disabled; /* [O] depth: page faults of the kernel are errors */
};

/*
 * The machine is QEMU without KVM: its translator, TCG, executes the kernel. Set by cpu_init(). TCG
 * differs from a CPU in two points that matter here: it leaves the translated code at each PAUSE
 * and takes its global lock, so a CPU that waits with PAUSE delays the CPUs that it waits for; and
 * it may miss a change of code once (text_patch_apply()).
 */
extern bool cpu_is_tcg;

/* Tells the CPU that this is a spin-wait loop (PAUSE). Any context. */
static __always_inline void cpu_relax(void)
{
	if (!cpu_is_tcg)
		__asm__ __volatile__("pause" ::: "memory");
	else
		barrier();
}

static __always_inline void halt(void)
{
	__asm__ __volatile__("hlt" ::: "memory");
}
