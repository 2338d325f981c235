/*
 * The files that choose what is traced and when: current_tracer, available_tracers, tracing_on,
 * trace_clock, tracing_cpumask, timestamp_mode.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/rcu/rcu.h"
#include "trace/core/files.h"
#include "kernel/time/trace_clock.h"

#define CPUMASK_TEXT_SIZE (NR_CPUS / 4 + NR_CPUS / 32 + 2)

/* ---- current_tracer, available_tracers ---- */

static ssize_t tracing_set_trace_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	char text[MAX_TRACER_SIZE + 2];
	int length;

	mutex_lock(&trace_types_lock);
	length = scnprintf(text, sizeof(text), "%s\n", trace_file_tr(file)->current_trace->name);
	mutex_unlock(&trace_types_lock);
	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

/* Ignores white space at the end, and cuts a longer text, as Linux does. */
static ssize_t tracing_set_trace_write(struct file *file, const char *buf, size_t count,
				       loff_t *pos)
{
	char name[MAX_TRACER_SIZE + 1];
	size_t length = min(count, (size_t)MAX_TRACER_SIZE);
	int error;

	memcpy(name, buf, length);
	name[length] = '\0';
	error = tracing_set_tracer(trace_file_tr(file), strim(name));
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations set_tracer_fops = {
	.read = tracing_set_trace_read,
	.write = tracing_set_trace_write,
	.llseek = generic_file_llseek,
};

static int available_tracers_show(struct seq_file *m, void *v __unused)
{
	const struct trace_array *tr = ((struct trace_cpu *)m->private)->tr;
	const char *separator = "";

	mutex_lock(&trace_types_lock);
	for (struct tracer *t = trace_types; t; t = t->next) {
		if (!tracer_fits(t, tr))
			continue;
		seq_printf(m, "%s%s", separator, t->name);
		separator = " ";
	}
	seq_putc(m, '\n');
	mutex_unlock(&trace_types_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(available_tracers);

/* ---- tracing_on ---- */

static ssize_t rb_simple_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos,
				       tracing_is_on_tr(trace_file_tr(file)) ? "1\n" : "0\n", 2);
}

static ssize_t rb_simple_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	unsigned long on;
	int error = trace_get_number(buf, count, 10, &on);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	tracing_set_on(tr, on != 0);
	mutex_unlock(&trace_types_lock);
	if (!on)
		synchronize_rcu(); /* an entry that has been begun is complete, too */
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations rb_simple_fops = {
	.read = rb_simple_read,
	.write = rb_simple_write,
	.llseek = generic_file_llseek,
};

/* ---- trace_clock ---- */

static int tracing_clock_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((struct trace_cpu *)m->private)->tr;
	unsigned chosen = READ_ONCE(tr->clock_id);

	for (unsigned i = 0; i < trace_nr_clocks; i++)
		seq_printf(m, "%s%s%s%s", i ? " " : "", i == chosen ? "[" : "",
			   trace_clocks[i].name, i == chosen ? "]" : "");
	seq_putc(m, '\n');
	return 0;
}

static ssize_t tracing_clock_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char name[64];
	int error = trace_get_word(name, sizeof(name), buf, count);

	if (!error)
		error = tracing_set_clock(trace_file_tr(file), name);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(tracing_clock);

/* ---- tracing_cpumask ---- */

static ssize_t tracing_cpumask_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	struct cpumask mask = { { 0 } };
	char text[CPUMASK_TEXT_SIZE];
	unsigned cpu;
	int length;

	mutex_lock(&trace_types_lock);
	for_each_possible_cpu (cpu)
		if (cpumask_test_cpu(cpu, &tr->tracing_cpumask))
			cpumask_set_cpu(cpu, &mask);
	mutex_unlock(&trace_types_lock);
	length = cpumask_print(text, sizeof(text) - 1, &mask);
	text[length++] = '\n';
	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t tracing_cpumask_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_array *tr = trace_file_tr(file);
	struct cpumask mask;
	char text[CPUMASK_TEXT_SIZE];
	unsigned long flags;
	unsigned cpu;
	int error = trace_get_word(text, sizeof(text), buf, count);

	if (!error)
		error = cpumask_parse(text, &mask);
	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	trace_max_lock(tr, &flags);
	for_each_possible_cpu (cpu) {
		bool was = cpumask_test_cpu(cpu, &tr->tracing_cpumask);
		bool now = cpumask_test_cpu(cpu, &mask);

		for (unsigned i = 0; i < ARRAY_SIZE(tr->buffers); i++) {
			if (was && !now)
				ring_buffer_record_disable_cpu(tr->buffers[i], cpu);
			else if (!was && now)
				ring_buffer_record_enable_cpu(tr->buffers[i], cpu);
		}
	}
	trace_max_unlock(tr, flags);
	tr->tracing_cpumask = mask;
	mutex_unlock(&trace_types_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations tracing_cpumask_fops = {
	.read = tracing_cpumask_read,
	.write = tracing_cpumask_write,
	.llseek = generic_file_llseek,
};

/* ---- timestamp_mode: an entry holds the time since the previous entry ---- */

static int timestamp_mode_show(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "[delta] absolute\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(timestamp_mode);

TRACE_FILE(available_tracers, 0440, &available_tracers_fops);
TRACE_FILE(current_tracer, 0640, &set_tracer_fops);
TRACE_FILE(tracing_on, 0640, &rb_simple_fops);
TRACE_FILE(trace_clock, 0640, &tracing_clock_fops);
TRACE_FILE(tracing_cpumask, 0640, &tracing_cpumask_fops);
TRACE_FILE(timestamp_mode, 0440, &timestamp_mode_fops);
