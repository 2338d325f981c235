/*
 * Function calls on other CPUs.
 *
 * The caller puts a record (call_single_data) on the lock-free queue of the target CPU, and sends
 * an IPI if the queue was empty. Each CPU owns one record for each target. The caller locks the
 * record. The target unlocks it when the record may be used again; if the caller waits for the
 * call, that is when the function has returned. A CPU waits with interrupts on, so that CPUs that
 * call each other answer each other. A wait has no time-out.
 */
#include "kernel/smp.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "arch/irq/ipi.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/ipi_events.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/preempt.h"

#define CSD_LOCKED 1U
#define CSD_SYNC   2U /* unlocked only after the function has returned */

struct call_single_data {
	struct call_single_data *next; /* in the target's queue */
	smp_call_func_t func;
	void *info;
	u32 flags; /* CSD_*: the owner sets them while unlocked, the target clears LOCKED */
};

struct cpumask cpu_possible_mask, cpu_online_mask;
EXPORT_SYMBOL(cpu_possible_mask);
EXPORT_SYMBOL(cpu_online_mask);
unsigned nr_cpu_ids = 1;
EXPORT_SYMBOL(nr_cpu_ids);

static DEFINE_PER_CPU(struct call_single_data *, call_queue); /* [A] newest first */
static DEFINE_PER_CPU(struct call_single_data *, call_data);  /* constant: nr_cpu_ids records */

void __init smp_call_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		per_cpu(call_data, cpu) =
			memblock_alloc(nr_cpu_ids * sizeof(struct call_single_data), 64);
}

/* True if the queue was empty: the target needs an IPI. */
static bool call_queue_add(struct call_single_data *csd, unsigned cpu)
{
	struct call_single_data **queue = per_cpu_ptr(&call_queue, cpu);
	struct call_single_data *first = READ_ONCE(*queue);

	do
		csd->next = first;
	while (!__atomic_compare_exchange_n(queue, &first, csd, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED));
	return !first;
}

/*
 * Queues a call, after the last call with the same record has ended. -EBUSY if that has not ended
 * and interrupts are off: the target CPU may wait for this CPU, so to wait could be a deadlock.
 * Preemption off.
 */
static int queue_call(unsigned cpu, smp_call_func_t func, void *info, bool wait)
{
	struct call_single_data *csd = &this_cpu_read(call_data)[cpu];
	unsigned long flags;

	/*
	 * Interrupts are off between locking and queueing: a handler that found the record locked,
	 * but not queued, would wait for ever.
	 */
	local_irq_save(flags);
	while (smp_load_acquire(&csd->flags) & CSD_LOCKED) {
		local_irq_restore(flags);
		if (irqs_disabled_flags(flags))
			return -EBUSY;
		cpu_relax();
		local_irq_disable();
	}
	csd->func = func;
	csd->info = info;
	csd->flags = CSD_LOCKED | (wait ? CSD_SYNC : 0);
	if (call_queue_add(csd, cpu))
		arch_send_call_function_ipi(cpu);
	local_irq_restore(flags);
	return 0;
}

static void wait_for_call(unsigned cpu)
{
	const struct call_single_data *csd = &this_cpu_read(call_data)[cpu];

	while (smp_load_acquire(&csd->flags) & CSD_LOCKED)
		cpu_relax();
}

static void call_here(smp_call_func_t func, void *info)
{
	unsigned long flags;

	local_irq_save(flags);
	func(info);
	local_irq_restore(flags);
}

int smp_call_function_single(unsigned cpu, smp_call_func_t func, void *info, bool wait)
{
	int error = 0;

	preempt_disable();
	if (cpu == smp_processor_id()) {
		call_here(func, info);
	} else if (cpu >= NR_CPUS || !cpu_online(cpu)) {
		error = -ENXIO;
	} else {
		WARN_ON_ONCE(wait && irqs_disabled());
		trace_ipi_send_cpu(cpu, _RET_IP_, func);
		error = queue_call(cpu, func, info, wait);
		if (!error && wait)
			wait_for_call(cpu);
	}
	preempt_enable();
	return error;
}
EXPORT_SYMBOL(smp_call_function_single);

static void trace_calls(const struct cpumask *called, void *callsite, void *func)
{
	if (cpumask_weight(called) > 1)
		trace_ipi_send_cpumask(called, callsite, func);
	else if (!cpumask_empty(called))
		trace_ipi_send_cpu(cpumask_next_from(0, called), callsite, func);
}

/*
 * Queues the call for the other online CPUs of mask. here: also runs it on this CPU. wait: waits
 * for the other CPUs. callsite: for the event.
 */
static void call_many(const struct cpumask *mask, smp_call_func_t func, void *info, bool wait,
		      bool here, void *callsite)
{
	struct cpumask called;
	unsigned cpu;

	cpumask_clear(&called);
	preempt_disable();
	WARN_ON_ONCE(irqs_disabled() && num_online_cpus() > 1);
	for_each_cpu (cpu, mask)
		if (cpu != smp_processor_id() && cpu_online(cpu))
			cpumask_set_cpu(cpu, &called);
	trace_calls(&called, callsite, func);
	for_each_cpu (cpu, &called)
		if (queue_call(cpu, func, info, wait))
			cpumask_clear_cpu(cpu, &called);
	if (here)
		call_here(func, info);
	if (wait)
		for_each_cpu (cpu, &called)
			wait_for_call(cpu);
	preempt_enable();
}

void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func, void *info, bool wait)
{
	call_many(mask, func, info, wait, false, _RET_IP_);
}

void smp_call_function(smp_call_func_t func, void *info, bool wait)
{
	call_many(&cpu_online_mask, func, info, wait, false, _RET_IP_);
}
EXPORT_SYMBOL(smp_call_function);

void on_each_cpu(smp_call_func_t func, void *info, bool wait)
{
	call_many(&cpu_online_mask, func, info, wait, true, _RET_IP_);
}
EXPORT_SYMBOL(on_each_cpu);

void generic_smp_call_function_interrupt(void)
{
	struct call_single_data *list = xchg(this_cpu_ptr(&call_queue), NULL);
	struct call_single_data *first = NULL, *next;

	for (; list; list = next) { /* oldest first */
		next = list->next;
		list->next = first;
		first = list;
	}
	for (; first; first = next) {
		smp_call_func_t func = first->func;
		void *info = first->info;

		next = first->next;
		if (first->flags & CSD_SYNC) {
			func(info);
			smp_store_release(&first->flags, 0);
		} else {
			smp_store_release(&first->flags, 0); /* func may call the owner in turn */
			func(info);
		}
	}
}
