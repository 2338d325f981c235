/* Threads for the self-tests: run a function in several threads at once, and wait for all. */
#pragma once

#include "arch/cpu/irqflags.h"
#include "arch/mm/tlb.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define ANY_CPU  (~0U) /* the scheduler's choice */
#define EACH_CPU (~1U) /* thread i is bound to the i-th online CPU, modulo their number */

struct test_group;
struct test_thread {
	struct test_group *group;
	struct task_struct *task; /* referenced until test_group_wait() */
	unsigned index;
};

struct test_group {
	void (*fn)(void *arg, unsigned index);
	void *arg;
	unsigned started;
	atomic_t left;
	struct completion done;
	struct test_thread *threads;
};

/*
 * Starts n threads with fn(arg, 0..n-1). cpu is a CPU, ANY_CPU or EACH_CPU. False when memory is
 * short.
 */
bool test_group_start(struct test_group *group, unsigned n, unsigned cpu,
		      void (*fn)(void *arg, unsigned index), void *arg);
void test_group_wait(struct test_group *group);
/* Starts the threads and waits for them. */
bool run_threads(unsigned n, unsigned cpu, void (*fn)(void *arg, unsigned index), void *arg);

/*
 * One thread that runs fn(arg). The caller gives it to test_task_end(), which waits for its end and
 * returns what fn has returned. NULL: memory is short.
 */
struct task_struct *test_task_start(int (*fn)(void *arg), void *arg, const char *name);
int test_task_end(struct task_struct *task);
/* What a signal does to a task, for a thread: its interruptible waits end with -EINTR. */
void test_task_interrupt(struct task_struct *task);

/*
 * Waits with interrupts off, from before *ready is true until *go is. Returns the flags before.
 *
 * It answers calls and TLB flushes nevertheless: the task that sets *go may be on a CPU where
 * another one, which is not preempted, waits for this answer. It does not answer text_sync_all().
 */
static inline unsigned long wait_with_irqs_off(bool *ready, const bool *go)
{
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(*ready, true);
	while (!READ_ONCE(*go)) {
		generic_smp_call_function_interrupt();
		tlb_flush_interrupt();
		cpu_relax();
	}
	return flags;
}
/* How long a fair task has run, and its virtual time, in ns at one moment. Task context. */
struct task_times {
	u64 real, virtual;
};
struct task_times task_times(struct task_struct *p);
/* True if a grace period of RCU-tasks waits for the task. */
bool is_rcu_tasks_holdout(const struct task_struct *task);
/* The n-th online CPU; n modulo the number of online CPUs. */
unsigned nth_online_cpu(unsigned n);
/* The caller runs on the n-th online CPU only; or on all. False: an error. Task context. */
bool run_on_nth_cpu(unsigned n);
void run_on_any_cpu(void);
/*
 * Off: a FIFO task keeps its CPU however long it runs. With throttling it loses the CPU after 0.95
 * s, and the time in which the host stops a CPU counts. Task context.
 */
void set_rt_throttling(bool on);
/* Pseudo-random numbers that depend only on the seed: the upper bits of an LCG. */
static inline u32 test_random(u32 *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}
