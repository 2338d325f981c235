/* /sys/kernel/debug/kmemleak: commands and report, in Linux's formats; and kmemleak=on. */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"
#include "kernel/time/ktime.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/kmemleak/kmemleak.h"

#define HEX_ROWS       2 /* of a report */
#define HEX_ROW        16
#define JIFFIES_PER_S  250
#define FIRST_JIFFIES  ((u32)(-300 * JIFFIES_PER_S)) /* Linux's count begins there */
#define DEFAULT_PERIOD 600                           /* seconds between automatic scans */

static DEFINE_MUTEX(kmemleak_mutex);
static bool tracking;                     /* [kmemleak_mutex] */
static bool scan_stacks = true;           /* [kmemleak_mutex] */
static unsigned period = DEFAULT_PERIOD;  /* [kmemleak_mutex] 0: no automatic scans */
static struct delayed_work periodic_scan; /* queued while it is tracking and has a period */
static bool on_at_boot;                   /* constant after the boot */

/* kmemleak_mutex held. */
static void scan(void)
{
	unsigned found = kmemleak_scan(scan_stacks);

	if (found)
		pr_info("kmemleak: %u new suspected memory leaks (see "
			"/sys/kernel/debug/kmemleak)\n",
			found);
}

static void queue_scan(void)
{
	if (tracking && period)
		(void)mod_delayed_work(&periodic_scan, period * NSEC_PER_SEC);
}

static void scan_periodically(struct work_struct *work __unused)
{
	mutex_lock(&kmemleak_mutex);
	if (tracking && period)
		scan();
	queue_scan();
	mutex_unlock(&kmemleak_mutex);
}

/* ---- the report ---- */

/*
 * The next live object at or above addr that is a leak, or any one if all. Copies it. False: none.
 */
static bool next_object(unsigned long addr, bool all, struct kmemleak_object *copy)
{
	struct kmemleak_object *object;
	unsigned long flags;
	bool found = false;

	do {
		spin_lock_irqsave(&kmemleak_lock, flags);
		object = kmemleak_find(addr);
		if (object) {
			found = !object->free && (all || (object->leak && !object->cleared));
			*copy = *object;
			addr = object->start + object->size;
		}
		spin_unlock_irqrestore(&kmemleak_lock, flags);
	} while (object && !found);
	return found;
}

static void show_hex_row(struct seq_file *m, const u8 *bytes, size_t count)
{
	char text[HEX_ROW + 1] = { 0 };

	seq_puts(m, "    ");
	for (size_t i = 0; i < HEX_ROW; i++) {
		if (i < count) {
			seq_printf(m, "%02x ", bytes[i]);
			text[i] = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.';
		} else {
			seq_puts(m, "   ");
		}
	}
	seq_printf(m, " %s\n", text);
}

static void show_object(struct seq_file *m, const struct kmemleak_object *object)
{
	size_t bytes = min((size_t)object->size, (size_t)HEX_ROWS * HEX_ROW);
	u64 age = ktime_get() - object->time;

	seq_printf(m, "unreferenced object 0x%px (size %u):\n", (void *)object->start,
		   object->size);
	seq_printf(
		m, "  comm \"%s\", pid %d, jiffies %u (age %llu.%03us)\n", object->comm,
		object->pid, FIRST_JIFFIES + (u32)(object->time / (NSEC_PER_SEC / JIFFIES_PER_S)),
		(unsigned long long)(age / NSEC_PER_SEC), (unsigned)(age % NSEC_PER_SEC / 1000000));
	seq_printf(m, "  hex dump (first %zu bytes):\n", bytes);
	for (size_t i = 0; i < bytes; i += HEX_ROW)
		show_hex_row(m, (const u8 *)object->start + i, min(bytes - i, (size_t)HEX_ROW));
	seq_puts(m, "  backtrace:\n");
	for (unsigned i = 0; i < object->depth; i++)
		seq_printf(m, "    [<%p>] %pS\n", (void *)object->stack[i],
			   (void *)object->stack[i]);
}

/* A record is a copy of the object: m->private. pos is the address behind the one before. */
static void *leaks_start(struct seq_file *m, loff_t *pos)
{
	return next_object((unsigned long)*pos, false, m->private) ? m->private : NULL;
}

static void *leaks_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct kmemleak_object *object = v;

	*pos = (loff_t)(object->start + object->size);
	return leaks_start(m, pos);
}

static void leaks_stop(struct seq_file *m __unused, void *v __unused)
{
}

static int leaks_show(struct seq_file *m, void *v)
{
	show_object(m, v);
	return 0;
}

static const struct seq_operations leaks_sops = {
	.start = leaks_start,
	.next = leaks_next,
	.stop = leaks_stop,
	.show = leaks_show,
};

