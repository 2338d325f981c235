/* The worst case of a latency tracer, and the files tracing_max_latency and tracing_thresh. */
#include "trace/core/max_latency.h"

#include "arch/cpu/irqflags.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/time/ktime.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"

void trace_max_interrupt(struct trace_array *tr)
{
	__atomic_fetch_add(&tr->max.epoch, 1, __ATOMIC_RELAXED);
}

void trace_max_raise(struct trace_array *tr, u64 latency)
{
	u64 max = READ_ONCE(tr->max.latency);

	while (latency > max && !__atomic_compare_exchange_n(&tr->max.latency, &max, latency, false,
							     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void trace_max_lock(struct trace_array *tr, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	raw_ticket_lock(&tr->max.lock);
}

void trace_max_unlock(struct trace_array *tr, unsigned long flags)
{
	raw_ticket_unlock(&tr->max.lock);
	raw_local_irq_restore(flags);
}

void trace_max_clear(struct trace_array *tr, bool all)
{
	unsigned long flags;

	trace_max_lock(tr, &flags);
	tr->max.record.valid = false;
	if (all)
		WRITE_ONCE(tr->max.latency, 0);
	trace_max_unlock(tr, flags);
}

/* ---- tracing_max_latency: microseconds ---- */

static ssize_t max_latency_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	char text[32];
	int length = scnprintf(text, sizeof(text), "%llu\n",
			       READ_ONCE(trace_file_tr(file)->max.latency) / NSEC_PER_USEC);

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t max_latency_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	unsigned long us;
	int error = trace_get_number(buf, count, 10, &us);

	if (error)
		return error;
	WRITE_ONCE(trace_file_tr(file)->max.latency, us * NSEC_PER_USEC);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations max_latency_fops = {
	.read = max_latency_read,
	.write = max_latency_write,
	.llseek = generic_file_llseek,
};

/* ---- tracing_thresh: microseconds ---- */

void (*tracing_thresh_hook)(void);

static ssize_t tracing_thresh_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	char text[32];
	int length =
		scnprintf(text, sizeof(text), "%llu\n", READ_ONCE(tracing_thresh) / NSEC_PER_USEC);

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t tracing_thresh_write(struct file *file __unused, const char *buf, size_t count,
				    loff_t *pos)
{
	unsigned long us;
	int error = trace_get_number(buf, count, 10, &us);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	WRITE_ONCE(tracing_thresh, us * NSEC_PER_USEC);
	if (tracing_thresh_hook)
		tracing_thresh_hook();
	mutex_unlock(&trace_types_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations tracing_thresh_fops = {
	.read = tracing_thresh_read,
	.write = tracing_thresh_write,
	.llseek = generic_file_llseek,
};

static int __init set_early_thresh(const char *value)
{
	unsigned long us;
	int error = value ? kstrtoul(value, 0, &us) : -EINVAL;

	if (!error)
		tracing_thresh = us * NSEC_PER_USEC;
	return error;
}
__setup("tracing_thresh", set_early_thresh);

TRACE_FILE(tracing_max_latency, 0640, &max_latency_fops);
TRACE_FILE(tracing_thresh, 0640, &tracing_thresh_fops, .only_top = true);

TRACE_README(max_latency, "1c",
	     "  tracing_max_latency\t- the longest time that a latency tracer has found\n"
	     "  tracing_thresh\t- record only calls, latencies and gaps of at least so many us\n");
