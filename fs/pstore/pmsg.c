/* /dev/pmsg0: what programs write there is in /sys/fs/pstore/pmsg-ramoops-0 after a reboot. */
#include "fs/dev/devfs.h"
#include "fs/pstore/internal.h"
#include "kernel/sched/mutex.h"

#define PMSG_MAJOR 254 /* Linux: the first free number from 254 down */

static DEFINE_MUTEX(pmsg_mutex); /* writers of the zone */

static ssize_t pmsg_write(struct file *file __unused, const char *buf, size_t count,
			  loff_t *pos __unused)
{
	mutex_lock(&pmsg_mutex);
	persistent_ram_write(&ramoops_pmsg, buf, count);
	mutex_unlock(&pmsg_mutex);
	return (ssize_t)count;
}

static const struct file_operations pmsg_fops = { .write = pmsg_write, .llseek = noop_llseek };

static bool pmsg_exists(void)
{
	return ramoops_pmsg.size;
}

DEVICE_FILE(pmsg0) = { .name = "pmsg0",
		       .mode = 0220,
		       .dev = MKDEV(PMSG_MAJOR, 0),
		       .fops = &pmsg_fops,
		       .exists = pmsg_exists };
