/* The halt of a CPU that waits for a ticket lock. kernel/locking/spin_wait.c gives the reason. */
#pragma once

#include "arch/ptrace.h"
#include "kernel/compiler.h"

/*
 * A hypervisor shares the real CPUs, so a waiting CPU should halt and let another run. Set by
 * cpu_init().
 */
extern bool cpu_is_virtual;

/*
 * Halts until an interrupt (if interrupts are on) or an NMI, unless the ticket is already served.
 * No wake-up is lost between the test and the halt: an interrupt in that window makes
 * spin_wait_restart() repeat the test. Implemented in spin_wait.asm.
 */
void spin_wait_halt(const u16 *owner, u16 ticket);
extern const char spin_wait_halt_end[];

/* Called first by each interrupt and NMI: makes a CPU that was about to halt repeat its test. */
static __always_inline void spin_wait_restart(struct pt_regs *regs)
{
	if (unlikely(regs->ip - (unsigned long)spin_wait_halt <
		     (unsigned long)spin_wait_halt_end - (unsigned long)spin_wait_halt))
		regs->ip = (unsigned long)spin_wait_halt;
}
