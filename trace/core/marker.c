/* trace_marker: user programs write text into the trace, between the entries of the kernel. */
#include "kernel/init.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/write.h"

#define TRACE_BUF_SIZE 1024U /* bytes of one entry; write(2) takes no more at once */

static ssize_t tracing_mark_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	size_t length = min(count, (size_t)TRACE_BUF_SIZE);
	ssize_t error;

	if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_MARKERS))
		return -EINVAL;
	error = trace_write_print(tr, (unsigned long)tracing_mark_write, buf, length);
	if (error)
		return error;
	*pos += (loff_t)length;
	return (ssize_t)length;
}

static const struct file_operations tracing_mark_fops = {
	.write = tracing_mark_write,
	.llseek = noop_llseek,
};

static const struct trace_file marker_files[] = {
	{ .name = "trace_marker", .mode = 0220, .fops = &tracing_mark_fops },
	{ .name = NULL },
};

static int __init trace_marker_init(void)
{
	trace_register_files(marker_files);
	return 0;
}
core_initcall(trace_marker_init);
