/* What the self-tests of perf share: the system calls of an event. */
#pragma once

#include "arch/cpu/linkage.h"
#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "trace/perf/perf_event.h"

long sys_perf_event_open(unsigned long attr, pid_t pid, int cpu, int group, unsigned long flags)
	SYSCALL_SYMBOL(perf_event_open);
long sys_close(unsigned fd) SYSCALL_SYMBOL(close);
long sys_ioctl(unsigned fd, unsigned cmd, unsigned long arg) SYSCALL_SYMBOL(ioctl);
long sys_read(unsigned fd, unsigned long buf, size_t count) SYSCALL_SYMBOL(read);

/* Opens an event. user: a page of user memory, for the attributes. A descriptor, or an errno. */
static inline long open_event(unsigned long user, const struct perf_event_attr *attr, pid_t pid,
			      int cpu)
{
	if (copy_to_user((void __user *)user, attr, sizeof(*attr)))
		return -EFAULT;
	return sys_perf_event_open(user, pid, cpu, -1, 0);
}
