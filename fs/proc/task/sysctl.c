/* Files of /proc/sys with the names and the limits of the system, as programs read them. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/process/cred.h"
#include "kernel/process/pid.h"
#include "kernel/process/uts.h"
#include "kernel/vm/mm.h"

/* A name of uname(2); data is its offset in struct new_utsname. A write changes it up to a newline.
 */
static int proc_uts_string(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	struct new_utsname names;
	char *name = (char *)&names + (unsigned long)table->data;

	get_utsname(&names);
	if (!write) {
		scnprintf(buf, size, "%s\n", name);
		return 0;
	}
	buf[strcspn(buf, "\n")] = '\0';
	strscpy(name, buf, UTS_NAME_LEN);
	set_utsname(&names);
	return 0;
}

static int proc_randomize(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = READ_ONCE(randomize_va_space);
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };
	int err = proc_dointvec(&local, write, buf, size);

	(void)table;
	if (err || !write)
		return err;
	if (value < 0 || value > 2)
		return -EINVAL;
	WRITE_ONCE(randomize_va_space, value);
	return 0;
}

/* The number of the last task. A write lets the next task get the number after it, if it is free.
 */
static int proc_last_pid(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = last_pid();
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };
	int err;

	(void)table;
	if (write && !capable(CAP_SYS_ADMIN) && !capable(CAP_CHECKPOINT_RESTORE))
		return -EPERM;
	err = proc_dointvec(&local, write, buf, size);
	if (err || !write)
		return err;
	if (value < 0 || value > PID_MAX)
		return -EINVAL;
	set_last_pid(value);
	return 0;
}

static int pid_max = PID_MAX;
static int ngroups_max = NGROUPS_MAX;
static int cap_last_cap = CAP_LAST_CAP;

#define NAME(procname, mode, field)                                                                \
	{                                                                                          \
		procname, (void *)offsetof(struct new_utsname, field), UTS_NAME_LEN, mode,         \
			proc_uts_string                                                            \
	}
/* A number that cannot be changed. */
#define NUMBER(name)                                                                               \
	{                                                                                          \
#name, &(name), sizeof(name), 0444, proc_dointvec                                  \
	}

static const struct ctl_table names_table[] = {
	NAME("hostname", 0644, nodename),
	NAME("domainname", 0644, domainname),
	NAME("ostype", 0444, sysname),
	NAME("osrelease", 0444, release),
	NAME("version", 0444, version),
	NUMBER(pid_max),
	NUMBER(ngroups_max),
	NUMBER(cap_last_cap),
	{ .procname = "randomize_va_space", .mode = 0644, .proc_handler = proc_randomize },
	{ .procname = "ns_last_pid", .mode = 0666, .proc_handler = proc_last_pid },
	{ .procname = NULL },
};

static const struct ctl_table vm_table[] = {
	{ "max_map_count", &sysctl_max_map_count, sizeof(int), 0644, proc_dointvec_positive },
	{ .procname = NULL },
};

static int __init proc_sysctl_names_init(void)
{
	int err = register_sysctl("kernel", names_table);

	return err ? err : register_sysctl("vm", vm_table);
}
device_initcall(proc_sysctl_names_init);
