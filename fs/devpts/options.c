/* The options of mount(2) for devpts, and /proc/sys/kernel/pty. */
#include "fs/devpts/devpts.h"
#include "fs/mount/options.h"
#include "fs/proc/proc_fs.h"
#include "kernel/lib/string.h"

static int set_option(void *devpts_info, const char *name, const char *value)
{
	struct devpts_info *info = devpts_info;
	u32 number;
	bool octal = strstr(name, "mode") != NULL;

	if (!strcmp(name, "newinstance"))
		return 0; /* each mount is one */
	if (mount_option_number(value, octal ? 8 : 10, octal ? S_IALLUGO : ~0U, &number))
		return -EINVAL;
	if (!strcmp(name, "uid")) {
		info->uid = number;
		info->setuid = true;
	} else if (!strcmp(name, "gid")) {
		info->gid = number;
		info->setgid = true;
	} else if (!strcmp(name, "mode")) {
		info->mode = (umode_t)number;
	} else if (!strcmp(name, "ptmxmode")) {
		info->ptmxmode = (umode_t)number;
	} else if (!strcmp(name, "max") && number <= 1U << 20) {
		info->max = number;
	} else {
		return -EINVAL;
	}
	return 0;
}

int devpts_parse_options(struct devpts_info *info, const char *data)
{
	struct devpts_info new = *info;
	int err = parse_mount_options(data, set_option, &new);

	if (err)
		return err;
	info->uid = new.uid;
	info->gid = new.gid;
	info->setuid = new.setuid;
	info->setgid = new.setgid;
	info->mode = new.mode;
	info->ptmxmode = new.ptmxmode;
	info->max = new.max;
	return 0;
}

static int pty_nr(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int nr = atomic_read(&pty_count);
	struct ctl_table local = { .data = &nr, .maxlen = sizeof(nr) };

	(void)table;
	return proc_dointvec(&local, write, buf, size);
}

SYSCTL_INT(max, "kernel/pty", pty_max, proc_dointvec);
SYSCTL_INT(reserve, "kernel/pty", pty_reserve, proc_dointvec);
SYSCTL(pty_nr, "kernel/pty", "nr", 0444, pty_nr);
