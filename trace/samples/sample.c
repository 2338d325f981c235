/*
 * The files of the samples in /sys/kernel/debug/samples. Each sample has a file that switches it on
 * and off, and a file that chooses its function.
 */
#include "trace/samples/sample.h"

#include "fs/debugfs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/ftrace/ftrace.h"
#include "trace/core/files.h"

static DEFINE_MUTEX(samples_mutex); /* taken before all mutexes of tracing */
static struct dentry *directory;    /* [C] */

/* ---- NAME ---- */

static int switch_show(struct seq_file *m, void *unused __unused)
{
	struct sample *sample = m->private;

	mutex_lock(&samples_mutex);
	seq_puts(m, sample->on ? "on" : "off");
	if (sample->function)
		seq_printf(m, ": %s", sample->function);
	seq_putc(m, '\n');
	if (sample->show)
		sample->show(m);
	mutex_unlock(&samples_mutex);
	return 0;
}

static int switch_to(struct sample *sample, bool on)
{
	int error = 0;

	mutex_lock(&samples_mutex);
	if (on != sample->on)
		error = on ? sample->start(sample->function) : sample->stop();
	if (!error)
		sample->on = on;
	mutex_unlock(&samples_mutex);
	return error;
}

static ssize_t switch_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	unsigned long on;
	int error = trace_get_number(buf, count, 10, &on);

	if (!error)
		error = on <= 1 ? switch_to(m->private, on) : -EINVAL;
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(switch);

/* ---- NAME.function ---- */

static int function_show(struct seq_file *m, void *unused __unused)
{
	const struct sample *sample = m->private;

	mutex_lock(&samples_mutex);
	seq_printf(m, "%s\n", sample->function);
	mutex_unlock(&samples_mutex);
	return 0;
}

/* Returns 0 if the name or pattern matches a function that can be traced, else an error. */
static int find_function(const char *function)
{
	struct ftrace_ops ops = { .func = ftrace_stub };
	int error = ftrace_set_filter(&ops, function, strlen(function), true);

	ftrace_free_filter(&ops);
	return error;
}

static int choose(struct sample *sample, const char *function)
{
	int error = find_function(function);

	if (error)
		return error;
	mutex_lock(&samples_mutex);
	if (sample->on) {
		error = -EBUSY;
	} else {
		strscpy(sample->chosen, function, sizeof(sample->chosen));
		sample->function = sample->chosen;
	}
	mutex_unlock(&samples_mutex);
	return error;
}

static ssize_t function_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	char text[KSYM_NAME_LEN];
	int error = trace_get_word(text, sizeof(text), buf, count);

	if (!error)
		error = *text ? choose(m->private, text) : -EINVAL;
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(function);

/* ---- samples ---- */

int register_sample(struct sample *sample)
{
	char name[64];
	struct dentry *file;

	file = debugfs_create_file(sample->name, 0600, directory, sample, &switch_fops);
	if (sample->function && !IS_ERR(file)) {
		snprintf(name, sizeof(name), "%s.function", sample->name);
		file = debugfs_create_file(name, 0600, directory, sample, &function_fops);
	}
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}

static int __init samples_init(void)
{
	directory = debugfs_create_dir("samples", NULL);
	return IS_ERR(directory) ? (int)PTR_ERR(directory) : 0;
}
fs_initcall(samples_init);
