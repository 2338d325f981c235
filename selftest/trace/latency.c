/*
 * Self-tests of the latency tracers: while one stops, others change the buffers; traceoff; the
 * clock changes in a section; and what counts as the wait of a task that was woken.
 */
#include "arch/cpu/irqflags.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "kernel/tracepoint.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_array.h"

/* ---- a tracer that stops ---- */

static bool batch_begun, end_batch; /* [A] */

/* Keeps the tracer from removing its probes. */
static void hold_a_batch(void *arg __unused, unsigned index __unused)
{
	tracepoint_batch_begin();
	WRITE_ONCE(batch_begun, true);
	while (!READ_ONCE(end_batch))
		msleep(1);
	tracepoint_batch_end();
}

static void stop_tracer(void *arg __unused, unsigned index __unused)
{
	put("current_tracer", "nop");
}

SELFTEST(latency, a_tracer_that_stops_leaves_the_freed_snapshot_alone)
{
	struct test_group holder, stopper;
	unsigned long flags;
	size_t size;

	reset();
	EXPECT_EQ(put("current_tracer", "irqsoff"), 0);
	size = ring_buffer_size(global_trace.buffer, 0);
	WRITE_ONCE(batch_begun, false);
	WRITE_ONCE(end_batch, false);
	ASSERT(test_group_start(&holder, 1, ANY_CPU, hold_a_batch, NULL));
	while (!READ_ONCE(batch_begun))
		msleep(1);
	ASSERT(test_group_start(&stopper, 1, ANY_CPU, stop_tracer, NULL));
	while (READ_ONCE(global_trace.current_trace)->use_max)
		msleep(1);
	EXPECT_EQ(put("snapshot", "0"), 0);
	EXPECT_EQ(put("tracing_max_latency", "0"), 0);
	for (unsigned i = 0; i < num_online_cpus(); i++) {
		ASSERT(run_on_nth_cpu(i));
		local_irq_save(flags); /* a new maximum */
		local_irq_restore(flags);
		EXPECT_EQ(ring_buffer_size(global_trace.buffer, smp_processor_id()), size);
	}
	run_on_any_cpu();
	WRITE_ONCE(end_batch, true);
	test_group_wait(&stopper);
	test_group_wait(&holder);
	reset();
}

/* ---- traceoff ---- */

SELFTEST(latency, no_section_is_reported_after_the_trigger_traceoff)
{
	unsigned long flags;

	reset();
	EXPECT_EQ(put("current_tracer", "irqsoff"), 0);
	tracing_record_off_tr(&global_trace); /* what the trigger does */
	synchronize_rcu();                    /* reports that have begun */
	EXPECT_EQ(put("tracing_max_latency", "0"), 0);
	local_irq_save(flags);
	local_irq_restore(flags);
	EXPECT_EQ(READ_ONCE(global_trace.max.latency), 0);
	reset();
}

/* ---- a clock that changes ---- */

static bool irqs_are_off, irqs_on; /* [A] */

static void keep_irqs_off(void *arg __unused, unsigned index __unused)
{
	unsigned long flags = wait_with_irqs_off(&irqs_are_off, &irqs_on);

	local_irq_restore(flags);
}

SELFTEST(latency, a_section_in_which_the_clock_changes_is_not_reported)
{
	struct test_group group;

	if (num_online_cpus() < 2)
		return; /* the clock changes while the other CPU is in a section */
	reset();
	ASSERT(run_on_nth_cpu(0));
	EXPECT_EQ(put("current_tracer", "irqsoff"), 0);
	WRITE_ONCE(irqs_are_off, false);
	WRITE_ONCE(irqs_on, false);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), keep_irqs_off, NULL));
	while (!READ_ONCE(irqs_are_off))
		cpu_relax();
	EXPECT_EQ(put("trace_clock", "counter"), 0); /* far below the time of the start */
	WRITE_ONCE(irqs_on, true);
	test_group_wait(&group);
	EXPECT((s64)READ_ONCE(global_trace.max.latency) >= 0);
	EXPECT_EQ(put("trace_clock", "local"), 0);
	run_on_any_cpu();
	reset();
}

/* ---- the wait of a task that was woken ---- */

static bool about_to_sleep, go_on, asleep; /* [A] */
static u64 woken_at;

/* A real-time task that is woken before it has left its CPU, and sleeps a moment later. */
static void wake_and_sleep(void *arg __unused, unsigned index __unused)
{
	sched_setscheduler(current, SCHED_FIFO, 50);
	set_current_state(TASK_INTERRUPTIBLE);
	WRITE_ONCE(about_to_sleep, true);
	while (!READ_ONCE(go_on))
		cpu_relax();
	__set_current_state(TASK_RUNNING);
	set_current_state(TASK_INTERRUPTIBLE);
	WRITE_ONCE(asleep, true);
	schedule();
}

static struct trace_max_record last_record(void)
{
	struct trace_max_record record;
	unsigned long flags;

	trace_max_lock(&global_trace, &flags);
	record = global_trace.max.record;
	trace_max_unlock(&global_trace, flags);
	return record;
}

/*
 * Returns the start of the wait that wakeup_rt reports for the task. 0: another task's is longer.
 */
static u64 reported_start(struct selftest *test)
{
	struct trace_max_record record;
	struct task_struct *sleeper;
	struct test_group group;
	pid_t pid;

	WRITE_ONCE(about_to_sleep, false);
	WRITE_ONCE(go_on, false);
	WRITE_ONCE(asleep, false);
	EXPECT(test_group_start(&group, 1, nth_online_cpu(1), wake_and_sleep, NULL));
	sleeper = group.threads[0].task;
	while (!READ_ONCE(about_to_sleep))
		cpu_relax();
	EXPECT(wake_up_process(sleeper)); /* it still runs */
	WRITE_ONCE(go_on, true);
	while (!READ_ONCE(asleep) || READ_ONCE(sleeper->on_cpu) || READ_ONCE(sleeper->on_rq))
		cpu_relax();
	trace_max_clear(&global_trace, true);
	woken_at = ring_buffer_time_stamp(global_trace.buffer);
	pid = sleeper->pid;
	wake_up_process(sleeper);
	test_group_wait(&group);
	record = last_record();
	return record.valid && record.pid == pid ? record.start : 0;
}

SELFTEST(latency, the_wait_of_a_task_begins_when_it_does_not_run)
{
	u64 start;

	if (num_online_cpus() < 2)
		return; /* the task is woken while it runs */
	reset();
	ASSERT(run_on_nth_cpu(0));
	EXPECT_EQ(put("current_tracer", "wakeup_rt"), 0);
	set_rt_throttling(false);
	while (!(start = reported_start(test)))
		;
	set_rt_throttling(true);
	EXPECT((s64)(start - woken_at) >= 0);
	run_on_any_cpu();
	reset();
}
