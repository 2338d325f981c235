/*
 * irq_work: each CPU has a list of work items. Only code on that CPU adds items, NMIs included. So
 * one compare-and-exchange adds an item, and one exchange takes all. The CPU sends itself an
 * interrupt, and the handler runs the list.
 */
#include "kernel/irq/irq_work.h"

#include "arch/irq/ipi.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/processor.h"
#include "kernel/export.h"
#include "kernel/preempt.h"

static DEFINE_PER_CPU(struct irq_work *, irq_work_list); /* [A] newest first */

notrace /* tracers call it */
bool irq_work_queue(struct irq_work *work)
{
	struct irq_work **list, *first;

	if (__atomic_fetch_or(&work->flags, IRQ_WORK_PENDING, __ATOMIC_SEQ_CST) & IRQ_WORK_PENDING)
		return false;
	__atomic_fetch_add(&work->flags, IRQ_WORK_BUSY, __ATOMIC_RELAXED);
	preempt_disable();
	list = this_cpu_ptr(&irq_work_list);
	first = READ_ONCE(*list);
	do
		work->next = first;
	while (!__atomic_compare_exchange_n(list, &first, work, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	arch_irq_work_raise();
	preempt_enable();
	return true;
}
EXPORT_SYMBOL(irq_work_queue);

void irq_work_run(void)
{
	struct irq_work *list = xchg(this_cpu_ptr(&irq_work_list), NULL);
	struct irq_work *first = NULL, *next;

	for (; list; list = next) { /* oldest first */
		next = list->next;
		list->next = first;
		first = list;
	}
	for (; first; first = next) {
		next = first->next;
		/* From here on a CPU may queue the item again. */
		__atomic_fetch_and(&first->flags, ~IRQ_WORK_PENDING, __ATOMIC_SEQ_CST);
		first->func(first);
		__atomic_fetch_sub(&first->flags, IRQ_WORK_BUSY, __ATOMIC_RELEASE);
	}
}

void irq_work_sync(struct irq_work *work)
{
	while (smp_load_acquire(&work->flags))
		cpu_relax();
}
EXPORT_SYMBOL(irq_work_sync);
