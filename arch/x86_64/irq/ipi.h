/* Interrupts between CPUs, in addition to those of kernel/smp.h. Any context. */
#pragma once

void arch_send_call_function_ipi(unsigned cpu);
/* Sends an NMI. The handlers of all NMI_HANDLER()s run on the target. */
void arch_send_nmi(unsigned cpu);
/*
 * Interrupts this CPU as soon as its interrupts are on, for irq_work_run(). Does nothing without a
 * local APIC. Not traceable. Preemption off.
 */
void arch_irq_work_raise(void);
