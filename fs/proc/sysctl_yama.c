/* /proc/sys/kernel/yama/ptrace_scope. */
#include "fs/proc/internal.h"
#include "kernel/task/cred.h"
#include "kernel/yama/yama.h"

static int proc_ptrace_scope(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = yama_scope(), error;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };

	(void)table;
	if (write && !capable(CAP_SYS_PTRACE))
		return -EPERM;
	error = proc_dointvec(&local, write, buf, size);
	return error || !write ? error : yama_set_scope(value);
}

SYSCTL(ptrace_scope, "kernel/yama", "ptrace_scope", 0644, proc_ptrace_scope);
