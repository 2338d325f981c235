/* Mutexes on the host, for tests with one task. Locking a locked mutex fails the test: it would wait for ever. */
#pragma once

#include "kernel/sched/mutex.h"

DEFINE_PER_CPU(u32, __preempt_count);
DEFINE_PER_CPU(bool, host_irqs_off);

void __mutex_init(struct mutex *m)
{
	m->owner = 0;
}

void mutex_lock(struct mutex *m)
{
	assert_int_equal(m->owner, 0);
	m->owner = 1;
}

void mutex_unlock(struct mutex *m)
{
	assert_int_equal(m->owner, 1);
	m->owner = 0;
}
