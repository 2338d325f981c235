/* Interrupts from one CPU to another. Any context. */
#pragma once

void arch_send_call_function_ipi(unsigned cpu);
void arch_send_nmi(unsigned cpu);
