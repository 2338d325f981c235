/* Watchpoints on all CPUs: trace/wprobe/watch.h. */
#include "trace/wprobe/watch.h"

#include "arch/cpu/irqflags.h"
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "kernel/smp.h"

/* ---- the register of this CPU; interrupts off ---- */

/* Makes the register watch what is to be watched by now. debugreg_may_change(). */
static void load(void *data)
{
	struct watch *watch = data;
	struct hw_breakpoint *bp = &watch->cpus[smp_processor_id()].bp;
	unsigned long wanted = READ_ONCE(watch->address);

	if (bp->reg.address == wanted)
		return;
	if (bp->reg.address != WATCH_NOTHING)
		debugreg_stop(bp);
	bp->reg.address = wanted;
	if (wanted != WATCH_NOTHING)
		debugreg_start(bp);
}

static bool hit(struct hw_breakpoint *bp, struct pt_regs *regs)
{
	struct watch *watch = container_of(bp, struct watch_cpu, bp)->watch;

	if (READ_ONCE(watch->address) == bp->reg.address)
		watch->hit(watch, bp->reg.address, regs);
	return true;
}

/* ---- the registers of all CPUs ---- */

static void load_all(struct work_struct *work)
{
	on_each_cpu(load, container_of(work, struct watch, work), true);
}

/*
 * Calls load() on all CPUs before this one does anything else: the task that has set the address
 * may go on on another CPU. The work is for a CPU that has not yet run the last call of this one.
 */
static void call_load(struct irq_work *irq_work)
{
	struct watch *watch = container_of(irq_work, struct watch, irq_work);
	unsigned cpu;

	for_each_online_cpu (cpu)
		if (smp_call_function_single(cpu, load, watch, false) == -EBUSY)
			(void)schedule_work(&watch->work);
}

/* The address has changed. Any context. */
static void changed(struct watch *watch)
{
	unsigned long flags;

	local_irq_save(flags);
	if (debugreg_may_change())
		load(watch);
	(void)irq_work_queue(&watch->irq_work);
	local_irq_restore(flags);
}

bool watch_set(struct watch *watch, unsigned long address)
{
	unsigned long nothing = WATCH_NOTHING;

	if (!__atomic_compare_exchange_n(&watch->address, &nothing, address, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	changed(watch);
	return true;
}

bool watch_clear(struct watch *watch, unsigned long address)
{
	if (address == WATCH_NOTHING)
		address = READ_ONCE(watch->address);
	if (address == WATCH_NOTHING ||
	    !__atomic_compare_exchange_n(&watch->address, &address, WATCH_NOTHING, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	changed(watch);
	return true;
}

bool watch_may_be_at(const struct watch *watch, unsigned long address)
{
	const struct debugreg reg = { address, watch->type, watch->len };

	return !(address & (debugreg_bytes(watch->len) - 1)) && debugreg_may_watch(&reg);
}

/* ---- making and beginning; task context ---- */

int watch_init(struct watch *watch)
{
	unsigned cpu;

	watch->address = WATCH_NOTHING;
	init_irq_work(&watch->irq_work, call_load);
	INIT_WORK(&watch->work, load_all);
	watch->cpus = kcalloc(nr_cpu_ids, sizeof(*watch->cpus), GFP_KERNEL);
	if (!watch->cpus)
		return -ENOMEM;
	for_each_possible_cpu (cpu) {
		watch->cpus[cpu].watch = watch;
		watch->cpus[cpu].bp = (struct hw_breakpoint){
			.reg = { WATCH_NOTHING, watch->type, watch->len },
			.hit = hit,
			.cpu = (int)cpu,
		};
	}
	return 0;
}

void watch_destroy(struct watch *watch)
{
	kfree(watch->cpus);
}

/* Gives back the registers of the CPUs before end. */
static void release(struct watch *watch, unsigned end)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		if (cpu < end)
			hw_breakpoint_release(&watch->cpus[cpu].bp);
}

int watch_begin(struct watch *watch, unsigned long address)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		int error = hw_breakpoint_reserve(&watch->cpus[cpu].bp);

		if (error) {
			release(watch, cpu);
			return error;
		}
	}
	watch->reserved = true;
	WRITE_ONCE(watch->address, address);
	on_each_cpu(load, watch, true);
	return 0;
}

void watch_end(struct watch *watch)
{
	if (!watch->reserved)
		return;
	irq_work_sync(&watch->irq_work);
	(void)cancel_work_sync(&watch->work);
	WRITE_ONCE(watch->address, WATCH_NOTHING);
	/* Behind the calls of call_load(): a CPU runs its calls in order. */
	on_each_cpu(load, watch, true);
	release(watch, nr_cpu_ids);
	watch->reserved = false;
}
