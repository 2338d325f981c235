/*
 * set_ftrace_pid and set_ftrace_notrace_pid choose the tasks that are traced. With the option
 * function-fork the children of a task follow it.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/pid_filter.h"
#include "trace/ftrace/internal.h"
#include "trace/tracers/function/internal.h"

static struct trace_flag function_fork = { .name = "function-fork",
					   .changed = pid_filter_fork_changed };

__calls_callbacks void function_pid_func(unsigned long ip, unsigned long parent_ip,
					 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	const struct trace_array *tr = op->private;
	bool ignore;

	preempt_disable_notrace();
	ignore = READ_ONCE(tr->cpus[smp_processor_id()].ignore_pid);
	preempt_enable_notrace();
	if (!ignore)
		op->saved_func(ip, parent_ip, op, fregs);
}

/* Decides for each trace_array whether this CPU, which runs next from now on, ignores its task. */
static void choose_ignored(const struct task_struct *next)
{
	unsigned cpu = smp_processor_id();
	struct trace_array *tr;

	for_each_trace_array (tr) {
		bool ignore = pid_filter_ignores(function_of(tr)->pids, next);

		WRITE_ONCE(tr->cpus[cpu].ignore_pid, ignore);
	}
}

static void pids_switch(struct task_struct *prev __unused, struct task_struct *next)
{
	choose_ignored(next);
}

/* The last hook: what follows until the switch is done for prev, and would carry its name. */
static struct sched_switch_hook pids_hook = { .fn = pids_switch, .last = true };

static void choose_on_this_cpu(void *info __unused)
{
	choose_ignored(current);
}

/* Applies a change of the lists. T held. */
static void update_pids(void)
{
	struct trace_array *tr;
	bool active = false;

	for_each_trace_array (tr)
		active = active || pid_filter_active(function_of(tr)->pids);
	sched_switch_hook_set(&pids_hook, active);
	on_each_cpu(choose_on_this_cpu, NULL, true);
	for_each_trace_array (tr)
		ftrace_filter_pids(function_trace_ops(tr),
				   pid_filter_active(function_of(tr)->pids));
}

/* ---- creation and removal of a trace_array ---- */

int function_pids_create(struct function_tracer *f, struct trace_array *tr)
{
	f->pids = kzalloc(sizeof(*f->pids), GFP_KERNEL);
	if (!f->pids)
		return -ENOMEM;
	pid_filter_init(f->pids, tr, &function_fork);
	return 0;
}

void function_pids_detach(struct trace_array *tr)
{
	struct pid_filter *pids = function_of(tr)->pids;

	mutex_lock(&trace_types_lock);
	pid_list_clear(&pids->only);
	pid_list_clear(&pids->never);
	update_pids();
	mutex_unlock(&trace_types_lock);
}

void function_pids_destroy(struct function_tracer *f)
{
	pid_filter_exit(f->pids);
	kfree(f->pids);
}

/* ---- the files ---- */

static ssize_t pid_write(struct pid_list *list, const char *buf, size_t count, loff_t *pos)
{
	int error;

	mutex_lock(&trace_types_lock);
	error = pid_list_write(list, buf, count);
	if (!error)
		update_pids();
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int pid_show(struct seq_file *m, void *v __unused)
{
	const struct pid_list *list = m->private;

	if (!READ_ONCE(list->active))
		seq_puts(m, "no pid\n");
	pid_list_show(m, list);
	return 0;
}

static int pid_open(struct file *file, struct pid_list *list)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&trace_types_lock);
		pid_list_clear(list);
		update_pids();
		mutex_unlock(&trace_types_lock);
	}
	return single_open(file, pid_show, list);
}

static struct pid_filter *pids_of_file(struct file *file)
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

TRACE_FILE(set_ftrace_pid, 0640, &ftrace_pid_fops);
TRACE_FILE(set_ftrace_notrace_pid, 0640, &ftrace_no_pid_fops);

static int __init ftrace_pid_init(void)
{
	return register_trace_flag(&function_fork);
}
core_initcall(ftrace_pid_init);
