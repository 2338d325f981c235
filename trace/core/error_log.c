/*
 * error_log: the reason why a file refused a command, and the position of the error in the command
 * (Documentation/trace/ftrace.rst, "Error conditions"). It is for commands that one errno does not
 * explain. As in Linux, the names, patterns and numbers in the function tracer's files are no such
 * commands.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/time/ktime.h"
#include "trace/core/error_log.h"
#include "trace/core/files.h"

#define USEC_PER_SEC         1000000ULL
#define TRACING_LOG_ERRS_MAX 8 /* a new error replaces the oldest one */
#define COMMAND_LINE         "  Command: "

struct tracing_log_err {
	struct list_head list; /* [E] in trace_array.err_log, the oldest first */
	ktime_t time;
	const char *location; /* a copy, behind the command's NUL */
	const char *text;
	u16 position; /* of the error in the command, or behind its end */
	char command[];
}; /* constant but for list */

static DEFINE_MUTEX(err_log_mutex); /* E: all trace_arrays' err_log and err_log_count */

static void drop_oldest(struct trace_array *tr)
{
	struct tracing_log_err *err = list_first_entry(&tr->err_log, struct tracing_log_err, list);

	list_del(&err->list);
	tr->err_log_count--;
	kfree(err);
}

void tracing_log_err(struct trace_array *tr, const char *location, const char *command,
		     const char *const *errs, u8 type, u16 position)
{
	size_t command_size = strlen(command) + 1, location_size = strlen(location) + 1;
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
	if (tr->err_log_count == TRACING_LOG_ERRS_MAX)
		drop_oldest(tr);
	list_add_tail(&err->list, &tr->err_log);
	tr->err_log_count++;
	mutex_unlock(&err_log_mutex);
}

void tracing_clear_errs(struct trace_array *tr)
{
	mutex_lock(&err_log_mutex);
	while (tr->err_log_count)
		drop_oldest(tr);
	mutex_unlock(&err_log_mutex);
}

static int error_log_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((struct trace_cpu *)m->private)->tr;
	struct tracing_log_err *err;

	mutex_lock(&err_log_mutex);
	list_for_each_entry (err, &tr->err_log, list) {
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
		tracing_clear_errs(trace_file_tr(file));
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
