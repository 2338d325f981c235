/* Interrupts from one CPU to another, besides those of kernel/smp.h. Any context. */
#pragma once

void arch_send_call_function_ipi(unsigned cpu);
/* A bare NMI; watchdog_nmi() sees it. */
void arch_send_nmi(unsigned cpu);
/*
 * Interrupt this CPU as soon as it lets interrupts in, for irq_work_run(). Nothing without a local
 * APIC. Not traceable. Preemption is off.
 */
void arch_irq_work_raise(void);
