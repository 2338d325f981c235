/* Files of /proc/sys with the names and the limits of the system, as programs read them. */
#include "fs/proc/internal.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/process/uts.h"
#include "kernel/vm/mm.h"

/*
 * A name of uname(2); data is its offset in struct new_utsname. A write changes it up to a newline.
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

/*
 * The number of the last task. A write lets the next task get the number after it, if it is free.
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

#define NAME(id, mode, field)                                                                      \
	SYSCTL(id, "kernel", #id, mode, proc_uts_string,                                           \
	       .data = (void *)offsetof(struct new_utsname, field))
NAME(hostname, 0644, nodename);
NAME(domainname, 0644, domainname);
NAME(ostype, 0444, sysname);
NAME(osrelease, 0444, release);
NAME(version, 0444, version);

/* A number that cannot be changed. */
#define NUMBER(id)                                                                                 \
	SYSCTL(id, "kernel", #id, 0444, proc_dointvec, .data = &(id), .maxlen = sizeof(id))
NUMBER(pid_max);
NUMBER(ngroups_max);
NUMBER(cap_last_cap);

SYSCTL(randomize, "kernel", "randomize_va_space", 0644, proc_dointvec_positive,
       .data = &randomize_va_space, .maxlen = sizeof(int), .most = 2);
SYSCTL(last_pid, "kernel", "ns_last_pid", 0666, proc_last_pid);
static unsigned long mmap_min_addr = MMAP_MIN_ADDR;
SYSCTL(min_addr, "vm", "mmap_min_addr", 0444, proc_doulongvec, .data = &mmap_min_addr,
       .maxlen = sizeof(mmap_min_addr));
SYSCTL_INT(max_map_count, "vm", sysctl_max_map_count, proc_dointvec_positive);
