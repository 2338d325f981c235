/* The files about the buffer itself: its size, for all CPUs and each, that of its sub-buffers, how
 * full it is, and giving it back. */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/time/ktime.h"
#include "trace/core/files.h"
#include "trace/core/options.h"

#define USEC_PER_SEC 1000000ULL

/* ---- buffer_size_kb, buffer_total_size_kb ---- */

/* Returns the size of each CPU's buffer, or 0 if the sizes differ. T held. */
static size_t common_size(struct trace_array *tr)
{
	size_t size = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		size_t one = ring_buffer_size(tr->buffer, cpu);

		if (size && one != size)
			return 0;
		size = one;
	}
	return size;
}

static ssize_t tracing_entries_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct trace_cpu *where = trace_file_cpu(file);
	bool all = where->cpu == RING_BUFFER_ALL_CPUS;
	struct trace_array *tr = where->tr;
	char text[64];
	size_t size;
	int length;

	mutex_lock(&trace_types_lock);
	size = all ? common_size(tr) : ring_buffer_size(tr->buffer, (unsigned)where->cpu);
	if (!size)
		length = scnprintf(text, sizeof(text), "X\n");
	else if (all && !tr->buffer_expanded)
		length = scnprintf(text, sizeof(text), "%lu (expanded: %lu)\n", size >> 10,
				   trace_buf_size >> 10);
	else
		length = scnprintf(text, sizeof(text), "%lu\n", size >> 10);
	mutex_unlock(&trace_types_lock);
	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t tracing_entries_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_cpu *where = trace_file_cpu(file);
	unsigned long kib;
	int error = trace_get_number(buf, count, 10, &kib);

	if (error)
		return error;
	if (!kib)
		return -EINVAL;
	mutex_lock(&trace_types_lock);
	/* As on Linux, a number of bytes above 2^64 is cut. */
	error = tracing_resize(where->tr, kib << 10, where->cpu);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations tracing_entries_fops = {
	.read = tracing_entries_read,
	.write = tracing_entries_write,
	.llseek = generic_file_llseek,
};

static ssize_t tracing_total_entries_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	size_t size = 0, expanded = 0;
	char text[64];
	unsigned cpu;
	int length;

	mutex_lock(&trace_types_lock);
	for_each_possible_cpu (cpu) {
		size += ring_buffer_size(tr->buffer, cpu) >> 10;
		expanded += trace_buf_size >> 10;
	}
	if (tr->buffer_expanded)
		length = scnprintf(text, sizeof(text), "%lu\n", size);
	else
		length = scnprintf(text, sizeof(text), "%lu (expanded: %lu)\n", size, expanded);
	mutex_unlock(&trace_types_lock);
	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static const struct file_operations tracing_total_entries_fops = {
	.read = tracing_total_entries_read,
	.llseek = generic_file_llseek,
};

/* ---- buffer_subbuf_size_kb ---- */

static ssize_t subbuf_size_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	size_t size = ring_buffer_subbuf_size_get(READ_ONCE(trace_file_tr(file)->buffer));
	char text[16];
	int length = scnprintf(text, sizeof(text), "%lu\n", size >> 10);

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

/* The size is rounded up to the next power of two of pages. */
static ssize_t subbuf_size_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	unsigned long kib;
	unsigned order = 0;
	int error = trace_get_number(buf, count, 10, &kib);

	if (error)
		return error;
	if (!kib || kib > (RB_PAGE_SIZE << RB_ORDER_MAX) >> 10)
		return -EINVAL;
	while (kib << 10 > (unsigned long)RB_PAGE_SIZE << order)
		order++;
	mutex_lock(&trace_types_lock);
	error = tracing_set_subbuf_order(trace_file_tr(file), order);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations subbuf_size_fops = {
	.read = subbuf_size_read,
	.write = subbuf_size_write,
	.llseek = generic_file_llseek,
};

/* ---- free_buffer: closing it gives the memory back, so that a tool that dies leaves nothing
 * behind ---- */

static ssize_t tracing_free_buffer_write(struct file *file __unused, const char *buf __unused,
					 size_t count, loff_t *pos)
{
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int tracing_free_buffer_release(struct inode *inode __unused, struct file *file)
{
	struct trace_array *tr = trace_file_tr(file);
	int error;

	mutex_lock(&trace_types_lock);
	if (tr->trace_flags & TRACE_ITER_STOP_ON_FREE)
		tracing_record_off_tr(tr);
	error = tracing_resize(tr, 1, RING_BUFFER_ALL_CPUS);
	mutex_unlock(&trace_types_lock);
	return error;
}

static const struct file_operations tracing_free_buffer_fops = {
	.write = tracing_free_buffer_write,
	.release = tracing_free_buffer_release,
};

/* ---- buffer_percent ---- */

static ssize_t buffer_percent_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	char text[16];
	int length = scnprintf(text, sizeof(text), "%u\n",
			       READ_ONCE(trace_file_tr(file)->buffer_percent));

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t buffer_percent_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	unsigned long percent;
	int error = trace_get_number(buf, count, 10, &percent);

	if (error)
		return error;
	if (percent > 100)
		return -EINVAL;
	mutex_lock(&trace_types_lock);
	trace_file_tr(file)->buffer_percent = (unsigned)percent;
	mutex_unlock(&trace_types_lock);
	ring_buffer_wake_waiters(trace_file_tr(file)->buffer); /* they test the new limit */
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations buffer_percent_fops = {
	.read = buffer_percent_read,
	.write = buffer_percent_write,
	.llseek = generic_file_llseek,
};

/* ---- per_cpu/cpuN/stats ---- */

static void show_time(struct seq_file *m, const char *name, u64 ts, bool in_ns)
{
	unsigned long long usecs = (ts + 500) / NSEC_PER_USEC;

	if (in_ns)
		seq_printf(m, "%s: %5llu.%06llu\n", name, usecs / USEC_PER_SEC,
			   usecs % USEC_PER_SEC);
	else
		seq_printf(m, "%s: %llu\n", name, (unsigned long long)ts);
}

static int tracing_stats_show(struct seq_file *m, void *v __unused)
{
	struct trace_cpu *where = m->private;
	struct ring_buffer_stats stats;
	bool in_ns = tracing_clock_in_ns(where->tr);

	ring_buffer_cpu_stats(where->tr->buffer, (unsigned)where->cpu, &stats);
	seq_printf(m, "entries: %llu\n", (unsigned long long)stats.entries);
	seq_printf(m, "overrun: %llu\n", (unsigned long long)stats.overrun);
	seq_printf(m, "commit overrun: %llu\n", (unsigned long long)stats.commit_overrun);
	seq_printf(m, "bytes: %llu\n", (unsigned long long)stats.bytes);
	show_time(m, "oldest event ts", stats.oldest_event_ts, in_ns);
	show_time(m, "now ts", ring_buffer_time_stamp(where->tr->buffer), in_ns);
	seq_printf(m, "dropped events: %llu\n", (unsigned long long)stats.dropped_events);
	seq_printf(m, "read events: %llu\n", (unsigned long long)stats.read_events);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tracing_stats);

TRACE_FILE(buffer_size_kb, 0640, &tracing_entries_fops, .per_cpu = true);
TRACE_FILE(buffer_total_size_kb, 0440, &tracing_total_entries_fops);
TRACE_FILE(buffer_subbuf_size_kb, 0640, &subbuf_size_fops);
TRACE_FILE(free_buffer, 0200, &tracing_free_buffer_fops);
TRACE_FILE(buffer_percent, 0640, &buffer_percent_fops);
TRACE_FILE(stats, 0440, &tracing_stats_fops, .only_per_cpu = true);
