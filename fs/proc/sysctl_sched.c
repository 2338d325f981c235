/* Files of /proc/sys/kernel: the limits of real-time tasks (kernel/sched/sched.h). */
#include "fs/proc/internal.h"

static int proc_rt_period(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value, runtime, err;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };

	(void)table;
	sched_rt_bandwidth(&value, &runtime);
	err = proc_dointvec(&local, write, buf, size);
	return err || !write ? err : sched_set_rt_period(value);
}

static int proc_rt_runtime(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value, period, err;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };

	(void)table;
	sched_rt_bandwidth(&period, &value);
	err = proc_dointvec(&local, write, buf, size);
	return err || !write ? err : sched_set_rt_runtime(value);
}

static int proc_rr_timeslice(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = sched_rr_slice_ms();
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };
	int err;

	(void)table;
	err = proc_dointvec(&local, write, buf, size);
	if (!err && write)
		sched_set_rr_slice_ms(value);
	return err;
}

SYSCTL(rr_timeslice, "kernel", "sched_rr_timeslice_ms", 0644, proc_rr_timeslice);
SYSCTL(rt_period, "kernel", "sched_rt_period_us", 0644, proc_rt_period);
SYSCTL(rt_runtime, "kernel", "sched_rt_runtime_us", 0644, proc_rt_runtime);
