/*
 * What the current task may do with perf: perf_event_paranoid.
 *
 *	-1	everything
 *	0	no raw records of tracepoints
 *	1	nor events of a CPU
 *	2	nor the kernel
 *	3	nothing: Debian's level
 *
 * A task with CAP_PERFMON may do everything.
 */
#include "trace/perf/internal.h"

#include "fs/proc/proc_fs.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"

static int sysctl_perf_event_paranoid = 2;

SYSCTL(perf_paranoid, "kernel", "perf_event_paranoid", 0644, proc_dointvec,
       .data = &sysctl_perf_event_paranoid, .maxlen = sizeof(int));

int perf_paranoia(void)
{
	return READ_ONCE(sysctl_perf_event_paranoid);
}

bool perfmon_capable(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}

static bool allowed_up_to(int level)
{
	return perf_paranoia() <= level || perfmon_capable();
}

int perf_allow_user(void)
{
	return allowed_up_to(2) ? 0 : -EACCES;
}

int perf_allow_kernel(void)
{
	return allowed_up_to(1) ? 0 : -EACCES;
}

int perf_allow_cpu(void)
{
	return allowed_up_to(0) ? 0 : -EACCES;
}

int perf_allow_tracepoint(void)
{
	return allowed_up_to(-1) ? 0 : -EPERM;
}
