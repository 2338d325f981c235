/* Halting in the wait for a ticket lock; kernel/locking/spin_wait.c tells why. */
#pragma once

#include "arch/ptrace.h"
#include "kernel/compiler.h"

/* CPUs are shared by a hypervisor: one that waits had better let another run. Set by cpu_init(). */
extern bool cpu_is_virtual;

/*
 * Unless the ticket is served by now, halt until an interrupt (if they are on) or an NMI. Between
 * the look and the halt nothing gets lost: whatever interrupts there has the look repeated
 * (spin_wait_restart). arch/x86_64/spin_wait.asm
 */
void spin_wait_halt(const u16 *owner, u16 ticket);
extern const char spin_wait_halt_end[];

/* Every interrupt and NMI, before all else: a CPU on its way to halt looks again afterwards. */
static __always_inline void spin_wait_restart(struct pt_regs *regs)
{
	if (unlikely(regs->ip - (unsigned long)spin_wait_halt <
		     (unsigned long)spin_wait_halt_end - (unsigned long)spin_wait_halt))
		regs->ip = (unsigned long)spin_wait_halt;
}
