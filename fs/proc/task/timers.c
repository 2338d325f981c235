/* /proc/PID/timers: the timers that the process has made by timer_create(2). */
#include "fs/proc/task/task.h"
#include "kernel/posix_time/posix_timer.h"

#define SIGEV_THREAD_ID 4 /* in the kinds of notification: a bit */

/* The newest first, as on Linux. */
int proc_pid_timers(struct seq_file *m, void *v)
{
	static const char *const kinds[] = { "signal", "none", "thread", "?" };
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	struct posix_timer_info t = { .id = INT32_MAX };

	(void)v;
	while (next_posix_timer(task, t.id, &t)) {
		seq_printf(m, "ID: %d\n", t.id);
		seq_printf(m, "signal: %d/%016lx\n", t.signal, t.value);
		seq_printf(m, "notify: %s/%s.%d\n", kinds[t.notify & 3],
			   t.notify & SIGEV_THREAD_ID ? "tid" : "pid", t.pid);
		seq_printf(m, "ClockID: %d\n", t.clock);
	}
	return 0;
}
