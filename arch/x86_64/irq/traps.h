/* Exception vectors, and the hook for breakpoints. */
#pragma once

#include "arch/cpu/percpu.h"
#include "arch/cpu/ptrace.h"
#include "kernel/compiler.h"
#include "kernel/linker_table.h"

/* Exception vectors (Intel SDM 3A table 6-1). */
enum x86_trap {
	X86_TRAP_DE = 0,
	X86_TRAP_DB = 1,
	X86_TRAP_NMI = 2,
	X86_TRAP_BP = 3,
	X86_TRAP_OF = 4,
	X86_TRAP_BR = 5,
	X86_TRAP_UD = 6,
	X86_TRAP_NM = 7,
	X86_TRAP_DF = 8,
	X86_TRAP_TS = 10,
	X86_TRAP_NP = 11,
	X86_TRAP_SS = 12,
	X86_TRAP_GP = 13,
	X86_TRAP_PF = 14,
	X86_TRAP_MF = 16,
	X86_TRAP_AC = 17,
	X86_TRAP_MC = 18,
	X86_TRAP_XF = 19,
	X86_TRAP_CP = 21,
	NR_EXCEPTIONS = 32
};

/*
 * Handles breakpoints in kernel text. Returns true if the breakpoint was its own, and has then set
 * regs->ip (after the int3 at entry) to the address to continue at. Called in any context, NMI
 * included, interrupts off, on the interrupted stack. set_int3_handler() replaces the only handler
 * and returns the previous one. NULL removes it.
 */
typedef bool (*int3_handler_t)(struct pt_regs *regs);
int3_handler_t set_int3_handler(int3_handler_t handler);
/*
 * Adds a handler of NMIs: NMI_HANDLER(watchdog_nmi); all are called for each NMI. A handler returns
 * whether the NMI was for it.
 */
typedef bool (*nmi_handler_t)(struct pt_regs *regs);
#define NMI_HANDLER(fn)                                                                            \
	static const nmi_handler_t nmi_handler_##fn LINKER_TABLE_ENTRY(rodata, nmi_handlers,       \
								       #fn) = fn
/*
 * #DB: handles the hits of debug registers, and takes them out of *dr6: the causes in DR6, which is
 * clear again. True: there is no other cause. Any context but NMI, interrupts off. The registers
 * are off; for a program the hook switches them on again.
 */
extern bool (*debugreg_hook)(struct pt_regs *regs, u64 *dr6);
/*
 * What this CPU's DR7 says while the debug registers are not off; 0: none is used. Written by
 * arch/cpu/debugreg.c; the entry of NMIs reads it, so that it switches nothing off for nothing.
 */
DECLARE_PER_CPU(u64, debugreg_control);
/* Called by an int3 handler: emulates `call target` with the return address ret. */
void int3_emulate_call(struct pt_regs *regs, unsigned long ret, unsigned long target);
/* Not 0 while this CPU handles an NMI. entry.asm changes and tests it. */
DECLARE_PER_CPU(unsigned, nmi_running);
/* Enter and leave the handling of an NMI on this CPU, in the preempt count. */
void nmi_enter(void);
void nmi_exit(void);
