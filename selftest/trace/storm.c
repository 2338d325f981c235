/*
 * The storm over tracing: its tasks, its duration, and the checks at its end.
 *
 *	echo SECONDS > /sys/kernel/debug/ftrace_storm	-EIO after a failure; see the log
 *	echo 'SECONDS GLOB ...' > ...			only the kinds that a GLOB matches
 *	cat /sys/kernel/debug/ftrace_storm		the rounds of each kind in the last storm
 *
 * The self-test does the same for selftest_storm= seconds. While the other tasks run, each task
 * checks that its own ops counted each of its own calls, that calls returned the right values, and
 * that errors are among the allowed ones. This file checks the state after all tasks have ended.
 */
#include "selftest/trace/storm.h"

#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/mutex.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/kernel_task.h"
#include "selftest/selftest.h"
#include "kernel/time/ktime.h"
#include "trace/fgraph/internal.h"
#include "trace/ftrace/internal.h"

#define TASKS_MAX   48U
#define REPORTS_MAX 20 /* failures that are printed */

static struct storm_kind kinds[] = {
	{ .name = "calls", .tasks = 4, .round = storm_calls },
	{ .name = "static ops", .tasks = 2, .round = storm_static_ops },
	{ .name = "dynamic ops", .tasks = 2, .round = storm_dynamic_ops },
	{ .name = "one ops of many",
	  .tasks = 2,
	  .round = storm_one_ops_of_many,
	  .finish = storm_one_ops_finish },
	{ .name = "ipmodify", .tasks = 1, .round = storm_ipmodify },
	{ .name = "direct", .tasks = 1, .round = storm_direct },
	{ .name = "graph ops", .tasks = 2, .round = storm_graph_ops },
	{ .name = "kprobes", .tasks = 2, .round = storm_kprobes },
	{ .name = "uprobes", .tasks = 2, .round = storm_uprobes },
	{ .name = "probe events", .tasks = 2, .round = storm_probe_events },
	{ .name = "nmis", .tasks = 1, .round = storm_nmis },
	{ .name = "verify", .tasks = 1, .round = storm_verify },
	{ .name = "tracers", .tasks = 1, .round = storm_tracers, .finish = storm_files_finish },
	{ .name = "filters", .tasks = 1, .round = storm_filters },
	{ .name = "instances", .tasks = 2, .round = storm_instances },
	{ .name = "probes", .tasks = 2, .round = storm_probes },
	{ .name = "snapshots", .tasks = 1, .round = storm_snapshots },
	{ .name = "stack tracer", .tasks = 1, .round = storm_stack_tracer },
	{ .name = "patched calls", .tasks = 2, .round = storm_livepatch_calls },
	{ .name = "live patch", .tasks = 1, .round = storm_livepatch },
	{ .name = "patch by file",
	  .tasks = 1,
	  .round = storm_livepatch_files,
	  .finish = storm_livepatch_finish },
	{ .name = "event switches",
	  .tasks = 2,
	  .round = storm_event_switches,
	  .finish = storm_event_switches_finish },
	{ .name = "event counts", .tasks = 2, .round = storm_event_counts },
	{ .name = "readers", .tasks = 2, .round = storm_readers },
};

static DEFINE_MUTEX(storm_lock); /* one storm at a time */
static struct storm_task tasks[TASKS_MAX];
static ktime_t end; /* when the tasks are to stop; 0: now */
static atomic_t failures;
static char
	chosen[64]; /* [storm_lock] patterns for names of kinds, each ends with a NUL; "": all */

void storm_fail(const char *fmt, ...)
{
	char what[128];
	va_list args;

	if (atomic_inc_return(&failures) > REPORTS_MAX)
		return;
	va_start(args, fmt);
	vscnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	pr_err("ftrace_storm: %s: %s\n", current->comm, what);
}

bool storm_result(struct storm_task *task, const char *what, long result, const short *mayfail,
		  unsigned count)
{
	if (result >= 0)
		return true;
	atomic64_inc(&task->kind->refused);
	for (unsigned i = 0; i < count; i++)
		if (mayfail[i] == result)
			return false;
	storm_fail("%s: error %ld", what, result);
	return false;
}

static int storm_thread(void *arg)
{
	struct storm_task *task = arg;

	do {
		task->kind->round(task);
		atomic64_inc(&task->kind->rounds);
		cond_resched();
	} while (ktime_get() < READ_ONCE(end));
	return 0;
}

static bool is_chosen(const struct storm_kind *kind)
{
	const char *pattern = chosen;

	if (!*pattern)
		return true;
	for (; *pattern; pattern += strlen(pattern) + 1)
		if (glob_match(pattern, kind->name))
			return true;
	return false;
}

/* Waits for a child. A signal to the waiting task ends the storm. */
static void wait_for(pid_t pid)
{
	while (kernel_wait4(pid, NULL, 0) == -EINTR) {
		WRITE_ONCE(end, 0);
		flush_signals(current);
	}
}

