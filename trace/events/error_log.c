/*
 * error_log: the reason why a file refused a command, and the position of the error in the command
 * (Documentation/trace/ftrace.rst, "Error conditions"). It is for commands that one errno does not
 * explain. As in Linux, the names, patterns and numbers in the function tracer's files are no such
 * commands.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/time/ktime.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"
#include "trace/events/error_log.h"

#define USEC_PER_SEC         1000000ULL
#define TRACING_LOG_ERRS_MAX 8 /* a new error replaces the oldest one */
#define COMMAND_LINE         "  Command: "

struct tracing_log_err {
	struct list_head list; /* [E] in error_log.errors, the oldest first */
	ktime_t time;
	const char *location; /* a copy, behind the command's NUL */
	const char *text;
	u16 position; /* of the error in the command, or behind its end */
	char command[];
}; /* constant but for list */

/* The log of a trace_array: its data of error_log_part. */
struct error_log {
	struct list_head errors; /* [E] */
	unsigned count;          /* [E] */
};

static DEFINE_MUTEX(err_log_mutex); /* E */

static struct error_log *log_of(struct trace_array *tr)
{
	return *trace_array_private(tr, &error_log_part);
}

static void drop_oldest(struct error_log *log)
{
	struct tracing_log_err *err = list_first_entry(&log->errors, struct tracing_log_err, list);

	list_del(&err->list);
	log->count--;
	kfree(err);
}

void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position)
{
	size_t command_size = strlen(command) + 1, location_size = strlen(location) + 1;
	struct error_log *log = log_of(tr);
	struct tracing_log_err *err =
		kmalloc(sizeof(*err) + command_size + location_size, GFP_KERNEL);

	if (!err)
		return; /* the writer still gets its errno */
	err->time = ktime_get();
	err->location = err->command + command_size;
	err->text = errs[type];
	err->position = position;
	memcpy(err->command, command, command_size);
	memcpy(err->command + command_size, location, location_size);
	mutex_lock(&err_log_mutex);
	if (log->count == TRACING_LOG_ERRS_MAX)
		drop_oldest(log);
	list_add_tail(&err->list, &log->errors);
	log->count++;
	mutex_unlock(&err_log_mutex);
}

static void clear(struct error_log *log)
{
	mutex_lock(&err_log_mutex);
	while (log->count)
		drop_oldest(log);
	mutex_unlock(&err_log_mutex);
}

/* ---- the log of a trace_array ---- */

static int error_log_create(struct trace_array *tr)
{
	struct error_log *log = kzalloc(sizeof(*log), GFP_KERNEL);

	*trace_array_private(tr, &error_log_part) = log;
	if (!log)
		return -ENOMEM;
	INIT_LIST_HEAD(&log->errors);
	return 0;
}

static void error_log_destroy(struct trace_array *tr)
{
	clear(log_of(tr));
	kfree(log_of(tr));
}

struct trace_array_part error_log_part = {
	.create = error_log_create,
	.destroy = error_log_destroy,
};

/* ---- the file ---- */

static int error_log_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((struct trace_cpu *)m->private)->tr;
	struct tracing_log_err *err;

	mutex_lock(&err_log_mutex);
	list_for_each_entry (err, &log_of(tr)->errors, list) {
		unsigned long long usecs = err->time / NSEC_PER_USEC;

		seq_printf(m, "[%5llu.%06llu] %s: error: %s\n", usecs / USEC_PER_SEC,
			   usecs % USEC_PER_SEC, err->location, err->text);
		seq_printf(m, COMMAND_LINE "%s\n", err->command);
		seq_printf(m, "%*s^\n", (int)(strlen(COMMAND_LINE) + err->position), "");
	}
	mutex_unlock(&err_log_mutex);
	return 0;
}

static int error_log_open(struct inode *inode, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		clear(log_of(trace_file_tr(file)));
	return single_open(file, error_log_show, inode->i_private);
}

/* open() clears the log. The written text has no meaning. */
static ssize_t error_log_write(struct file *file __unused, const char *buf __unused, size_t count,
			       loff_t *pos __unused)
{
	return (ssize_t)count;
}

static const struct file_operations error_log_fops = {
	.open = error_log_open,
	.read = seq_read,
	.write = error_log_write,
	.llseek = seq_lseek,
	.release = single_release,
};

TRACE_FILE(error_log, 0640, &error_log_fops);

TRACE_README(error_log, "1f", "  error_log\t- why the last commands were refused\n");