static int kmemleak_open(struct inode *inode __unused, struct file *file)
{
	struct kmemleak_object *copy = kmalloc(sizeof(*copy), GFP_KERNEL);
	int err = copy ? seq_open(file, &leaks_sops) : -ENOMEM;

	if (err)
		kfree(copy);
	else
		((struct seq_file *)file->private_data)->private = copy;
	return err;
}

static int kmemleak_release(struct inode *inode, struct file *file)
{
	kfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

/* ---- the commands ---- */

/* The user has seen what is reported now. */
static void clear(void)
{
	struct kmemleak_object *object;
	unsigned long at = 0, flags;

	do {
		spin_lock_irqsave(&kmemleak_lock, flags);
		object = kmemleak_find(at);
		if (object) {
			object->cleared |= object->leak;
			at = object->start + object->size;
		}
		spin_unlock_irqrestore(&kmemleak_lock, flags);
	} while (object);
}

static int switch_on(void)
{
	int err;

	if (tracking)
		return 0;
	kmemleak_forget();
	err = kmemleak_track();
	tracking = !err;
	queue_scan();
	return err;
}

static int set_period(const char *text)
{
	int err = kstrtouint(text, 0, &period);

	queue_scan();
	return err;
}

/* Prints the object at an address into the log. */
static int dump(const char *text)
{
	struct kmemleak_object copy;
	unsigned long addr;
	int err = kstrtoul(text, 0, &addr);

	if (err)
		return err;
	if (!next_object(addr, true, &copy) || copy.start > addr) {
		pr_notice("kmemleak: Unknown object at 0x%08lx\n", addr);
		return -EINVAL;
	}
	pr_notice("kmemleak: Object 0x%08lx (size %u):\n", copy.start, copy.size);
	pr_notice("kmemleak:   comm \"%s\", pid %d\n", copy.comm, copy.pid);
	for (unsigned i = 0; i < copy.depth; i++)
		pr_notice("     %pS\n", (void *)copy.stack[i]);
	return 0;
}

/* kmemleak_mutex held. */
static int command(const char *text)
{
	if (!strcmp(text, "on"))
		return switch_on();
	if (!strcmp(text, "clear")) {
		if (tracking)
			clear();
		else
			kmemleak_forget();
		return 0;
	}
	if (!tracking)
		return -EPERM;
	if (!strcmp(text, "off")) {
		tracking = false;
		kmemleak_untrack();
	} else if (!strcmp(text, "scan")) {
		scan();
	} else if (!strcmp(text, "stack=on")) {
		scan_stacks = true;
	} else if (!strcmp(text, "stack=off")) {
		scan_stacks = false;
	} else if (!strcmp(text, "scan=on")) {
		period = period ? period : DEFAULT_PERIOD;
		queue_scan();
	} else if (!strcmp(text, "scan=off")) {
		period = 0;
	} else if (!strncmp(text, "scan=", 5)) {
		return set_period(text + 5);
	} else if (!strncmp(text, "dump=", 5)) {
		return dump(text + 5);
	} else {
		return -EINVAL;
	}
	return 0;
}

static ssize_t kmemleak_write(struct file *file __unused, const char *buf, size_t count,
			      loff_t *pos __unused)
{
	char text[64] = { 0 };
	int err;

	memcpy(text, buf, min(count, sizeof(text) - 1));
	mutex_lock(&kmemleak_mutex);
	err = command(strim(text));
	mutex_unlock(&kmemleak_mutex);
	return err ? err : (ssize_t)count;
}

static const struct file_operations kmemleak_fops = {
	.open = kmemleak_open,
	.read = seq_read,
	.write = kmemleak_write,
	.llseek = seq_lseek,
	.release = kmemleak_release,
};

static int __init kmemleak_setup(const char *value)
{
	if (!value || (strcmp(value, "on") && strcmp(value, "off")))
		return -EINVAL;
	on_at_boot = !strcmp(value, "on");
	return 0;
}
__setup("kmemleak", kmemleak_setup);

/* As early as tracepoints can be switched on: what is allocated before is a root. */
static int __init kmemleak_init(void)
{
	int err = 0;

	INIT_DELAYED_WORK(&periodic_scan, scan_periodically);
	mutex_lock(&kmemleak_mutex);
	if (on_at_boot)
		err = switch_on();
	mutex_unlock(&kmemleak_mutex);
	return err;
}
core_initcall(kmemleak_init);

static int __init kmemleak_file_init(void)
{
	struct dentry *file = debugfs_create_file("kmemleak", 0644, NULL, NULL, &kmemleak_fops);

	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
late_initcall(kmemleak_file_init);
