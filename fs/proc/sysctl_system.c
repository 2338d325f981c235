/* Files of /proc/sys/kernel: who sees what, and the limits of real-time tasks. */
#include "fs/dev/devices.h"
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/process/cred.h"
#include "kernel/process/pid.h"
#include "kernel/process/uts.h"
#include "kernel/vm/mm.h"

/* A number from 0 to most. */
static int proc_up_to(int *number, int most, bool write, char *buf, size_t size)
{
	int value = READ_ONCE(*number);
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };
	int err = proc_dointvec(&local, write, buf, size);

	if (err || !write)
		return err;
	if (value < 0 || value > most)
		return -EINVAL;
	WRITE_ONCE(*number, value);
	return 0;
}

/* Who sees addresses of the kernel: 0 and 1: who has CAP_SYSLOG; 2: nobody. */
static int kptr_restrict;

/* A set-user-ID program may get a descriptor as its input. So this is asked at the open. */
bool may_see_addresses(void)
{
	return READ_ONCE(kptr_restrict) < 2 && capable(CAP_SYSLOG);
}

static int proc_kptr_restrict(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	(void)table;
	return proc_up_to(&kptr_restrict, 2, write, buf, size);
}

static int proc_dmesg_restrict(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	(void)table;
	return proc_up_to(&dmesg_restrict, 1, write, buf, size);
}

/* RT throttling: kernel/sched/sched.h */
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

static const struct ctl_table system_table[] = {
	{ .procname = "kptr_restrict", .mode = 0644, .proc_handler = proc_kptr_restrict },
	{ .procname = "dmesg_restrict", .mode = 0644, .proc_handler = proc_dmesg_restrict },
	{ .procname = "sched_rr_timeslice_ms", .mode = 0644, .proc_handler = proc_rr_timeslice },
	{ .procname = "sched_rt_period_us", .mode = 0644, .proc_handler = proc_rt_period },
	{ .procname = "sched_rt_runtime_us", .mode = 0644, .proc_handler = proc_rt_runtime },
	{ .procname = NULL },
};

static int __init proc_sysctl_system_init(void)
{
	return register_sysctl("kernel", system_table);
}
device_initcall(proc_sysctl_system_init);
