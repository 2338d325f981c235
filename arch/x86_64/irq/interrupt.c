/* Dispatches each interrupt vector to its handler. */
#include "arch/cpu/halt.h"
#include "arch/irq/interrupt.h"

#include "arch/irq/apic.h"
#include "arch/boot/cpuinfo.h"
#include "arch/irq/irq_vectors_events.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/mm/tlb.h"
#include "arch/time/tsc.h"
#include "arch/irq/vectors.h"
#include "kernel/irq/irq.h"
#include "kernel/irq/irq_work.h"
#include "kernel/preemptirq.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"

struct interrupt_hooks interrupt_hooks __ro_after_init;
DEFINE_STATIC_KEY_FALSE(interrupt_hooks_key);

/* Called by entry.asm with the vector in regs->orig_ax. Interrupts off. */
void do_interrupt(struct pt_regs *regs);

static void apic_error_interrupt(void)
{
	apic_write(APIC_ESR, 0); /* latches the errors since the last write */
	pr_warn("APIC: error 0x%02x on CPU %u\n", apic_read(APIC_ESR), smp_processor_id());
}

/* Counts a vector without a handler, and acknowledges it only if the APIC waits for that. */
static void unknown_interrupt(unsigned vector)
{
	static bool reported;

	irq_stat_inc(IRQ_STAT_ERR);
	if (local_apic_present() && apic_vector_in_service(vector))
		apic_eoi();
	if (!xchg(&reported, true))
		pr_warn("interrupt: unknown vector 0x%02x on CPU %u\n", vector, smp_processor_id());
}

const char *interrupt_name(unsigned vector, int *number)
{
	static const char *const names[] = {
		[LOCAL_TIMER_VECTOR] = "local_timer", [IRQ_WORK_VECTOR] = "irq_work",
		[TEXT_SYNC_VECTOR] = "text_sync",     [TLB_FLUSH_VECTOR] = "tlb_flush",
		[RESCHEDULE_VECTOR] = "reschedule",   [CALL_FUNCTION_VECTOR] = "call_function",
		[APIC_ERROR_VECTOR] = "error_apic",   [SPURIOUS_APIC_VECTOR] = "spurious_apic",
	};
	const char *name = vector < ARRAY_SIZE(names) ? names[vector] : NULL;

	*number = (int)vector;
	if (!name && vector - ISA_VECTOR_BASE < NR_ISA_IRQS) {
		*number = (int)vector - ISA_VECTOR_BASE;
		name = irq_device_name((unsigned)*number);
	}
	return name ?: "unknown";
}

static void handle_vector(unsigned vector)
{
	switch (vector) {
	case LOCAL_TIMER_VECTOR:
		irq_stat_inc(IRQ_STAT_LOC);
		apic_eoi();
		trace_local_timer_entry(LOCAL_TIMER_VECTOR);
		local_apic_timer_interrupt();
		trace_local_timer_exit(LOCAL_TIMER_VECTOR);
		return;
	case RESCHEDULE_VECTOR:
		irq_stat_inc(IRQ_STAT_RES);
		apic_eoi();
		trace_reschedule_entry(RESCHEDULE_VECTOR);
		scheduler_ipi();
		trace_reschedule_exit(RESCHEDULE_VECTOR);
		return;
	case CALL_FUNCTION_VECTOR:
		irq_stat_inc(IRQ_STAT_CAL);
		apic_eoi();
		trace_call_function_entry(CALL_FUNCTION_VECTOR);
		generic_smp_call_function_interrupt();
		trace_call_function_exit(CALL_FUNCTION_VECTOR);
		return;
	case IRQ_WORK_VECTOR:
		irq_stat_inc(IRQ_STAT_IWI);
		apic_eoi();
		trace_irq_work_entry(IRQ_WORK_VECTOR);
		irq_work_run();
		trace_irq_work_exit(IRQ_WORK_VECTOR);
		return;
	case TLB_FLUSH_VECTOR:
		irq_stat_inc(IRQ_STAT_TLB);
		tlb_flush_interrupt();
		apic_eoi();
		return;
	case TEXT_SYNC_VECTOR:
		irq_stat_inc(IRQ_STAT_TXT);
		text_sync_interrupt();
		apic_eoi();
		return;
	case APIC_ERROR_VECTOR:
		trace_error_apic_entry(APIC_ERROR_VECTOR);
		apic_error_interrupt();
		trace_error_apic_exit(APIC_ERROR_VECTOR);
		apic_eoi();
		return;
	case SPURIOUS_APIC_VECTOR: /* no EOI: nothing is in service (Intel SDM 3A 10.9) */
		trace_spurious_apic_entry(SPURIOUS_APIC_VECTOR);
		irq_stat_inc(IRQ_STAT_SPU);
		trace_spurious_apic_exit(SPURIOUS_APIC_VECTOR);
		return;
	case ISA_VECTOR_BASE ... ISA_VECTOR_BASE + NR_ISA_IRQS - 1:
		handle_device_irq(vector - ISA_VECTOR_BASE);
		apic_eoi();
		return;
	case PIC_VECTOR_BASE ... PIC_VECTOR_BASE + 15:
		irq_stat_inc(IRQ_STAT_SPU);
		return;
	default:
		unknown_interrupt(vector);
	}
}

void __irq_entry do_interrupt(struct pt_regs *regs)
{
	halt_interrupted(regs);
	report_irqs(off, _RET_IP_, regs->ip);
	this_cpu_write(irq_from_user, user_mode(regs));
	irq_enter();
	if (static_branch_unlikely(&interrupt_hooks_key))
		interrupt_hooks.irq((unsigned)regs->orig_ax, true);
	handle_vector((unsigned)regs->orig_ax);
	if (static_branch_unlikely(&interrupt_hooks_key))
		interrupt_hooks.irq((unsigned)regs->orig_ax, false);
	irq_exit();
	/*
	 * The word is 0 if preemption is enabled and a reschedule is needed (kernel/preempt.h). On
	 * the way to user mode exit_to_user_mode_loop() does that.
	 */
	if (this_cpu_read(__preempt_count) == 0 && !irqs_disabled_flags(regs->flags) &&
	    !user_mode(regs))
		preempt_schedule_irq();
	report_irqs(on, _RET_IP_, regs->ip);
}

void __init apic_init(void)
{
	u64 khz;

	time_refine();
	khz = local_apic_timer_calibrate() * 16;
	io_apic_init();
	local_apic_timer_setup();
	pr_info("APIC: one-shot timer%s, %lu.%03lu MHz\n",
		cpu_has(X86_FEATURE_TSC_DEADLINE_TIMER) ? " by TSC deadline" : "", khz / 1000,
		khz % 1000);
}
