/* set_ftrace_pid, set_ftrace_notrace_pid: which tasks are traced, and by the option function-fork
 * their children. */
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace/internal.h"
#include "trace/core/trace.h"

struct trace_pid_list {
	bool active;                       /* [T] to write */
	DECLARE_BITMAP(pids, PID_NUMBERS); /* [A] */
};

struct trace_pids {
	struct trace_pid_list only, never; /* set_ftrace_pid, set_ftrace_notrace_pid */
};

static struct trace_pid_list new_pids; /* [T] what a write is about to make */

static bool is_filtered(const struct trace_pids *pids)
{
	return READ_ONCE(pids->only.active) || READ_ONCE(pids->never.active);
}

bool ftrace_pids_filter(const struct trace_array *tr)
{
	return tr->pids && is_filtered(tr->pids);
}

/* The CPU runs next from now on: see in each trace_array whether that is left out. */
static void pids_switch(const struct task_struct *next)
{
	unsigned pid = (unsigned)next->pid % PID_NUMBERS, cpu = smp_processor_id();
	struct trace_array *tr;

	for_each_trace_array(tr)
	{
		const struct trace_pids *pids = tr->pids;
		bool ignore = (READ_ONCE(pids->only.active) && !test_bit(pid, pids->only.pids)) ||
			      (READ_ONCE(pids->never.active) && test_bit(pid, pids->never.pids));

		WRITE_ONCE(tr->cpus[cpu].ignore_pid, ignore);
	}
}

/* Lists have changed. T held. */
static void update_pids(void)
{
	struct trace_array *tr;
	bool active = false;

	for_each_trace_array(tr) active = active || ftrace_pids_filter(tr);
	trace_switch_pids(pids_switch, active);
	ftrace_update_pid_func();
}

static void empty_list(struct trace_pid_list *list)
{
	WRITE_ONCE(list->active, false);
	memset(list->pids, 0, sizeof(list->pids));
}

/* ---- function-fork ---- */

static void list_follow_fork(struct trace_pid_list *list, unsigned parent, unsigned child)
{
	if (test_bit(parent, list->pids))
		set_bit(child, list->pids);
}

static void pid_follow_fork(struct task_struct *parent, struct task_struct *child)
{
	struct trace_array *tr;

	preempt_disable();
	for_each_trace_array(tr)
	{
		if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_FUNC_FORK))
			continue;
		list_follow_fork(&tr->pids->only, (unsigned)parent->pid, (unsigned)child->pid);
		list_follow_fork(&tr->pids->never, (unsigned)parent->pid, (unsigned)child->pid);
	}
	preempt_enable();
}

/* The number may be given to another task. */
static void pid_follow_exit(struct task_struct *task)
{
	struct trace_array *tr;

	preempt_disable();
	for_each_trace_array(tr)
	{
		if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_FUNC_FORK))
			continue;
		clear_bit((unsigned)task->pid, tr->pids->only.pids);
		clear_bit((unsigned)task->pid, tr->pids->never.pids);
	}
	preempt_enable();
}

/* The option function-fork may have changed somewhere. T held. */
static void update_fork_hooks(void)
{
	struct trace_array *tr;
	bool on = false;

	for_each_trace_array(tr) on = on || (tr->trace_flags & TRACE_ITER_FUNC_FORK);
	WRITE_ONCE(task_fork_hook, on ? pid_follow_fork : NULL);
	WRITE_ONCE(task_exit_hook, on ? pid_follow_exit : NULL);
}

static void trace_flag_changed(u64 mask)
{
	if (mask == TRACE_ITER_FUNC_FORK)
		update_fork_hooks();
}

/* ---- a trace_array comes and goes ---- */

int ftrace_pids_create(struct trace_array *tr)
{
	tr->pids = kzalloc(sizeof(*tr->pids), GFP_KERNEL);
	if (!tr->pids)
		return -ENOMEM;
	if (tr->name)
		tr->trace_flags &= ~(u64)TRACE_ITER_FUNC_FORK; /* as in Linux not inherited */
	else
		update_fork_hooks(); /* by trace_options= on the command line */
	return 0;
}

void ftrace_pids_detach(struct trace_array *tr)
{
	set_tracer_flag(tr, TRACE_ITER_FUNC_FORK, false);
	empty_list(&tr->pids->only);
	empty_list(&tr->pids->never);
	update_pids();
}

void ftrace_pids_destroy(struct trace_array *tr)
{
	kfree(tr->pids);
	tr->pids = NULL;
}

/* ---- the files ---- */

static bool is_empty(const struct trace_pid_list *list)
{
	return find_next_bit(list->pids, PID_NUMBERS, 0) == PID_NUMBERS;
}

static ssize_t pid_write(struct trace_pid_list *list, const char *buf, size_t count, loff_t *pos)
{
	int error;

	mutex_lock(&trace_types_lock);
	memcpy(new_pids.pids, list->pids, sizeof(list->pids));
	error = pid_list_parse(new_pids.pids, buf, count);
	if (!error) {
		memcpy(list->pids, new_pids.pids, sizeof(list->pids));
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
	struct trace_pid_list *list = m->private;
	unsigned pid = find_next_bit(list->pids, PID_NUMBERS, 0);

	if (!READ_ONCE(list->active))
		seq_puts(m, "no pid\n");
	for (; pid < PID_NUMBERS; pid = find_next_bit(list->pids, PID_NUMBERS, pid + 1))
		seq_printf(m, "%u\n", pid);
	return 0;
}

static int pid_open(struct file *file, struct trace_pid_list *list)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&trace_types_lock);
		empty_list(list);
		update_pids();
		mutex_unlock(&trace_types_lock);
	}
	return single_open(file, pid_show, list);
}

static int ftrace_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &trace_file_tr(file)->pids->only);
}

static int ftrace_no_pid_open(struct inode *inode __unused, struct file *file)
{
	return pid_open(file, &trace_file_tr(file)->pids->never);
}

static ssize_t ftrace_pid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return pid_write(&trace_file_tr(file)->pids->only, buf, count, pos);
}

static ssize_t ftrace_no_pid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return pid_write(&trace_file_tr(file)->pids->never, buf, count, pos);
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
	trace_flag_hook = trace_flag_changed;
	trace_register_files(pid_files);
	return 0;
}
core_initcall(ftrace_pid_init);
