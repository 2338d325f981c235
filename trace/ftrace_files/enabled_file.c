/*
 * /proc/sys/kernel/ftrace_enabled (Documentation/trace/ftrace.rst, "ftrace_enabled"): 0 turns the
 * calls of all callbacks off, so the function tracers, probes and profilers get no calls.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
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

static const struct ctl_table ftrace_enabled_table[] = {
	{ .procname = "ftrace_enabled",
	  .data = &ftrace_enabled,
	  .maxlen = sizeof(int),
	  .mode = 0644,
	  .proc_handler = proc_ftrace_enabled },
	{ .procname = NULL },
};

static int __init ftrace_enabled_init(void)
{
	return register_sysctl("kernel", ftrace_enabled_table);
}
device_initcall(ftrace_enabled_init);
