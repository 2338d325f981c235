/*
 * trace_marker and trace_marker_raw: programs write text or data into the trace, between the
 * entries of the kernel (Documentation/trace/ftrace.rst, "The File System").
 */
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/write.h"

#define TRACE_BUF_SIZE 1024U /* bytes of one entry; write(2) takes no more at once */
#define LARGE_TEXT_MAX 4096U /* the same of trace_marker, if sub-buffers have several pages */
#define RAW_SIZE_MAX   3072U /* a longer write to trace_marker_raw is refused */
#define RAW_SIZE_MIN   13U   /* bytes of the id and the data in an entry */

static bool markers_wanted(const struct trace_array *tr)
{
	return READ_ONCE(tr->trace_flags) & TRACE_ITER_MARKERS;
}

/* Writes length bytes into tr. ctx: tracing_gen_ctx(). 0, or -EBADF: not recorded. */
typedef ssize_t (*write_mark_t)(struct trace_array *tr, u32 ctx, const char *buf, size_t length);

/*
 * Writes what came to a file of tr. What comes to the top level goes to each trace_array with the
 * option copy_trace_marker. 0, -EBADF, or -ENODEV: none has it. Inlined, so that the stack of an
 * entry begins with the function of the file.
 */
static __always_inline ssize_t write_marks(struct trace_array *tr, const char *buf, size_t length,
					   write_mark_t write_mark)
{
	u32 ctx = tracing_gen_ctx();
	ssize_t error = -ENODEV;

	if (tr->name)
		return write_mark(tr, ctx, buf, length);
	preempt_disable_notrace();
	for_each_trace_array (tr) {
		if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_COPY_MARKER))
			continue;
		error = write_mark(tr, ctx, buf, length);
		if (error)
			break;
	}
	preempt_enable_notrace();
	return error;
}

/* Returns how many bytes of text one entry holds: with sub-buffers of one page as in Linux 6.1,
 * else as in Linux 6.8. */
static size_t text_max(struct trace_array *tr)
{
	return ring_buffer_subbuf_order_get(READ_ONCE(tr->buffer)) ? LARGE_TEXT_MAX
								   : TRACE_BUF_SIZE;
}

static __always_inline ssize_t write_text(struct trace_array *tr, u32 ctx, const char *buf,
					  size_t length)
{
	return trace_write_marker(tr, ctx, buf, min(length, text_max(tr)));
}

static ssize_t tracing_mark_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	size_t length = min(count, text_max(tr));
	ssize_t error;

	if (!markers_wanted(tr))
		return -EINVAL;
	error = write_marks(tr, buf, length, write_text);
	if (error)
		return error;
	*pos += (loff_t)length;
	return (ssize_t)length;
}

static const struct file_operations tracing_mark_fops = {
	.write = tracing_mark_write,
	.llseek = noop_llseek,
};

/* ---- trace_marker_raw: an id of 4 bytes, and data that only the program understands ---- */

/*
 * Returns 0, or -EBADF: the entry is not recorded. length is at least 4. The entry has 4 bytes more
 * than it needs, as Linux's, which readers see as zeros.
 */
static __always_inline ssize_t write_raw(struct trace_array *tr, u32 ctx, const char *data,
					 size_t length)
{
	size_t size = ALIGN(sizeof(struct raw_data_entry) + max(length, (size_t)RAW_SIZE_MIN), 4);
	struct trace_buffer *buffer;
	struct raw_data_entry *entry;

	preempt_disable_notrace();
	entry = trace_buffer_lock_reserve(tr, TRACE_RAW_DATA, size, ctx, &buffer);
	if (entry) {
		memcpy(&entry->id, data, length);
		memset((char *)&entry->id + length, 0,
		       size - offsetof(struct raw_data_entry, id) - length);
		trace_buffer_unlock_commit(buffer);
	}
	preempt_enable_notrace();
	return entry ? 0 : -EBADF;
}

static ssize_t tracing_mark_raw_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	size_t length = min(count, (size_t)TRACE_BUF_SIZE);
	ssize_t error;

	if (!markers_wanted(trace_file_tr(file)) || count < sizeof(u32) || count > RAW_SIZE_MAX)
		return -EINVAL;
	error = write_marks(trace_file_tr(file), buf, length, write_raw);
	if (error)
		return error;
	*pos += (loff_t)length;
	return (ssize_t)length;
}

static const struct file_operations tracing_mark_raw_fops = {
	.write = tracing_mark_raw_write,
	.llseek = noop_llseek,
};

/* The ring buffer rounds the size of an entry up, so zeros may follow the data. */
static enum print_line_t raw_data_print(struct trace_iterator *iter)
{
	const struct raw_data_entry *field = (const struct raw_data_entry *)iter->ent;
	const u8 *data = (const u8 *)field->buf;
	size_t size = iter->ent_size - sizeof(*field);

	trace_seq_printf(&iter->seq, "# %x buf:", field->id);
	for (size_t i = 0; i < size; i++)
		trace_seq_printf(&iter->seq, " %02x", data[i]);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field raw_data_fields[] = {
	TRACE_FIELD(raw_data_entry, id, "unsigned int", false),
	TRACE_ARRAY(raw_data_entry, buf, "char[]", 0, true),
	{ .name = NULL },
};

static struct trace_event raw_data_event = {
	.type = TRACE_RAW_DATA,
	.trace = raw_data_print,
	.raw = raw_data_print,
	.name = "raw_data",
	.fields = raw_data_fields,
	.print_fmt = "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
};

TRACE_FILE(trace_marker, 0220, &tracing_mark_fops);
TRACE_FILE(trace_marker_raw, 0220, &tracing_mark_raw_fops);

static int __init trace_marker_init(void)
{
	return register_trace_event(&raw_data_event);
}
core_initcall(trace_marker_init);
