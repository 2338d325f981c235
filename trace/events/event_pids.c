/*
 * set_event_pid and set_event_notrace_pid choose the tasks whose events are recorded. With the
 * option event-fork the children of a task follow it (Documentation/trace/events.rst).
 *
 * Each CPU has a flag that says whether its events are ignored. It changes at a task switch. Two
 * kinds of events belong to two tasks, and are recorded if one of them is chosen: a switch, and a
 * wake-up. So the flag changes before such an event, and again after it: the probes that do it have
 * the highest and the lowest priority.
 */
#include "kernel/init.h"
#include "trace/events/event_pids.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched_events.h"
#include "kernel/smp.h"
#include "trace/core/files.h"

#define PRIO_BEFORE INT32_MAX /* the recording probes have TRACEPOINT_DEFAULT_PRIO */
#define PRIO_AFTER  0

static struct trace_flag event_fork = { .name = "event-fork", .changed = pid_filter_fork_changed };

static struct event_pids *pids_of(struct trace_array *tr)
{
	return trace_events_of(tr)->pids;
}

/* ---- probes: any context, preemption off ---- */

static bool is_ignored(const struct event_pids *pids)
{
	return READ_ONCE(pids->ignore[smp_processor_id()]);
}

static void set_ignored(struct event_pids *pids, bool ignore)
{
	WRITE_ONCE(pids->ignore[smp_processor_id()], ignore);
}

static void before_switch(void *data, bool preempt __unused, struct task_struct *prev,
			  struct task_struct *next, unsigned prev_state __unused)
{
	struct event_pids *pids = data;

	set_ignored(pids, pid_filter_ignores(&pids->filter, prev) &&
				  pid_filter_ignores(&pids->filter, next));
}

static void after_switch(void *data, bool preempt __unused, struct task_struct *prev __unused,
			 struct task_struct *next, unsigned prev_state __unused)
{
	struct event_pids *pids = data;

	set_ignored(pids, pid_filter_ignores(&pids->filter, next));
}

static void before_wakeup(void *data, struct task_struct *p)
{
	struct event_pids *pids = data;

	if (is_ignored(pids))
		set_ignored(pids, pid_filter_ignores(&pids->filter, p));
}

static void after_wakeup(void *data, struct task_struct *p __unused)
{
	struct event_pids *pids = data;

	if (!is_ignored(pids))
		set_ignored(pids, pid_filter_ignores(&pids->filter, current));
}

static void choose_on_this_cpu(void *data)
{
	struct event_pids *pids = data;

	set_ignored(pids, pid_filter_ignores(&pids->filter, current));
}

/* ---- E held ---- */

static const struct {
	struct tracepoint *tp;
	void *probe;
	int prio;
} pid_probes[] = {
	{ &__tracepoint_sched_switch, (void *)before_switch, PRIO_BEFORE },
	{ &__tracepoint_sched_switch, (void *)after_switch, PRIO_AFTER },
	{ &__tracepoint_sched_waking, (void *)before_wakeup, PRIO_BEFORE },
	{ &__tracepoint_sched_waking, (void *)after_wakeup, PRIO_AFTER },
	{ &__tracepoint_sched_wakeup, (void *)before_wakeup, PRIO_BEFORE },
	{ &__tracepoint_sched_wakeup, (void *)after_wakeup, PRIO_AFTER },
	{ &__tracepoint_sched_wakeup_new, (void *)before_wakeup, PRIO_BEFORE },
	{ &__tracepoint_sched_wakeup_new, (void *)after_wakeup, PRIO_AFTER },
};

/* Removes the first `count` probes. */
static void remove_probes(struct event_pids *pids, size_t count)
{
	tracepoint_batch_begin();
	while (count-- > 0)
		(void)tracepoint_probe_unregister(pid_probes[count].tp, pid_probes[count].probe,
						  pids);
	(void)tracepoint_batch_end();
	pids->probes = false;
}

