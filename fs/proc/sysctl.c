/*
 * /proc/sys: kernel variables as files, which tables describe.
 *
 * A write is parsed completely before a value is stored, so a write with an error changes nothing.
 */
#include "fs/vfs/dcache.h"
#include "fs/proc/internal.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/sched/schedstats.h"

#define SYSCTL_INTS_MAX 8

DEFINE_LINKER_TABLE(rodata, const struct ctl_table, sysctls);

static ssize_t sysctl_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct ctl_table *table = file->f_inode->i_private;
	char *page = kzalloc(PAGE_SIZE, GFP_KERNEL);
	ssize_t ret;

	if (!page)
		return -ENOMEM;
	ret = table->proc_handler(table, false, page, PAGE_SIZE);
	if (!ret)
		ret = simple_read_from_buffer(buf, count, pos, page, strlen(page));
	kfree(page);
	return ret;
}

static ssize_t sysctl_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	const struct ctl_table *table = file->f_inode->i_private;
	char *text;
	ssize_t ret;

	if (!count)
		return 0;
	if (count >= PAGE_SIZE)
		return -ENOMEM;
	text = kzalloc(count + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	memcpy(text, buf, count);
	ret = table->proc_handler(table, true, text, count + 1);
	kfree(text);
	if (ret)
		return ret;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations sysctl_fops = {
	.read = sysctl_read,
	.write = sysctl_write,
	.llseek = generic_file_llseek,
};

/* Reads up to max numbers, with blanks between them. Returns their count, or -EINVAL. */
static int parse_ints(char *text, int *values, unsigned max)
{
	unsigned n = 0;
	char *word;

	while (n < max) {
		text = skip_spaces(text);
		if (!*text)
			break;
		word = text;
		text += strcspn(text, " \t\n\v\f\r");
		if (*text)
			*text++ = '\0';
		if (kstrtoint(word, 0, &values[n]))
			return -EINVAL;

		n++;
	}
	return n ? (int)n : -EINVAL;
}

int proc_dointvec(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	unsigned max = (unsigned)min(table->maxlen / sizeof(int), (size_t)SYSCTL_INTS_MAX);
	int values[SYSCTL_INTS_MAX], *data = table->data;
	size_t len = 0;
	int n;

	if (write) {
		n = parse_ints(buf, values, max);
		if (n < 0)
			return n;
		for (int i = 0; i < n; i++)
			WRITE_ONCE(data[i], values[i]);
		return 0;
	}
	for (unsigned i = 0; i < max; i++)
		len += (size_t)scnprintf(buf + len, size - len, "%s%d", i ? "\t" : "",
					 READ_ONCE(data[i]));
	scnprintf(buf + len, size - len, "\n");
	return 0;
}

int proc_dointvec_positive(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = READ_ONCE(*(int *)table->data), err;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };

	err = proc_dointvec(&local, write, buf, size);
	if (err || !write)
		return err;
	if (value < 0 || (table->most && value > table->most))
		return -EINVAL;
	WRITE_ONCE(*(int *)table->data, value);
	return 0;
}

/* kernel.printk shows four separate variables as one line. */
static int proc_printk_levels(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	static int *const levels[] = { &console_loglevel, &default_message_loglevel,
				       &minimum_console_loglevel, &default_console_loglevel };
	int values[ARRAY_SIZE(levels)];
	struct ctl_table local = { .data = values, .maxlen = sizeof(values) };
	int err;

	(void)table;
	for (unsigned i = 0; i < ARRAY_SIZE(levels); i++)
		values[i] = READ_ONCE(*levels[i]);
	err = proc_dointvec(&local, write, buf, size);
	if (err || !write)
		return err;
	for (unsigned i = 0; i < ARRAY_SIZE(levels); i++)
		WRITE_ONCE(*levels[i], values[i]);
	return 0;
}

/* 0 or 1: kernel/sched/schedstats.h */
static int proc_sched_schedstats(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = static_key_enabled(&sched_schedstats);
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };
	int err;

	(void)table;
	err = proc_dointvec(&local, write, buf, size);
	if (err || !write)
		return err;
	if (value < 0 || value > 1)
		return -EINVAL;
	return sched_set_schedstats(value);
}

SYSCTL_INT(panic, "kernel", panic_timeout, proc_dointvec);
SYSCTL_INT(panic_on_oops, "kernel", panic_on_oops, proc_dointvec);
SYSCTL(printk, "kernel", "printk", 0644, proc_printk_levels);
SYSCTL_INT(printk_ratelimit, "kernel", printk_ratelimit_state.interval, proc_dointvec);
SYSCTL_INT(printk_ratelimit_burst, "kernel", printk_ratelimit_state.burst, proc_dointvec);
SYSCTL(sched_schedstats, "kernel", "sched_schedstats", 0644, proc_sched_schedstats);

/* The directory, which is made if it does not exist; NULL: memory is short. */
static struct dentry *sysctl_dir(struct dentry *parent, const char *name, size_t len)
{
	struct qstr last = { .name = name, .len = (u32)len };
	struct dentry *dir = d_lookup(parent, &last);
	char *copy;

	if (dir) {
		dput(dir); /* a static entry stays without this reference */
		return dir;
	}
	copy = kstrndup(name, len, GFP_KERNEL);
	dir = copy ? proc_mkdir(copy, parent) : NULL;
	kfree(copy);
	return dir;
}

/* Makes the file of table, and the directories that lead to it. NULL: memory is short. */
static struct dentry *make_sysctl(struct dentry *dir, const struct ctl_table *table)
{
	const char *name = table->dir;

	while (dir && *name) {
		size_t len = strcspn(name, "/");

		dir = sysctl_dir(dir, name, len);
		name += len + (name[len] == '/');
	}
	return dir ? proc_create_data(table->procname, table->mode, dir, &sysctl_fops,
				      (void *)table)
		   : NULL;
}

int proc_sysctl_init(void)
{
	struct dentry *proc_sys = proc_mkdir("sys", NULL);

	for_each_linker_table_entry (table, sysctls)
		if (!make_sysctl(proc_sys, table))
			return -ENOMEM;
	return 0;
}