/* Begins a task as soon as there is memory for it: other loads may have it for a while. */
static pid_t begin_task(struct storm_task *task)
{
	pid_t pid;

	while ((pid = kernel_thread(storm_thread, task, task->kind->name)) == -ENOMEM)
		msleep(1);
	return pid;
}

static void run_tasks(void)
{
	pid_t pids[TASKS_MAX];
	unsigned n = 0;

	storm_files_begin();
	for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
		atomic64_set(&kinds[k].rounds, 0);
		atomic64_set(&kinds[k].refused, 0);
		for (unsigned i = 0; i < kinds[k].tasks && is_chosen(&kinds[k]); i++) {
			tasks[n] = (struct storm_task){ &kinds[k], i, n + 1 };
			pids[n] = begin_task(&tasks[n]);
			if (pids[n] < 0)
				storm_fail("no task: error %d", pids[n]);
			else
				n++;
		}
	}
	while (n)
		wait_for(pids[--n]);
	for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++)
		if (kinds[k].finish)
			kinds[k].finish();
}

/* Checks that each kind did a round, and that no site is traced any more. */
static void check_end(void)
{
	for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++)
		if (is_chosen(&kinds[k]) && !atomic64_read(&kinds[k].rounds))
			storm_fail("%s: did not complete a round", kinds[k].name);
	STORM_EXPECT(!ftrace_is_dead());
	STORM_EXPECT(ftrace_verify(NULL, NULL) == 0);
	for (unsigned i = 0; i < ftrace_record_count(); i++)
		if (ftrace_record(i)->flags & ~FTRACE_FL_HISTORY)
			storm_fail("%ps is still traced",
				   (void *)ftrace_record_ip(ftrace_record(i)));
	STORM_EXPECT(fgraph_unmatched_frames() == 0);
}

struct storm_order {
	unsigned long seconds;
	const char *patterns; /* words */
};

/* chosen has room for one NUL more at the end, which stays 0. */
static void choose(const char *patterns)
{
	strscpy(chosen, patterns, sizeof(chosen) - 1);
	for (char *at = chosen; *at; at++)
		if (*at == ' ')
			*at = '\0';
}

/* Runs a storm. Returns 0, -EBUSY if one is already running, -EIO after a failure. Task context. */
static int storm(const struct storm_order *order)
{
	if (!mutex_trylock(&storm_lock))
		return -EBUSY;
	memset(chosen, 0, sizeof(chosen));
	choose(order->patterns);
	atomic_set(&failures, 0);
	WRITE_ONCE(end, ktime_get() + order->seconds * NSEC_PER_SEC);
	run_tasks();
	check_end();
	mutex_unlock(&storm_lock);
	return atomic_read(&failures) ? -EIO : 0;
}

/* ---- the self-test ---- */

static unsigned long storm_seconds = 2;

static int __init storm_seconds_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &storm_seconds) : -EINVAL;
}
__setup("selftest_storm", storm_seconds_setup);

SELFTEST(ftrace_storm, everything_at_once_leaves_every_site_matching_its_record)
{
	const struct storm_order order = { storm_seconds, "" };

	EXPECT_EQ(storm(&order), 0);
	for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++)
		selftest_diag(test, "%s: %ld rounds, %ld refused", kinds[k].name,
			      atomic64_read(&kinds[k].rounds), atomic64_read(&kinds[k].refused));
	/* Other tests expect no flags. */
	for (unsigned i = 0; i < ftrace_record_count(); i++)
		ftrace_record(i)->flags &= (u32)~FTRACE_FL_MODIFIED;
}

/* ---- the file ---- */

static int storm_show(struct seq_file *m, void *unused __unused)
{
	for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++)
		seq_printf(m, "%s: %ld rounds, %ld refused\n", kinds[k].name,
			   atomic64_read(&kinds[k].rounds), atomic64_read(&kinds[k].refused));
	seq_printf(m, "failures: %d\n%s\n", atomic_read(&failures),
		   mutex_owner(&storm_lock) ? "running" : "over");
	return 0;
}

static int storm_open(struct inode *inode __unused, struct file *file)
{
	return single_open(file, storm_show, NULL);
}

static int storm_of(void *order)
{
	return storm(order);
}

static ssize_t storm_write(struct file *file __unused, const char *buf, size_t count, loff_t *pos)
{
	char words[sizeof(chosen) + 16], *patterns;
	struct storm_order order;
	int error;

	if (count >= sizeof(words))
		return -EINVAL;
	memcpy(words, buf, count);
	words[count] = '\0';
	patterns = strchr(strim(words), ' ');
	if (patterns)
		*patterns++ = '\0';
	order.patterns = patterns ? patterns : "";
	error = kstrtoul(words, 10, &order.seconds);
	if (!error)
		error = order.seconds > 24UL * 3600 ? -EINVAL
						    : run_in_kernel_task(storm_of, &order);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations storm_fops = {
	.open = storm_open,
	.read = seq_read,
	.write = storm_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init storm_init(void)
{
	debugfs_create_file("ftrace_storm", 0600, NULL, NULL, &storm_fops);
	return 0;
}
device_initcall(storm_init);
