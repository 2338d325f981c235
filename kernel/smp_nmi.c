/* Requests to another CPU by NMI, because the CPU may not answer an IPI: to print a backtrace, to
 * stop. */
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define NMI_BACKTRACE 1U
#define NMI_STOP      2U

static DEFINE_PER_CPU(u32, nmi_request); /* [A] NMI_*: cleared by the CPU when it is done */

/*
 * Sends a request and waits for the answer, at most 10 s of the running time of this CPU. So time
 * in which the host stops this CPU too does not count.
 */
static void ask_by_nmi(unsigned cpu, u32 what)
{
	u32 *request = per_cpu_ptr(&nmi_request, cpu);
	struct running_time time;

	__atomic_fetch_or(request, what, __ATOMIC_SEQ_CST);
	arch_send_nmi(cpu);
	running_time_start(&time);
	while (smp_load_acquire(request) & what) {
		if (running_time_elapsed(&time) > 10 * NSEC_PER_SEC) {
			pr_emerg("CPU %u does not answer an NMI\n", cpu);
			return;
		}
		cpu_relax();
	}
}

void smp_stop_other_cpus(bool backtrace)
{
	static bool begun; /* [A] */
	unsigned cpu;

	if (xchg(&begun, true))
		return; /* a CPU that has stopped does not answer again */
	for_each_online_cpu (cpu)
		if (cpu != smp_processor_id())
			ask_by_nmi(cpu, backtrace ? NMI_STOP | NMI_BACKTRACE : NMI_STOP);
}

void smp_backtrace_cpu(unsigned cpu)
{
	if (cpu >= NR_CPUS || !cpu_online(cpu))
		return;
	if (cpu == smp_processor_id())
		dump_stack();
	else
		ask_by_nmi(cpu, NMI_BACKTRACE);
}

static void nmi_backtrace(struct pt_regs *regs)
{
	pr_emerg("NMI backtrace for cpu %u\n", smp_processor_id());
	if (current->flags & PF_IDLE) /* the registers of an idle task are of no use */
		show_stack_regs(regs);
	else
		show_regs(regs);
}

bool smp_handle_nmi(struct pt_regs *regs)
{
	u32 request = smp_load_acquire(this_cpu_ptr(&nmi_request));

	if (!request)
		return false;
	if (request & NMI_BACKTRACE)
		nmi_backtrace(regs);
	__atomic_fetch_and(this_cpu_ptr(&nmi_request), ~request, __ATOMIC_RELEASE);
	while (request & NMI_STOP) {
		local_irq_disable();
		halt();
	}
	return true;
}
NMI_HANDLER(smp_handle_nmi);
