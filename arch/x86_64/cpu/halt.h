/* Halts that miss no wake-up. kernel/locking/spin_wait.c gives the reason for that of a lock. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/compiler.h"

/*
 * A hypervisor shares the real CPUs, so a waiting CPU should halt and let another run. Set by
 * cpu_init().
 */
extern bool cpu_is_virtual;

/*
 * Halts until an interrupt (if interrupts are on) or an NMI, unless the ticket is already served.
 * No wake-up is lost between the test and the halt: an interrupt in that window makes
 * halt_interrupted() repeat the test. Implemented in halt.asm.
 */
void spin_wait_halt(const u16 *owner, u16 ticket);
extern const char spin_wait_halt_end[];

/*
 * Turns interrupts on and halts until the next interrupt. Interrupts are off. STI holds interrupts
 * back until HLT has begun, but an NMI may come in between, and its IRET ends this delay (Intel SDM
 * 2B, STI). An interrupt can then come before the HLT. halt_interrupted() notices it, and keeps the
 * CPU from halting after it.
 */
void native_safe_halt(void);

/*
 * Its HLT, and the instruction behind it. No symbols: a profile would show them in place of the
 * function, and perf top hides an idle CPU by the function's name, which is Linux's.
 */
#define SAFE_HALT_HLT ((unsigned long)native_safe_halt + 1)
#define SAFE_HALT_END ((unsigned long)native_safe_halt + 2)

/* True if ip is in one of the two functions, before the halt has begun. */
static __always_inline bool before_halt(unsigned long ip)
{
	return ip - (unsigned long)spin_wait_halt < SAFE_HALT_END - (unsigned long)spin_wait_halt;
}

/*
 * Called first by each interrupt: the CPU that was about to halt looks again at what it waits for.
 */
static __always_inline void halt_interrupted(struct pt_regs *regs)
{
	if (likely(!before_halt(regs->ip)))
		return;
	if (regs->ip < (unsigned long)spin_wait_halt_end)
		regs->ip = (unsigned long)spin_wait_halt;
	else if (regs->ip == SAFE_HALT_HLT)
		regs->ip = SAFE_HALT_END;
}

/* The same for an NMI, which is no reason for an idle CPU to look again. */
static __always_inline void halt_interrupted_by_nmi(struct pt_regs *regs)
{
	if (unlikely(before_halt(regs->ip) && regs->ip < (unsigned long)spin_wait_halt_end))
		regs->ip = (unsigned long)spin_wait_halt;
}
