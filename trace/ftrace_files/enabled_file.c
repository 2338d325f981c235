/*
 * /proc/sys/kernel/ftrace_enabled (Documentation/trace/ftrace.rst, "ftrace_enabled"): 0 turns the
 * calls of all callbacks off, so the function tracers, probes and profilers get no calls.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/sched/mutex.h"
#include "trace/ftrace/internal.h"

static DEFINE_MUTEX(enabled_mutex); /* taken before ftrace_lock */
static int ftrace_enabled = 1;      /* [enabled_mutex] what was written: 0, or any other number */

static int proc_ftrace_enabled(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int before, error;

	mutex_lock(&enabled_mutex);
	before = ftrace_enabled;
	error = proc_dointvec(table, write, buf, size);
	if (!error && write) {
		error = ftrace_set_enabled(ftrace_enabled);
		if (error)
			ftrace_enabled = before;
	}
	mutex_unlock(&enabled_mutex);
	return error;
}

SYSCTL_INT(ftrace_enabled, "kernel", ftrace_enabled, proc_ftrace_enabled);
