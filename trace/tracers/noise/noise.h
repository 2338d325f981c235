/*
 * Noise: what takes the CPU from the task that osnoise or timerlat runs on it, its workload. There
 * are four kinds, and each can interrupt those behind it: NMIs, interrupts, softirqs, other
 * threads. docs/architecture.md, "Noise", explains how the time is shared out.
 */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

enum noise_kind { NOISE_NMI, NOISE_IRQ, NOISE_SOFTIRQ, NOISE_THREAD, NR_NOISE_KINDS };

/*
 * Attach and detach the hooks of all kinds. start forgets the counts of all CPUs; no CPU counts
 * before it is asked to. 0 or an errno. T held; at most once at a time.
 */
int noise_start(void);
void noise_stop(void);
/*
 * Attach and detach the hook of NMIs alone. They may be called together with the above, and more
 * than once. 0 or an errno. T held.
 */
int noise_nmi_start(void);
void noise_nmi_stop(void);

/* task is this CPU's workload, so it is no noise. NULL: all tasks are. Also for another CPU. */
void noise_set_workload(unsigned cpu, struct task_struct *task);
/* Begins or ends the counting of interruptions, and their events, on a CPU. */
void noise_set_sampling(unsigned cpu, bool on);
/*
 * Softirqs and threads make no event until noise_wake_up(), which an interrupt calls that wakes the
 * workload: what they took before has not delayed it. Those that it interrupts begin anew with its
 * end. Both are for this CPU; mute in task context with preemption off, wake_up in hardirq context.
 */
void noise_mute(void);
void noise_wake_up(void);

/* The interruptions of each kind on this CPU. Preemption off, any context. */
struct noise_counts {
	u32 of[NR_NOISE_KINDS];
};
struct noise_counts noise_counts(void);
/*
 * Returns the time, of trace_clock_local(), and the number of interruptions on this CPU so far,
 * those that run now included. No interruption lies between the two. The workload, in task context.
 */
u64 noise_clock(u64 *interruptions);
/* How many NMIs this CPU has had while their hook was attached, and how long. Interrupts off. */
void noise_nmi_read(u32 *count, u64 *total_ns);
