/* Timers: a function called once, in softirq context, at or after a time. */
#pragma once

#include "kernel/lib/rbtree.h"
#include "kernel/time/ktime.h"

struct timer_base;

struct timer_list {
	struct rb_node node;                        /* [base lock] */
	ktime_t expires;                            /* [base lock] */
	void (*function)(struct timer_list *timer); /* constant; softirq context, interrupts on */
	/* [base lock] where it is queued or last ran; NULL while it changes */
	struct timer_base *base;
	bool queued; /* [base lock] */
};

void timers_init(void);
void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *));
/* (Re)arm on this CPU. True if it was pending. Any context but NMI. */
bool mod_timer(struct timer_list *timer, ktime_t expires);
/*
 * True if it was pending. _sync also waits until the function has returned (not from the function
 * itself).
 */
bool del_timer(struct timer_list *timer);
bool del_timer_sync(struct timer_list *timer);
bool timer_pending(const struct timer_list *timer);
/*
 * The local APIC timer's interrupt: timers that are due, the scheduler's tick while tasks compete,
 * and the next event programmed. Called by the vector's handler between irq_enter and irq_exit.
 */
void local_apic_timer_interrupt(void);
/* Have this CPU's timer call scheduler_tick() once, delta nanoseconds from now. Interrupts off. */
void tick_start(u64 delta);
/*
 * Make sure that this CPU's timer interrupt comes no later than when. Interrupts off; takes no
 * lock.
 */
void timer_program_before(ktime_t when);
/*
 * The earliest event this CPU needs changed (timers or tick): program the hardware anew. Interrupts
 * off.
 */
void timer_reprogram(void);
