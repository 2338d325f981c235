/*
 * Rounds of IPIs that all other CPUs answer: TLB flushes and text synchronization.
 *
 * One round of each kind runs at a time. A task that needs another round of the kind sleeps on the
 * mutex. The initiator waits for the answers with interrupts on, so CPUs that start rounds of
 * different kinds answer each other. The wait has no time limit: a CPU that has not answered could
 * still use a removed translation or old code.
 */
#include "arch/mm/tlb.h"

#include "arch/irq/apic.h"
#include "arch/mm/pgtable.h"
#include "arch/cpu/processor.h"
#include "arch/boot/smpboot.h"
#include "arch/cpu/special_insns.h"
#include "arch/mm/tlb_events.h"
#include "arch/irq/vectors.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/cpumask.h"
#include "kernel/ipi_events.h"
#include "kernel/sched/mutex.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/sched.h"

#define FLUSH_SINGLE_MAX 32 /* pages; for more pages the whole TLB is flushed */

struct ipi_round {
	struct mutex lock; /* held by the initiator from start to end */
	unsigned vector;
	struct cpumask pending;   /* [A] CPUs that have not answered yet */
	unsigned long start, end; /* [lock] read by the CPUs in pending */
};

static struct ipi_round tlb_round = { .lock = __MUTEX_INITIALIZER(tlb_round.lock),
				      .vector = TLB_FLUSH_VECTOR };
static struct ipi_round text_round = { .lock = __MUTEX_INITIALIZER(text_round.lock),
				       .vector = TEXT_SYNC_VECTOR };

void local_flush_tlb_all(void)
{
	unsigned long flags;
	u64 cr4;

	local_irq_save(flags);
	cr4 = read_cr4();
	write_cr4(cr4 & ~X86_CR4_PGE); /* flushes global pages too (Intel SDM 3A 4.10.4.1) */
	write_cr4(cr4);
	local_irq_restore(flags);
}

static void local_flush_range(unsigned long start, unsigned long end)
{
	if (end - start > FLUSH_SINGLE_MAX * PAGE_SIZE) {
		local_flush_tlb_all();
		return;
	}
	for (unsigned long addr = ALIGN_DOWN(start, PAGE_SIZE); addr < end; addr += PAGE_SIZE)
		invlpg(addr);
}

/* cpuid is a serializing instruction: the CPU drops what it has fetched, and fetches anew. */
static void sync_core(void)
{
	u32 a, b, c, d;

	cpuid(0, 0, &a, &b, &c, &d);
}

/*
 * Calls here() on this CPU, sends the IPI to all others, and waits for their answers: the handler,
 * tlb_flush_interrupt() or text_sync_interrupt(), clears the CPU's bit in pending. Other tasks may
 * run here meanwhile (cond_resched()). Interrupts must be on: another CPU may be in a round of the
 * other kind, and wait for the answer of this CPU. round->lock held.
 */
static void run_round(struct ipi_round *round, void (*here)(void))
{
	unsigned cpu, this_cpu;

	WARN_ON_ONCE(irqs_disabled());
	this_cpu = get_cpu();
	here();
	round->pending = cpu_online_mask;
	cpumask_clear_cpu(this_cpu, &round->pending);
	trace_ipi_send_cpumask(&round->pending, _RET_IP_, here);
	for_each_cpu (cpu, &round->pending) /* a bit that is clear needs no IPI */
		apic_send_ipi(cpu_apic_ids[cpu], APIC_DM_FIXED | round->vector);
	put_cpu();
	while (!cpumask_empty(&round->pending)) {
		cpu_relax();
		cond_resched();
	}
	smp_rmb(); /* after the answers: the caller sees all writes from before them */
}

static bool others_online(void)
{
	return num_online_cpus() > 1;
}

/* For the event: how many pages local_flush_range() flushes. */
static __unused unsigned long pages_flushed(unsigned long start, unsigned long end)
{
	if (end - start > FLUSH_SINGLE_MAX * PAGE_SIZE)
		return TLB_FLUSH_ALL;
	return DIV_ROUND_UP(end - ALIGN_DOWN(start, PAGE_SIZE), PAGE_SIZE);
}

static void flush_tlb_round_here(void)
{
	trace_tlb_flush(TLB_LOCAL_SHOOTDOWN, pages_flushed(tlb_round.start, tlb_round.end));
	local_flush_range(tlb_round.start, tlb_round.end);
}

void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	if (!others_online()) {
		trace_tlb_flush(TLB_LOCAL_SHOOTDOWN, pages_flushed(start, end));
		local_flush_range(start, end);
		return;
	}
	trace_tlb_flush(TLB_REMOTE_SEND_IPI, pages_flushed(start, end));
	mutex_lock(&tlb_round.lock);
	tlb_round.start = start;
	tlb_round.end = end;
	run_round(&tlb_round, flush_tlb_round_here);
	mutex_unlock(&tlb_round.lock);
}

void flush_tlb_all(void)
{
	flush_tlb_kernel_range(0, ~0UL);
}

void text_sync_all(void)
{
	if (!others_online()) {
		sync_core();
		return;
	}
	mutex_lock(&text_round.lock);
	run_round(&text_round, sync_core);
	mutex_unlock(&text_round.lock);
}

void tlb_flush_interrupt(void)
{
	unsigned cpu = smp_processor_id();

	if (!cpumask_test_cpu(cpu, &tlb_round.pending))
		return;
	trace_tlb_flush(TLB_REMOTE_SHOOTDOWN, pages_flushed(tlb_round.start, tlb_round.end));
	local_flush_range(tlb_round.start, tlb_round.end);
	cpumask_clear_cpu(cpu, &tlb_round.pending);
}

/*
 * Executes cpuid, and answers. The code of the interrupt around this function has tracepoints, and
 * one of them may be a site of the very batch that waits for this answer. That does no harm: the
 * site holds its old instruction, or a breakpoint, whose handler emulates the new one. This
 * function itself has no tracepoint: its event would appear in each change of events.
 */
void text_sync_interrupt(void)
{
	sync_core();
	cpumask_clear_cpu(smp_processor_id(), &text_round.pending);
}
