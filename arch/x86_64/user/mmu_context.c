/* Loads address spaces, and flushes user translations: see mmu_context.h. */
#include "arch/user/mmu_context.h"

#include "arch/cpu/irqflags.h"
#include "arch/mm/paging.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/special_insns.h"
#include "arch/mm/tlb_events.h"
#include "kernel/bug.h"
#include "kernel/sched/mm.h"
#include "kernel/smp.h"
#include "kernel/vm/mm_types.h"

#define FLUSH_SINGLE_MAX 32 /* pages; for more, the whole user half is flushed */

/* Written by this CPU, interrupts off. Other CPUs read loaded and lazy. */
struct tlb_state {
	struct mm_struct *loaded; /* NULL: the kernel's own root table */
	bool lazy;                /* a kernel task runs: this CPU has a reference to loaded */
	u64 gen;                  /* the TLB is flushed up to this generation of loaded */
};

static DEFINE_PER_CPU(struct tlb_state, tlb_state);

/* A flush, as the other CPUs get it. */
struct tlb_flush_info {
	struct mm_struct *mm;
	unsigned long start, end;
	u64 gen;
	bool tables;
};

struct mm_struct *loaded_mm(void)
{
	return this_cpu_ptr(&tlb_state)->loaded;
}

void init_new_context(struct mm_struct *mm)
{
	mm->context = (struct mm_context){ .tlb_gen = 1 };
}

static u64 read_gen(struct mm_struct *mm)
{
	return __atomic_load_n(&mm->context.tlb_gen, __ATOMIC_SEQ_CST);
}

static unsigned long pages_of(unsigned long start, unsigned long end)
{
	unsigned long pages = (end - start) >> PAGE_SHIFT;

	return pages > FLUSH_SINGLE_MAX ? TLB_FLUSH_ALL : pages;
}

/* Writing CR3 flushes all translations that are not global: those of the user half. */
static void flush_user(struct mm_struct *mm)
{
	write_cr3(__pa(mm->pgd));
}

static noinline void leave_lazy(struct tlb_state *state, struct mm_struct *mm)
{
	u64 gen;

	WRITE_ONCE(state->lazy, false);
	smp_mb(); /* a flush that still saw this CPU lazy has incremented tlb_gen before */
	gen = read_gen(mm);
	if (gen != state->gen) {
		state->gen = gen;
		flush_user(mm);
		trace_tlb_flush(TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	}
	mmdrop_sched(mm);
}

static noinline void load_mm(struct tlb_state *state, struct mm_struct *next)
{
	unsigned cpu = smp_processor_id();
	struct mm_struct *prev = state->loaded;
	bool was_lazy = state->lazy;

	/* A full barrier: a flush that does not see this CPU in the mask has changed the tables. */
	cpumask_set_cpu(cpu, &next->context.cpus);
	state->gen = read_gen(next);
	WRITE_ONCE(state->loaded, next);
	WRITE_ONCE(state->lazy, false);
	flush_user(next);
	trace_tlb_flush(TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	if (prev) {
		cpumask_clear_cpu(cpu, &prev->context.cpus);
		if (was_lazy)
			mmdrop_sched(prev);
	}
}

void switch_mm_irqs_off(struct mm_struct *next)
{
	struct tlb_state *state = this_cpu_ptr(&tlb_state);

	DEBUG_BUG_ON(!irqs_disabled());
	if (!next) {
		if (state->loaded && !state->lazy) {
			mmgrab(state->loaded);
			WRITE_ONCE(state->lazy, true);
		}
	} else if (next != state->loaded) {
		load_mm(state, next);
	} else if (state->lazy) {
		leave_lazy(state, next);
	}
}

/* Loads the kernel's own root table. Interrupts off. */
static void leave_mm(struct tlb_state *state)
{
	struct mm_struct *mm = state->loaded;
	bool was_lazy = state->lazy;

	write_cr3(__pa(swapper_pg_dir));
	WRITE_ONCE(state->loaded, NULL);
	WRITE_ONCE(state->lazy, false);
	cpumask_clear_cpu(smp_processor_id(), &mm->context.cpus);
	if (was_lazy)
		mmdrop_sched(mm);
}

static void leave_mm_here(void *info)
{
	struct tlb_state *state = this_cpu_ptr(&tlb_state);

	if (state->loaded == info)
		leave_mm(state);
}

void leave_mm_all_cpus(struct mm_struct *mm)
{
	unsigned long flags;

	preempt_disable(); /* the other CPUs are those that are not this one */
	local_irq_save(flags);
	leave_mm_here(mm);
	local_irq_restore(flags);
	if (!cpumask_empty(&mm->context.cpus))
		smp_call_function_many(&mm->context.cpus, leave_mm_here, mm, true);
	preempt_enable();
	DEBUG_BUG_ON(!cpumask_empty(&mm->context.cpus));
}

static void flush_range(const struct tlb_flush_info *info)
{
	if (pages_of(info->start, info->end) == TLB_FLUSH_ALL) {
		flush_user(info->mm);
		return;
	}
	for (unsigned long addr = info->start; addr < info->end; addr += PAGE_SIZE)
		invlpg(addr);
}

/* Brings this CPU's TLB up to date, if it has loaded info->mm. Interrupts off. */
static void flush_here(const struct tlb_flush_info *info, int reason __unused)
{
	struct tlb_state *state = this_cpu_ptr(&tlb_state);
	u64 gen;

	if (state->loaded != info->mm)
		return;
	if (state->lazy) {
		if (info->tables)
			leave_mm(state);
		return; /* leave_lazy() will see the generation */
	}
	if (state->gen >= info->gen)
		return;
	gen = read_gen(info->mm);
	if (gen == info->gen && state->gen + 1 == gen) {
		trace_tlb_flush(reason, pages_of(info->start, info->end));
		flush_range(info);
	} else {
		trace_tlb_flush(reason, TLB_FLUSH_ALL);
		flush_user(info->mm); /* two flushes at the same time: for both */
	}
	state->gen = gen;
}

static void flush_interrupt(void *info)
{
	flush_here(info, TLB_REMOTE_SHOOTDOWN);
}

/* The other CPUs that must answer. False: none. Preemption off. */
static bool flush_targets(const struct tlb_flush_info *info, struct cpumask *targets)
{
	unsigned cpu, this_cpu = smp_processor_id();
	bool any = false;

	cpumask_clear(targets);
	for_each_cpu (cpu, &info->mm->context.cpus) {
		if (cpu == this_cpu)
			continue;
		if (!info->tables && READ_ONCE(per_cpu(tlb_state, cpu).lazy))
			continue;
		cpumask_set_cpu(cpu, targets);
		any = true;
	}
	return any;
}

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end, bool tables)
{
	struct tlb_flush_info info = { .mm = mm, .start = start, .end = end, .tables = tables };
	struct cpumask targets;
	unsigned long flags;

	preempt_disable();
	/* A full barrier, between the change of the tables and the reading of the mask. */
	info.gen = __atomic_add_fetch(&mm->context.tlb_gen, 1, __ATOMIC_SEQ_CST);
	local_irq_save(flags);
	flush_here(&info, TLB_LOCAL_MM_SHOOTDOWN);
	local_irq_restore(flags);
	if (flush_targets(&info, &targets)) {
		trace_tlb_flush(TLB_REMOTE_SEND_IPI, pages_of(start, end));
		smp_call_function_many(&targets, flush_interrupt, &info, true);
	}
	preempt_enable();
}
