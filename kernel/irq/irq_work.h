/*
 * irq_work: a function to be run in interrupt context as soon as this CPU lets interrupts in, for
 * those who are where nothing may be locked or woken: an NMI, the scheduler, a tracer.
 */
#pragma once

#include "kernel/compiler.h"

struct irq_work {
	struct irq_work *next; /* in its CPU's list */
	u32 flags;             /* atomic; IRQ_WORK_* */
	/* Hardirq context, interrupts off, on the CPU that queued it. May queue the work again. */
	void (*func)(struct irq_work *work);
};

#define IRQ_WORK_PENDING 1U /* queued: to queue it again does nothing */
#define IRQ_WORK_BUSY    2U /* until its function has returned */

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
	*work = (struct irq_work){ .func = func };
}

/*
 * Have work->func run once on this CPU, after this call began; false if it was queued already and
 * had not begun to run. Any context, and not traceable. Needs a local APIC.
 */
bool irq_work_queue(struct irq_work *work);
/* Wait until the work is neither queued nor running; nobody queues it meanwhile. Task context,
 * interrupts on. */
void irq_work_sync(struct irq_work *work);
/* The interrupt's handler: run what is queued on this CPU, oldest first. Interrupts off. */
void irq_work_run(void);
