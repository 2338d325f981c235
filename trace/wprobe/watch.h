/*
 * One watchpoint on all CPUs, whose address can change at any moment: the address of an object that
 * an event has met. kernel/hw_breakpoint.h gives it a debug register on each CPU.
 *
 * What is watched is one word, `address`. A CPU compares it with what its own register has, and
 * loads the register anew: the CPU that changes the address at once, the others when it has
 * interrupted them. A hit of a register that has another address by then is dropped.
 */
#pragma once

#include "kernel/hw_breakpoint.h"
#include "kernel/irq/irq_work.h"
#include "kernel/workqueue/workqueue.h"

/* The address of a watchpoint that watches nothing now. No length makes it a valid one. */
#define WATCH_NOTHING ~0UL

struct watch;

/* [E] event_mutex; [A] atomic, any context; [O] only its CPU, with interrupts off. */
struct watch_cpu {
	struct hw_breakpoint bp; /* bp.reg.address: what the register has; [O] */
	struct watch *watch;
};

struct watch {
	unsigned long address; /* [A] or WATCH_NOTHING */
	u8 type, len;          /* DEBUGREG_*, DEBUGREG_LEN_* */
	bool reserved;         /* [E] */
	/* The address was accessed; it may be watched no more. The context of hw_breakpoint.hit. */
	void (*hit)(struct watch *watch, unsigned long address, struct pt_regs *regs);
	struct watch_cpu *cpus;   /* nr_cpu_ids of them */
	struct irq_work irq_work; /* calls the other CPUs: the address may change in an NMI */
	struct work_struct work;  /* calls and waits, when a CPU has not taken the last call */
};                                /* no letter: constant */

/* type, len and hit are set. 0 or -ENOMEM. Task context. */
int watch_init(struct watch *watch);
/* Frees it. It does not watch. NULL in cpus is fine. Task context. */
void watch_destroy(struct watch *watch);

/*
 * Reserves a register on each CPU, and watches address, which may be WATCH_NOTHING. 0, or -ENOSPC:
 * a CPU has no register left. Task context, E held.
 */
int watch_begin(struct watch *watch, unsigned long address);
/* Gives the registers back. On return nothing hits. Nobody calls watch_set() by now. */
void watch_end(struct watch *watch);

/* Whether the registers may watch an address, with the length of the watchpoint. Any context. */
bool watch_may_be_at(const struct watch *watch, unsigned long address);
/*
 * Watches address if nothing is watched; stops watching address (WATCH_NOTHING: whatever it is).
 * False: something else is watched, or nothing. Between watch_begin() and watch_end(). Any context.
 */
bool watch_set(struct watch *watch, unsigned long address);
bool watch_clear(struct watch *watch, unsigned long address);
