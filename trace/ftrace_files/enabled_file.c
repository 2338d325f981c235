/*
 * /proc/sys/kernel/ftrace_enabled. Once, 0 turned the calls of all callbacks off. Linux 7.3 refuses
 * that: live patches, probes and eBPF programs need their calls.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/errno.h"
#include "kernel/printk/printk.h"
#include "trace/ftrace/ftrace.h"

static int ftrace_enabled = 1; /* what was written last: never 0 */

static int proc_ftrace_enabled(const struct ctl_table *table __unused, bool write, char *buf,
			       size_t size)
{
	int value = ftrace_is_dead() ? 0 : READ_ONCE(ftrace_enabled);
	const struct ctl_table of_value = { .data = &value, .maxlen = sizeof(value) };
	int error = proc_dointvec(&of_value, write, buf, size);

	if (error || !write)
		return error;
	if (ftrace_is_dead())
		return -ENODEV;
	if (!value) {
		pr_warn("ftrace: ftrace_enabled is deprecated and stays on; write 0 to tracing_on "
			"or "
			"options/function-trace\n");
		return -EOPNOTSUPP;
	}
	WRITE_ONCE(ftrace_enabled, value);
	return 0;
}

SYSCTL_INT(ftrace_enabled, "kernel", ftrace_enabled, proc_ftrace_enabled);
