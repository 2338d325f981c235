/*
 * /proc/PID/io: how much the task has read and written. That of a process counts its ended threads
 * and the children for which it has waited, too. There are no disks, so nothing goes to storage.
 */
#include "fs/proc/task/task.h"
#include "kernel/process/exit.h"
#include "kernel/process/rusage.h"

int proc_pid_io(struct seq_file *m, void *v)
{
	const struct proc_object *object = m->private;
	struct task_struct *task = object->task;
	struct task_usage usage = { 0 };

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	if (lock_trace(task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	spin_lock(&tasklist_lock);
	if (object->thread) {
		add_task_usage(&usage, task);
	} else {
		process_usage(task, &usage);
		add_usage(&usage, &task->signal->children);
	}
	spin_unlock(&tasklist_lock);
	unlock_trace(task);
	seq_printf(m, "rchar: %llu\nwchar: %llu\nsyscr: %llu\nsyscw: %llu\n",
		   (unsigned long long)usage.io.rchar, (unsigned long long)usage.io.wchar,
		   (unsigned long long)usage.io.syscr, (unsigned long long)usage.io.syscw);
	seq_puts(m, "read_bytes: 0\nwrite_bytes: 0\ncancelled_write_bytes: 0\n");
	return 0;
}
