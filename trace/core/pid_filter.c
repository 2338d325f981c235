/* Lists of PIDs: changed by writes to their files, and by tasks that start and end. */
#include "trace/core/pid_filter.h"

#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rculist.h"

static DEFINE_MUTEX(pid_filter_mutex); /* F */
static LIST_HEAD(pid_filters);         /* [F] to write, RCU to read: struct pid_filter */

/* [F] A list before a write and after it. */
static DECLARE_BITMAP(old_pids, PID_NUMBERS);
static DECLARE_BITMAP(new_pids, PID_NUMBERS);
static struct pids_absent new_absent;

/* ---- tasks that start and end; they are [A] in all lists ---- */

static bool follows_forks(const struct pid_filter *filter)
{
	return READ_ONCE(filter->tr->trace_flags) & filter->fork->mask;
}

static void list_follow_fork(struct pid_list *list, unsigned parent, unsigned child)
{
	if (test_bit(parent, list->pids))
		set_bit(child, list->pids);
}

static void follow_fork(struct task_struct *parent, struct task_struct *child)
{
	unsigned parent_pid = (unsigned)parent->pid, child_pid = (unsigned)child->pid;
	struct pid_filter *filter;

	preempt_disable_notrace();
	list_for_each_entry_rcu (filter, &pid_filters, list) {
		if (!follows_forks(filter))
			continue;
		list_follow_fork(&filter->only, parent_pid, child_pid);
		list_follow_fork(&filter->never, parent_pid, child_pid);
	}
	preempt_enable_notrace();
}

/* Forgets the PID of a task that has ended, because another task may get the same PID. */
static void follow_exit(struct task_struct *task)
{
	struct pid_filter *filter;

	preempt_disable_notrace();
	list_for_each_entry_rcu (filter, &pid_filters, list) {
		if (!follows_forks(filter))
			continue;
		clear_bit((unsigned)task->pid, filter->only.pids);
		clear_bit((unsigned)task->pid, filter->never.pids);
	}
	preempt_enable_notrace();
}

/* F held. */
static void update_hooks(void)
{
	struct pid_filter *filter;
	bool on = false;

	list_for_each_entry (filter, &pid_filters, list)
		on = on || follows_forks(filter);
	WRITE_ONCE(task_fork_hook, on ? follow_fork : NULL);
	WRITE_ONCE(task_exit_hook, on ? follow_exit : NULL);
}

void pid_filter_fork_changed(struct trace_array *changed __unused, bool enabled __unused)
{
	mutex_lock(&pid_filter_mutex);
	update_hooks();
	mutex_unlock(&pid_filter_mutex);
}

/* ---- filters ---- */

void pid_filter_init(struct pid_filter *filter, struct trace_array *tr,
		     const struct trace_flag *fork)
{
	filter->tr = tr;
	filter->fork = fork;
	mutex_lock(&pid_filter_mutex);
	list_add_tail_rcu(&filter->list, &pid_filters);
	mutex_unlock(&pid_filter_mutex);
}

void pid_filter_exit(struct pid_filter *filter)
{
	mutex_lock(&pid_filter_mutex);
	list_del_rcu(&filter->list);
	update_hooks();
	mutex_unlock(&pid_filter_mutex);
	synchronize_rcu();
}

/* ---- files ---- */

/*
 * Adds the PIDs in which new_pids differs from old_pids, and changes no other PID, because tasks
 * start and end at the same time. F held.
 */
static void change_list(struct pid_list *list)
{
	for (unsigned i = 0; i < ARRAY_SIZE(new_pids); i++) {
		unsigned long added = new_pids[i] & ~old_pids[i];

		if (added)
			__atomic_fetch_or(&list->pids[i], added, __ATOMIC_RELAXED);
	}
}

static bool is_empty(const struct pid_list *list)
{
	return !list->absent.count && find_next_bit(list->pids, PID_NUMBERS, 0) == PID_NUMBERS;
}

int pid_list_write(struct pid_list *list, const char *text, size_t count)
{
	int error;

	mutex_lock(&pid_filter_mutex);
	memcpy(old_pids, list->pids, sizeof(old_pids));
	memcpy(new_pids, old_pids, sizeof(new_pids));
	new_absent = list->absent;
	error = pid_list_parse(new_pids, &new_absent, text, count);
	if (!error) {
		change_list(list);
		list->absent = new_absent;
		WRITE_ONCE(list->active, !is_empty(list));
	}
	mutex_unlock(&pid_filter_mutex);
	return error;
}

void pid_list_clear(struct pid_list *list)
{
	mutex_lock(&pid_filter_mutex);
	WRITE_ONCE(list->active, false);
	list->absent.count = 0;
	memset(list->pids, 0, sizeof(list->pids));
	if (READ_ONCE(task_fork_hook)) {
		/* A fork may have seen its parent in the list, and adds the child only now. */
		synchronize_rcu();
		memset(list->pids, 0, sizeof(list->pids));
	}
	mutex_unlock(&pid_filter_mutex);
}

void pid_list_show(struct seq_file *m, const struct pid_list *list)
{
	unsigned pid = find_next_bit(list->pids, PID_NUMBERS, 0);

	for (; pid < PID_NUMBERS; pid = find_next_bit(list->pids, PID_NUMBERS, pid + 1))
		seq_printf(m, "%u\n", pid);
	mutex_lock(&pid_filter_mutex);
	for (unsigned i = 0; i < list->absent.count; i++)
		seq_printf(m, "%u\n", list->absent.pids[i]);
	mutex_unlock(&pid_filter_mutex);
}