/* Adds all probes or none. They change nothing while no list is in use. */
static int add_probes(struct event_pids *pids)
{
	size_t count = 0;
	int error = 0, batch_error;

	if (pids->probes)
		return 0;
	tracepoint_batch_begin();
	for (; count < ARRAY_SIZE(pid_probes) && !error; count += !error)
		error = tracepoint_probe_register(pid_probes[count].tp, pid_probes[count].probe,
						  pids, pid_probes[count].prio);
	batch_error = tracepoint_batch_end();
	if (error || batch_error)
		remove_probes(pids, count);
	else
		pids->probes = true;
	return error ? error : batch_error;
}

/* Makes all CPUs and all files of tr follow the lists. */
static void apply_lists(struct trace_array *tr)
{
	struct event_pids *pids = pids_of(tr);
	bool active = pid_filter_active(&pids->filter);
	struct trace_event_file *file;

	if (!active && pids->probes)
		remove_probes(pids, ARRAY_SIZE(pid_probes));
	on_each_cpu(choose_on_this_cpu, pids, true);
	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (active)
			__atomic_fetch_or(&file->flags, EVENT_FILE_FL_PID_FILTER, __ATOMIC_SEQ_CST);
		else
			__atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_PID_FILTER,
					   __ATOMIC_SEQ_CST);
}

int event_pids_create(struct trace_array *tr)
{
	struct event_pids *pids =
		kzalloc(sizeof(*pids) + nr_cpu_ids * sizeof(pids->ignore[0]), GFP_KERNEL);

	if (!pids)
		return -ENOMEM;
	pid_filter_init(&pids->filter, tr, &event_fork);
	trace_events_of(tr)->pids = pids;
	return 0;
}

void event_pids_detach(struct trace_array *tr)
{
	pid_list_clear(&pids_of(tr)->filter.only);
	pid_list_clear(&pids_of(tr)->filter.never);
	apply_lists(tr);
}

void event_pids_free(struct event_pids *pids)
{
	if (!pids)
		return;
	pid_filter_exit(&pids->filter);
	kfree(pids);
}

/* ---- the files ---- */

static int pid_show(struct seq_file *m, void *v __unused)
{
	pid_list_show(m, m->private);
	return 0;
}

static int pid_open(struct file *file, struct pid_list *list)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&event_mutex);
		pid_list_clear(list);
		apply_lists(trace_file_tr(file));
		mutex_unlock(&event_mutex);
	}
	return single_open(file, pid_show, list);
}

static ssize_t pid_write(struct file *file, struct pid_list *list, const char *buf, size_t count,
			 loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	int error;

	mutex_lock(&event_mutex);
	error = add_probes(pids_of(tr));
	if (!error) {
		error = pid_list_write(list, buf, count);
		apply_lists(tr);
	}
	mutex_unlock(&event_mutex);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int event_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &pids_of(trace_file_tr(file))->filter.only);
}

static int event_notrace_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &pids_of(trace_file_tr(file))->filter.never);
}

static ssize_t event_pid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return pid_write(file, &pids_of(trace_file_tr(file))->filter.only, buf, count, pos);
}

static ssize_t event_notrace_pid_write(struct file *file, const char *buf, size_t count,
				       loff_t *pos)
{
	return pid_write(file, &pids_of(trace_file_tr(file))->filter.never, buf, count, pos);
}

static const struct file_operations event_pid_fops = {
	.open = event_pid_open,
	.read = seq_read,
	.write = event_pid_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations event_notrace_pid_fops = {
	.open = event_notrace_pid_open,
	.read = seq_read,
	.write = event_notrace_pid_write,
	.llseek = seq_lseek,
	.release = single_release,
};

TRACE_FILE(set_event_pid, 0640, &event_pid_fops);
TRACE_FILE(set_event_notrace_pid, 0640, &event_notrace_pid_fops);

static int __init event_pids_init(void)
{
	return register_trace_flag(&event_fork);
}
core_initcall(event_pids_init);
