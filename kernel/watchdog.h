/*
 * The lockup detectors: a CPU that does not schedule (soft), a CPU with interrupts off (hard).
 * How they tell a stuck CPU from one that the host has stopped: kernel/watchdog.c.
 */
#pragma once

#include "kernel/types.h"

struct pt_regs;

extern int watchdog_thresh; /* seconds, that is checks in a row; 0 turns the detectors off */

/* The timer interrupt when watchdog_next() is due. Interrupts off. */
void watchdog_timer_interrupt(ktime_t now);
/* When this CPU's next check is due, KTIME_MAX if none is. Interrupts off. */
ktime_t watchdog_next(void);
/* The scheduler, when this CPU turns from its idle task to another. Interrupts off. */
void watchdog_leave_idle(ktime_t now);
/* The reschedule IPI: another CPU wants this one to watch it. Interrupts off. */
void watchdog_ipi(void);
/* The NMI handler, for each NMI: notes whether this CPU was interrupted with interrupts off. */
void watchdog_nmi(struct pt_regs *regs);
