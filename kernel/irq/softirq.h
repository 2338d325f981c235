/* Softirqs: work that an interrupt handler leaves for the moment after, with interrupts on. */
#pragma once

#include "kernel/compiler.h"

enum softirq { HI_SOFTIRQ, TIMER_SOFTIRQ, TTY_SOFTIRQ, SCHED_SOFTIRQ, RCU_SOFTIRQ, NR_SOFTIRQS };

void softirq_init(void);
void open_softirq(enum softirq nr, void (*action)(void));
/* Any context but NMI; runs on this CPU at the next interrupt exit or local_bh_enable(). */
void raise_softirq(enum softirq nr);
void local_bh_disable(void);
void local_bh_enable(void);
/* Run what is pending: called by irq_exit() and ksoftirqd. */
void do_softirq(void);
u64 softirq_count_read(enum softirq nr, unsigned cpu);
extern const char *const softirq_names[NR_SOFTIRQS];
/* Nanoseconds that a CPU has spent in interrupt handlers and in softirqs. */
void irq_time_read(unsigned cpu, u64 *irq, u64 *softirq);
