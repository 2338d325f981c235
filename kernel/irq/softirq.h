/* Softirqs: work that an interrupt handler leaves for the moment after it, with interrupts on. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/locking/spinlock.h"

/* Linux's numbers, so that tools know them in events. nop5 uses TIMER, NET_RX, SCHED and RCU. */
enum softirq {
	HI_SOFTIRQ,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
	NR_SOFTIRQS
};

void softirq_init(void);
void open_softirq(enum softirq nr, void (*action)(void));
/* Makes softirq nr run on this CPU when the outermost interrupt returns. Any context but NMI. */
void raise_softirq(enum softirq nr);
/* Runs the pending softirqs of this CPU. Called by ksoftirqd. Does nothing in interrupt context. */
void do_softirq(void);
/*
 * Between these two calls, which nest, no softirq runs on this CPU, and no other task. The
 * outermost local_bh_enable() runs the softirqs that were raised in between. Task context or
 * softirq context, interrupts on.
 */
void local_bh_disable(void);
void local_bh_enable(void);
/* For a lock that tasks and softirqs take, but no hardirq handler. */
#define spin_lock_bh(lock)                                                                         \
	do {                                                                                       \
		local_bh_disable();                                                                \
		_raw_spin_lock(lock);                                                              \
	} while (0)
#define spin_unlock_bh(lock)                                                                       \
	do {                                                                                       \
		_raw_spin_unlock(lock);                                                            \
		local_bh_enable();                                                                 \
	} while (0)
/* True if a softirq is pending on this CPU. Any context, preemption off. */
bool softirqs_pending(void);
/*
 * Hook of kernel/sched/ksoftirqd.c: wakes the task that runs softirqs on this CPU. NULL before that
 * task exists. Called with interrupts off.
 */
extern void (*softirq_wake_hook)(void);
u64 softirq_count_read(enum softirq nr, unsigned cpu);
extern const char *const softirq_names[NR_SOFTIRQS];
/* The nanoseconds that a CPU has spent in interrupt handlers and in softirqs. */
void irq_time_read(unsigned cpu, u64 *irq, u64 *softirq);
