/*
 * Self-tests of a trace_array that several CPUs change or read at once: tracing_on and snapshots,
 * the counts of traceoff, PID lists and new tasks, two readers of one snapshot, options and a dump.
 */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "selftest/lib/files.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/options.h"
#include "trace/core/snapshot.h"
#include "trace/core/write.h"
#include "trace/ftrace/ftrace.h"
#include "trace/tracers/function/function.h"

/* ---- tracing_on and snapshots ---- */

#define ON_OFF_ROUNDS selftest_rounds(1000000U)

static bool stop_snapshots; /* [A] */

static void take_snapshots(void *tr, unsigned index __unused)
{
	while (!READ_ONCE(stop_snapshots))
		tracing_snapshot_tr(tr);
}

SELFTEST(trace, tracing_on_keeps_its_value_while_snapshots_are_taken)
{
	struct test_group group;
	unsigned lost = 0;

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	reset();
	EXPECT_EQ(put("snapshot", "1"), 0);
	WRITE_ONCE(stop_snapshots, false);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), take_snapshots, &global_trace));
	for (unsigned i = 0; i < ON_OFF_ROUNDS; i++) {
		bool on = i & 1;

		mutex_lock(&trace_types_lock);
		tracing_set_on(&global_trace, on);
		mutex_unlock(&trace_types_lock);
		for (unsigned n = 0; n < 3; n++)
			lost += tracing_is_on_tr(&global_trace) != on;
	}
	WRITE_ONCE(stop_snapshots, true);
	test_group_wait(&group);
	EXPECT_EQ(lost, 0U);
	EXPECT_EQ(put("snapshot", "0"), 0);
	reset();
}

#define SNAPSHOT_ROUNDS selftest_rounds(200000U)

SELFTEST(trace, a_snapshot_of_one_instance_does_not_serve_for_another)
{
	struct trace_buffer *before;
	struct trace_array *other;
	struct test_group group;
	unsigned lost = 0;

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	reset();
	EXPECT_EQ(do_mkdirat(AT_FDCWD, TRACING "instances/other", 0755), 0);
	EXPECT_EQ(put("snapshot", "1"), 0);
	EXPECT_EQ(put("instances/other/snapshot", "1"), 0);
	WRITE_ONCE(stop_snapshots, false);
	mutex_lock(&trace_types_lock);
	other = trace_array_find("other");
	mutex_unlock(&trace_types_lock);
	before = READ_ONCE(other->buffer);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), take_snapshots, other));
	while (READ_ONCE(other->buffer) == before)
		cpu_relax();
	for (unsigned i = 0; i < SNAPSHOT_ROUNDS; i++) {
		before = READ_ONCE(global_trace.buffer);
		tracing_snapshot_tr(&global_trace);
		lost += READ_ONCE(global_trace.buffer) == before;
	}
	WRITE_ONCE(stop_snapshots, true);
	test_group_wait(&group);
	EXPECT_EQ(lost, 0U);
	EXPECT_EQ(do_rmdirat(AT_FDCWD, TRACING "instances/other"), 0);
	EXPECT_EQ(put("snapshot", "0"), 0);
	reset();
}

#define WRITE_NS (10 * NSEC_PER_MSEC)

static bool entry_begun, stopped; /* [A] */
static bool entry_was_late;       /* stopped was true before the entry was complete */

static void write_an_entry_slowly(void *arg __unused, unsigned index __unused)
{
	struct trace_buffer *buffer;
	struct print_entry *entry;
	ktime_t start;

	preempt_disable();
	entry = trace_buffer_lock_reserve(&global_trace, TRACE_PRINT, sizeof(*entry) + 1,
					  tracing_gen_ctx_dec(1), &buffer);
	WRITE_ONCE(entry_begun, true);
	start = ktime_get();
	while (ktime_get() - start < WRITE_NS)
		cpu_relax();
	entry_was_late = READ_ONCE(stopped);
	if (entry) {
		entry->ip = 0;
		entry->buf[0] = '\0';
		trace_buffer_unlock_commit(buffer);
	}
	preempt_enable();
}

SELFTEST(trace, no_entry_is_completed_after_a_write_of_0_to_tracing_on)
{
	struct cpumask here = { { 0 } };
	struct test_group group;

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	cpumask_set_cpu(nth_online_cpu(0), &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	reset();
	entry_begun = stopped = false;
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), write_an_entry_slowly, NULL));
	while (!READ_ONCE(entry_begun))
		yield();
	EXPECT_EQ(put("tracing_on", "0"), 0);
	WRITE_ONCE(stopped, true);
	test_group_wait(&group);
	EXPECT(!entry_was_late);
	reset();
	set_cpus_allowed(current, &cpu_possible_mask);
}

/* ---- PID lists and new tasks ---- */

#define FORK_PARENT 30000
#define FORK_CHILD  30001
#define FORK_ROUNDS selftest_rounds(300U)
#define PID_WORDS   600U

static bool stop_writing; /* [A] */
static char many_pids[PID_WORDS * 5 + 1];

static void write_pids(void *arg __unused, unsigned index __unused)
{
	while (!READ_ONCE(stop_writing))
		put_mode("set_ftrace_pid", many_pids, strlen(many_pids), O_APPEND);
}

