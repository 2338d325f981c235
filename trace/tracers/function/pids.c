/*
 * set_ftrace_pid and set_ftrace_notrace_pid choose the tasks that are traced. With the option
 * function-fork the children of a task follow it.
 */
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/pid_list.h"
#include "trace/ftrace/internal.h"
#include "trace/tracers/function/internal.h"

struct function_pid_list {
	bool active;                       /* [T] to write: the file has listed a PID */
	DECLARE_BITMAP(pids, PID_NUMBERS); /* [A] */
};

struct function_pids {
	struct function_pid_list only, never; /* set_ftrace_pid, set_ftrace_notrace_pid */
};

/* [T] A list before a write and after it. */
static DECLARE_BITMAP(old_pids, PID_NUMBERS);
static DECLARE_BITMAP(new_pids, PID_NUMBERS);

static bool is_filtered(const struct function_pids *pids)
{
	return READ_ONCE(pids->only.active) || READ_ONCE(pids->never.active);
}

void function_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	const struct trace_array *tr = op->private;
	bool ignore;

	preempt_disable();
	ignore = READ_ONCE(tr->cpus[smp_processor_id()].ignore_pid);
	preempt_enable();
	if (!ignore)
		op->saved_func(ip, parent_ip, op, fregs);
}

/* Decides for each trace_array whether this CPU, which runs next from now on, ignores its task. */
static void choose_ignored(const struct task_struct *next)
{
	unsigned pid = (unsigned)next->pid % PID_NUMBERS, cpu = smp_processor_id();
	struct trace_array *tr;

	for_each_trace_array(tr)
	{
		const struct function_pids *pids = function_of(tr)->pids;
		bool ignore = (READ_ONCE(pids->only.active) && !test_bit(pid, pids->only.pids)) ||
			      (READ_ONCE(pids->never.active) && test_bit(pid, pids->never.pids));

		WRITE_ONCE(tr->cpus[cpu].ignore_pid, ignore);
	}
}

static void pids_switch(struct task_struct *prev __unused, struct task_struct *next)
{
	choose_ignored(next);
}

static struct sched_switch_hook pids_hook = { .fn = pids_switch };

static void choose_on_this_cpu(void *info __unused)
{
	choose_ignored(current);
}

/* Applies a change of the lists. T held. */
static void update_pids(void)
{
	struct trace_array *tr;
	bool active = false;

	for_each_trace_array(tr) active = active || is_filtered(function_of(tr)->pids);
	sched_switch_hook_set(&pids_hook, active);
	on_each_cpu(choose_on_this_cpu, NULL, true);
	for_each_trace_array(tr)
		ftrace_filter_pids(function_trace_ops(tr), is_filtered(function_of(tr)->pids));
}

static void empty_list(struct function_pid_list *list)
{
	WRITE_ONCE(list->active, false);
	memset(list->pids, 0, sizeof(list->pids));
	if (!READ_ONCE(task_fork_hook))
		return;
	/* A fork may have seen its parent in the list, and adds the child only now. */
	synchronize_rcu();
	memset(list->pids, 0, sizeof(list->pids));
}

/* ---- function-fork ---- */

static void function_fork_changed(struct trace_array *tr, bool enabled);

static struct trace_flag function_fork = { .name = "function-fork",
					   .changed = function_fork_changed };

static void list_follow_fork(struct function_pid_list *list, unsigned parent, unsigned child)
{
	if (test_bit(parent, list->pids))
		set_bit(child, list->pids);
}

static void pid_follow_fork(struct task_struct *parent, struct task_struct *child)
{
	unsigned parent_pid = (unsigned)parent->pid, child_pid = (unsigned)child->pid;
	struct trace_array *tr;

	preempt_disable();
	for_each_trace_array(tr)
	{
		struct function_pids *pids = function_of(tr)->pids;

		if (!(READ_ONCE(tr->trace_flags) & function_fork.mask))
			continue;
		list_follow_fork(&pids->only, parent_pid, child_pid);
		list_follow_fork(&pids->never, parent_pid, child_pid);
	}
	preempt_enable();
}

/* Forgets the PID of a task that ends, because another task may get the same PID. */
static void pid_follow_exit(struct task_struct *task)
{
	struct trace_array *tr;

	preempt_disable();
	for_each_trace_array(tr)
	{
		struct function_pids *pids = function_of(tr)->pids;

		if (!(READ_ONCE(tr->trace_flags) & function_fork.mask))
			continue;
		clear_bit((unsigned)task->pid, pids->only.pids);
		clear_bit((unsigned)task->pid, pids->never.pids);
	}
	preempt_enable();
}

