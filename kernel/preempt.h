/*
 * preempt_count: one per-CPU word, in Linux's layout, with the reasons why this CPU must not switch
 * tasks now.
 *
 *      bits  0-7   preempt_disable() depth
 *      bits  8-15  softirq: 0x100 while this CPU runs softirqs; 0x200 for each
 *                  local_bh_disable()
 *      bits 16-19  hardirq depth
 *      bits 20-23  NMI depth
 *      bit  31     set while no reschedule is needed, so that the word is 0 exactly when a
 *                  preemption is both allowed and needed: one decrement and one branch
 *
 * A context switch does not save the word. Every switch happens at a count of exactly 1, because
 * schedule() disables preemption once and the idle tasks always run at 1. So the next task finds
 * the count with which it left. Linux on x86 does the same.
 */
#pragma once

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/preempt.h"

#define PREEMPT_MASK           0x000000ffU
#define SOFTIRQ_MASK           0x0000ff00U
#define HARDIRQ_MASK           0x000f0000U
#define NMI_MASK               0x00f00000U
#define PREEMPT_OFFSET         0x00000001U
#define SOFTIRQ_OFFSET         0x00000100U
#define SOFTIRQ_DISABLE_OFFSET 0x00000200U
#define HARDIRQ_OFFSET         0x00010000U
#define NMI_OFFSET             0x00100000U
#define PREEMPT_NEED_RESCHED   0x80000000U /* inverted: clear means that a reschedule is needed */

/* The count without the folded need-resched bit. */
static __always_inline u32 preempt_count(void)
{
	return this_cpu_read(__preempt_count) & ~PREEMPT_NEED_RESCHED;
}

static __always_inline void preempt_count_add(u32 v)
{
	this_cpu_add(__preempt_count, v);
	barrier();
}

static __always_inline void preempt_count_sub(u32 v)
{
	barrier();
	this_cpu_sub(__preempt_count, v);
}

static __always_inline void set_preempt_need_resched(void)
{
	this_cpu_and(__preempt_count, ~PREEMPT_NEED_RESCHED);
}

static __always_inline void clear_preempt_need_resched(void)
{
	this_cpu_or(__preempt_count, PREEMPT_NEED_RESCHED);
}

static __always_inline bool test_preempt_need_resched(void)
{
	return !(this_cpu_read(__preempt_count) & PREEMPT_NEED_RESCHED);
}

#define in_nmi()             (preempt_count() & NMI_MASK)
#define in_hardirq()         (preempt_count() & HARDIRQ_MASK)
#define in_serving_softirq() (preempt_count() & SOFTIRQ_OFFSET)
#define in_interrupt()       (preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK))
#define in_task()            (!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
#define in_atomic()          (preempt_count() != 0)
/* True where the scheduler may switch tasks, and so a function may sleep. */
#define preemptible() (preempt_count() == 0 && !irqs_disabled())

/* Called by preempt_enable() when the word becomes 0. Switches tasks if interrupts are on.
 * kernel/sched. */
void preempt_schedule(void);

/*
 * The events preemptirq:preempt_disable and preempt_enable see these (arch/irq/preemptirq.h). The
 * forms with _notrace do the same without them, for tracing itself.
 */
static __always_inline void preempt_disable(void)
{
	arch_preempt_disable();
}

static __always_inline void preempt_enable_no_resched(void)
{
	(void)arch_preempt_enable();
}

static __always_inline void preempt_enable(void)
{
	if (unlikely(arch_preempt_enable()))
		preempt_schedule();
}

static __always_inline void preempt_disable_notrace(void)
{
	preempt_count_add(PREEMPT_OFFSET);
}

/* True: preempt_schedule() must follow, because a switch to another task is allowed and due. */
static __always_inline bool preempt_enable_no_resched_notrace(void)
{
	return this_cpu_sub_and_test(__preempt_count, PREEMPT_OFFSET);
}

static __always_inline void preempt_enable_notrace(void)
{
	if (unlikely(preempt_enable_no_resched_notrace()))
		preempt_schedule();
}

#define get_cpu()                                                                                  \
	({                                                                                         \
		preempt_disable();                                                                 \
		smp_processor_id();                                                                \
	})
#define put_cpu() preempt_enable()
