/* The directory rv/ of tracefs. */
#include "fs/tracefs/tracefs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"
#include "trace/rv/internal.h"

#define MAX_MONITOR_NAME 32

/* ---- available_monitors, enabled_monitors ---- */

static void show_name(struct seq_file *m, const struct rv_monitor *mon)
{
	if (mon->parent)
		seq_printf(m, "%s:", mon->parent->name);
	seq_printf(m, "%s\n", mon->name);
}

static int available_monitors_show(struct seq_file *m, void *v __unused)
{
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		show_name(m, mon);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(available_monitors);

static int enabled_monitors_show(struct seq_file *m, void *v __unused)
{
	mutex_lock(&rv_interface_lock);
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		if (mon->enabled)
			show_name(m, mon);
	mutex_unlock(&rv_interface_lock);
	return 0;
}

/* name may have the container in front. */
static struct rv_monitor *find_monitor(const char *name)
{
	const char *colon = strchr(name, ':');

	if (colon)
		name = colon + 1;
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		if (strcmp(name, mon->name) == 0)
			return mon;
	return NULL;
}

static ssize_t enabled_monitors_write(struct file *file __unused, const char *buf, size_t count,
				      loff_t *pos)
{
	char word[MAX_MONITOR_NAME + 2];
	bool off;

	if (trace_get_word(word, sizeof(word), buf, count))
		return -EINVAL;
	off = *word == '!';
	if (word[off]) {
		struct rv_monitor *mon = find_monitor(word + off);
		int error = mon ? rv_switch_monitor(mon, !off) : -EINVAL;

		if (error)
			return error;
	}
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int enabled_monitors_open(struct inode *inode __unused, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&rv_interface_lock);
		rv_disable_all();
		mutex_unlock(&rv_interface_lock);
	}
	return single_open(file, enabled_monitors_show, NULL);
}

static const struct file_operations enabled_monitors_fops = {
	.owner = THIS_MODULE,
	.open = enabled_monitors_open,
	.read = seq_read,
	.write = enabled_monitors_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int rv_get_bool(const char *buf, size_t count, bool *on)
{
	char word[16];

	if (trace_get_word(word, sizeof(word), buf, count))
		return -EINVAL;
	return kstrtobool(word, on);
}

/* ---- monitoring_on; enable and desc of a monitor ---- */

static int monitoring_on_show(struct seq_file *m, void *v __unused)
{
	mutex_lock(&rv_interface_lock);
	seq_printf(m, "%d\n", rv_monitoring());
	mutex_unlock(&rv_interface_lock);
	return 0;
}

static ssize_t monitoring_on_write(struct file *file __unused, const char *buf, size_t count,
				   loff_t *pos)
{
	bool on;

	if (rv_get_bool(buf, count, &on))
		return -EINVAL;
	mutex_lock(&rv_interface_lock);
	rv_set_monitoring(on);
	mutex_unlock(&rv_interface_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(monitoring_on);

static int enable_show(struct seq_file *m, void *v __unused)
{
	const struct rv_monitor *mon = m->private;

	mutex_lock(&rv_interface_lock);
	seq_printf(m, "%d\n", mon->enabled);
	mutex_unlock(&rv_interface_lock);
	return 0;
}

static ssize_t enable_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	bool on;
	int error;

	if (rv_get_bool(buf, count, &on))
		return -EINVAL;
	error = rv_switch_monitor(m->private, on);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(enable);

static int desc_show(struct seq_file *m, void *v __unused)
{
	const struct rv_monitor *mon = m->private;

	seq_printf(m, "%s\n", mon->description);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(desc);

/* A container comes before what is in it: its key sorts first. */
static int create_monitor(struct rv_monitor *mon, struct dentry *monitors)
{
	mon->dir = tracefs_create_dir(mon->name, mon->parent ? mon->parent->dir : monitors);
	if (IS_ERR_OR_NULL(mon->dir) ||
	    IS_ERR_OR_NULL(tracefs_create_file("enable", 0640, mon->dir, mon, &enable_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("desc", 0440, mon->dir, mon, &desc_fops)))
		return -ENOMEM;
	return rv_create_monitor_reactors(mon);
}

static int __init rv_init_interface(void)
{
	struct dentry *dir = tracefs_create_dir("rv", NULL), *monitors;
	int error;

	if (IS_ERR_OR_NULL(dir))
		return -ENOMEM;
	monitors = tracefs_create_dir("monitors", dir);
	if (IS_ERR_OR_NULL(monitors) ||
	    IS_ERR_OR_NULL(tracefs_create_file("available_monitors", 0440, dir, NULL,
					       &available_monitors_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("enabled_monitors", 0640, dir, NULL,
					       &enabled_monitors_fops)) ||
	    IS_ERR_OR_NULL(
		    tracefs_create_file("monitoring_on", 0640, dir, NULL, &monitoring_on_fops)))
		return -ENOMEM;
	error = rv_create_reactor_files(dir);
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon && !error;
	     mon = rv_next_monitor(mon))
		error = create_monitor(mon, monitors);
	return error;
}
device_initcall(rv_init_interface);

TRACE_README(rv, "4", "  rv/\t\t- monitors that compare the kernel with a model of it\n");