/* T held. */
static void function_fork_changed(struct trace_array *changed __unused, bool enabled __unused)
{
	struct trace_array *tr;
	bool on = false;

	for_each_trace_array(tr) on = on || (tr->trace_flags & function_fork.mask);
	WRITE_ONCE(task_fork_hook, on ? pid_follow_fork : NULL);
	WRITE_ONCE(task_exit_hook, on ? pid_follow_exit : NULL);
}

/* ---- creation and removal of a trace_array ---- */

int function_pids_create(struct function_tracer *f)
{
	f->pids = kzalloc(sizeof(*f->pids), GFP_KERNEL);
	return f->pids ? 0 : -ENOMEM;
}

void function_pids_detach(struct trace_array *tr)
{
	struct function_pids *pids = function_of(tr)->pids;

	mutex_lock(&trace_types_lock);
	set_tracer_flag(tr, function_fork.mask, false);
	empty_list(&pids->only);
	empty_list(&pids->never);
	update_pids();
	mutex_unlock(&trace_types_lock);
}

/* ---- the files ---- */

static bool is_empty(const struct function_pid_list *list)
{
	return find_next_bit(list->pids, PID_NUMBERS, 0) == PID_NUMBERS;
}

/*
 * Changes the PIDs in which new_pids differs from old_pids, and no other PID: forks and exits
 * change the list at the same time. T held.
 */
static void change_list(struct function_pid_list *list)
{
	for (unsigned i = 0; i < ARRAY_SIZE(new_pids); i++) {
		unsigned long added = new_pids[i] & ~old_pids[i];
		unsigned long removed = old_pids[i] & ~new_pids[i];

		if (added)
			__atomic_fetch_or(&list->pids[i], added, __ATOMIC_RELAXED);
		if (removed)
			__atomic_fetch_and(&list->pids[i], ~removed, __ATOMIC_RELAXED);
	}
}

static ssize_t pid_write(struct function_pid_list *list, const char *buf, size_t count, loff_t *pos)
{
	int error;

	mutex_lock(&trace_types_lock);
	memcpy(old_pids, list->pids, sizeof(old_pids));
	memcpy(new_pids, old_pids, sizeof(new_pids));
	error = pid_list_parse(new_pids, buf, count);
	if (!error) {
		change_list(list);
		WRITE_ONCE(list->active, !is_empty(list));
		update_pids();
	}
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int pid_show(struct seq_file *m, void *v __unused)
{
	struct function_pid_list *list = m->private;
	unsigned pid = find_next_bit(list->pids, PID_NUMBERS, 0);

	if (!READ_ONCE(list->active))
		seq_puts(m, "no pid\n");
	for (; pid < PID_NUMBERS; pid = find_next_bit(list->pids, PID_NUMBERS, pid + 1))
		seq_printf(m, "%u\n", pid);
	return 0;
}

static int pid_open(struct file *file, struct function_pid_list *list)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&trace_types_lock);
		empty_list(list);
		update_pids();
		mutex_unlock(&trace_types_lock);
	}
	return single_open(file, pid_show, list);
}

static struct function_pids *pids_of_file(struct file *file)
{
	return function_of(trace_file_tr(file))->pids;
}

static int ftrace_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &pids_of_file(file)->only);
}

static int ftrace_no_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &pids_of_file(file)->never);
}

static ssize_t ftrace_pid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return pid_write(&pids_of_file(file)->only, buf, count, pos);
}

static ssize_t ftrace_no_pid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return pid_write(&pids_of_file(file)->never, buf, count, pos);
}

static const struct file_operations ftrace_pid_fops = {
	.open = ftrace_pid_open,
	.read = seq_read,
	.write = ftrace_pid_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations ftrace_no_pid_fops = {
	.open = ftrace_no_pid_open,
	.read = seq_read,
	.write = ftrace_no_pid_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct trace_file pid_files[] = {
	{ .name = "set_ftrace_pid", .mode = 0640, .fops = &ftrace_pid_fops },
	{ .name = "set_ftrace_notrace_pid", .mode = 0640, .fops = &ftrace_no_pid_fops },
	{ .name = NULL },
};

static int __init ftrace_pid_init(void)
{
	trace_register_files(pid_files);
	return register_trace_flag(&function_fork);
}
core_initcall(ftrace_pid_init);
