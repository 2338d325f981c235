/* A self-test of the scheduler's tick with a task that has an address space. */
#include "kernel/sched/runqueue.h"
#include "kernel/time/timer.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

/* A task with an address space, which sleeps again and again before a tick comes. */
static void sleep_as_program(void *arg, unsigned index __unused)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned *found = arg;

	if (!mm)
		return;
	for (unsigned i = 0; i < 1000 && !*found; i++) {
		msleep(1);
		preempt_disable();
		*found = cpu_event_due(CPU_EVENT_TICK, smp_processor_id()) % USER_TICK_NS == 0;
		preempt_enable();
	}
	test_mm_end(mm);
}

/* Else no tick would find such a program: its time would neither be divided nor limited. */
SELFTEST(sched, tick_of_a_program_comes_at_a_time_that_does_not_depend_on_its_wakeup)
{
	unsigned found = 0;

	EXPECT(run_threads(1, nth_online_cpu(1), sleep_as_program, &found));
	EXPECT(found);
}