SELFTEST(trace, a_child_stays_in_set_ftrace_pid_while_the_file_is_written)
{
	struct task_struct *parent = kzalloc(sizeof(*parent), GFP_KERNEL);
	struct task_struct *child = kzalloc(sizeof(*child), GFP_KERNEL);
	struct test_group group;
	unsigned lost = 0, stayed = 0;
	size_t length = 0;

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	ASSERT(parent && child);
	parent->pid = FORK_PARENT;
	child->pid = FORK_CHILD;
	for (unsigned i = 0; i < PID_WORDS; i++)
		length += (size_t)scnprintf(many_pids + length, sizeof(many_pids) - length, "%u ",
					    20000 + i % 8);
	reset();
	EXPECT_EQ(put("options/function-fork", "1"), 0);
	EXPECT_EQ(put("set_ftrace_pid", "30000"), 0);
	WRITE_ONCE(stop_writing, false);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), write_pids, NULL));
	for (unsigned i = 0; i < FORK_ROUNDS; i++) {
		task_fork_hook(parent, child);
		put_mode("set_ftrace_pid", "20000", 5,
			 O_APPEND); /* waits until a running write ends */
		lost += !strstr(get("set_ftrace_pid"), "\n30001\n");
		task_exit_hook(child);
		put_mode("set_ftrace_pid", "20000", 5, O_APPEND);
		stayed += !!strstr(get("set_ftrace_pid"), "\n30001\n");
	}
	WRITE_ONCE(stop_writing, true);
	test_group_wait(&group);
	EXPECT_EQ(lost, 0U);
	EXPECT_EQ(stayed, 0U);
	EXPECT_EQ(put("set_ftrace_pid", ""), 0);
	EXPECT_EQ(put("options/function-fork", "0"), 0);
	kfree(parent);
	kfree(child);
	reset();
}

/* ---- two readers of one snapshot ---- */

#define PART 61U /* bytes of one read: less than a line and a half */

static long read_part(struct file *file, char *to, size_t used)
{
	size_t room = TRACE_TEXT_SIZE - 1 - used;

	return file_read(file, to + used, min(room, (size_t)PART));
}

SELFTEST(trace, two_readers_of_a_snapshot_read_the_same_graph)
{
	char *texts[2] = { kzalloc(TRACE_TEXT_SIZE, GFP_KERNEL),
			   kzalloc(TRACE_TEXT_SIZE, GFP_KERNEL) };
	size_t used[2] = { 0, 0 };
	struct file *files[2];
	long length;

	ASSERT(texts[0] && texts[1]);
	reset();
	EXPECT_EQ(put("set_ftrace_filter", "vfs_* path_* seq_* do_* mutex_*"), 0);
	EXPECT_EQ(put("current_tracer", "function_graph"), 0);
	for (unsigned i = 0; i < 4; i++)
		get("tracing_cpumask");
	EXPECT_EQ(put("tracing_on", "0"), 0);
	EXPECT_EQ(put("snapshot", "1"), 0);
	EXPECT_EQ(put("current_tracer", "nop"), 0); /* it does not print the entries itself */
	get("snapshot");
	EXPECT(strstr(text, "();\n"));
	for (unsigned i = 0; i < 2; i++)
		files[i] = file_open(TRACING "snapshot", O_RDONLY);
	/* The second reader starts when the first one has read a part. */
	for (unsigned n = 0; n < 12; n++)
		used[0] += (size_t)read_part(files[0], texts[0], used[0]);
	do {
		length = 0;
		for (unsigned i = 0; i < 2; i++) {
			long part = read_part(files[i], texts[i], used[i]);

			ASSERT(part >= 0);
			used[i] += (size_t)part;
			length += part;
		}
	} while (length);
	for (unsigned i = 0; i < 2; i++) {
		fput(files[i]);
		if (strcmp(texts[i], text) != 0)
			selftest_diag(test, "reader %u: %s\nalone: %s", i, texts[i], text);
		EXPECT(strcmp(texts[i], text) == 0);
		kfree(texts[i]);
	}
	EXPECT_EQ(put("snapshot", "0"), 0);
	reset();
}

/* ---- grace periods and trace_types_lock ---- */

static bool stop_spinning; /* [A] */
static bool spinning;      /* [A] */

/* RCU-tasks waits for this task: it neither sleeps nor enters user mode. */
static void spin(void *arg __unused, unsigned index __unused)
{
	WRITE_ONCE(spinning, true);
	while (!READ_ONCE(stop_spinning))
		cpu_relax();
}

static void stop_tracer(void *arg __unused, unsigned index __unused)
{
	put("current_tracer", "nop");
}

SELFTEST(trace, files_work_while_current_tracer_waits_for_a_grace_period)
{
	struct test_group spinner, stopper;
	bool free;

	if (num_online_cpus() < 2)
		return; /* the spinner would take the only CPU */
	reset();
	EXPECT_EQ(put("current_tracer", "function"), 0);
	WRITE_ONCE(stop_spinning, false);
	WRITE_ONCE(spinning, false);
	ASSERT(test_group_start(&spinner, 1, nth_online_cpu(1), spin, NULL));
	while (!READ_ONCE(spinning))
		msleep(1);
	ASSERT(test_group_start(&stopper, 1, nth_online_cpu(0), stop_tracer, NULL));
	/* It sleeps with its ops unregistered: in the grace period, which waits for the spinner. */
	while (function_trace_ops(&global_trace)->flags & FTRACE_OPS_FL_ENABLED ||
	       !READ_ONCE(stopper.threads[0].task->__state) ||
	       !is_rcu_tasks_holdout(spinner.threads[0].task))
		msleep(1);
	free = mutex_trylock(&trace_types_lock);
	if (free)
		mutex_unlock(&trace_types_lock);
	EXPECT(free);
	EXPECT(!completion_done(&stopper.done));
	WRITE_ONCE(stop_spinning, true);
	test_group_wait(&stopper);
	test_group_wait(&spinner);
	reset();
}
