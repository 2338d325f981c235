/* Threads for the self-tests: run a function in several at once and wait for all. */
#pragma once

#include "kernel/sched/kthread.h"
#include "kernel/time/ktime.h"

#define ANY_CPU  (~0U) /* the scheduler's choice */
#define EACH_CPU (~1U) /* thread i is bound to the i-th online CPU, round and round */

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
 * Start n threads with fn(arg, 0..n-1) on a CPU, or as ANY_CPU or EACH_CPU say. False when memory
 * is short.
 */
bool test_group_start(struct test_group *group, unsigned n, unsigned cpu,
		      void (*fn)(void *arg, unsigned index), void *arg);
void test_group_wait(struct test_group *group);
/* Both. */
bool run_threads(unsigned n, unsigned cpu, void (*fn)(void *arg, unsigned index), void *arg);

/* The n-th online CPU, counted round. */
unsigned nth_online_cpu(unsigned n);
/*
 * A sequence of numbers that depends on the seed alone (a linear congruential generator's upper
 * half).
 */
static inline u32 test_random(u32 *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}
