/*
 * irq_work: runs a function in interrupt context as soon as this CPU has interrupts on. For code
 * that must not take a lock or wake a task: NMI handlers, the scheduler, tracers.
 */
#pragma once

#include "kernel/compiler.h"

struct irq_work {
	struct irq_work *next; /* in its CPU's list */
	u32 flags;             /* atomic; IRQ_WORK_*. 0: neither queued nor running */
	/* Hardirq context, interrupts off, on the CPU that queued it. May queue the work again. */
	void (*func)(struct irq_work *work);
};

#define IRQ_WORK_PENDING 1U /* queued: queueing it again does nothing */
/*
 * Added by each queueing, and subtracted when the function has returned. A count, because another
 * CPU may queue and run the work while its function still runs on the first one.
 */
#define IRQ_WORK_BUSY 2U

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
	*work = (struct irq_work){ .func = func };
}

/*
 * Makes work->func run once on this CPU, after this call. False if it was queued already and had
 * not begun to run. Any context. Not traceable. Needs a local APIC.
 */
bool irq_work_queue(struct irq_work *work);
/*
 * Waits until the work is neither queued nor running. The caller makes sure that no code queues it
 * during the wait. Task context, interrupts on.
 */
void irq_work_sync(struct irq_work *work);
/* The interrupt's handler: runs the items of this CPU, oldest first. Interrupts off. */
void irq_work_run(void);
