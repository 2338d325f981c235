/* The file `trace`: shows the whole trace as text without consuming it. O_TRUNC clears it. */
#include "trace/core/files.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/snapshot.h"
#include "trace/core/trace_file.h"
#include "fs/vfs/seq_file.h"
#include "kernel/boot/version.h"
#include "kernel/time/ktime.h"

/* ---- the heading: Documentation/trace/ftrace.rst, "Output format" ---- */

static void get_total_entries(struct trace_buffer *buffer, u64 *total, u64 *entries)
{
	struct ring_buffer_stats stats;
	unsigned cpu;

	*total = *entries = 0;
	for_each_possible_cpu (cpu) {
		ring_buffer_cpu_stats(buffer, cpu, &stats);
		*total += stats.entries + stats.overrun;
		*entries += stats.entries;
	}
}

static void print_event_info(struct seq_file *m, struct trace_buffer *buffer)
{
	u64 total, entries;

	get_total_entries(buffer, &total, &entries);
	seq_printf(m, "# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n",
		   (unsigned long long)entries, (unsigned long long)total, num_online_cpus());
}

static void print_func_help_header(struct seq_file *m, struct trace_buffer *buffer, u64 flags)
{
	bool tgid = flags & TRACE_ITER_RECORD_TGID;

	print_event_info(m, buffer);
	seq_printf(m, "#           TASK-PID    %s CPU#     TIMESTAMP  FUNCTION\n",
		   tgid ? "   TGID   " : "");
	seq_printf(m, "#              | |      %s   |         |         |\n",
		   tgid ? "     |    " : "");
}

static void print_func_help_header_irq(struct seq_file *m, struct trace_buffer *buffer, u64 flags)
{
	const char *space = "            ";
	bool tgid = flags & TRACE_ITER_RECORD_TGID;
	int prec = tgid ? 12 : 2;

	print_event_info(m, buffer);
	seq_printf(m, "#                            %.*s  _-----=> irqs-off/BH-disabled\n", prec,
		   space);
	seq_printf(m, "#                            %.*s / _----=> need-resched\n", prec, space);
	seq_printf(m, "#                            %.*s| / _---=> hardirq/softirq\n", prec, space);
	seq_printf(m, "#                            %.*s|| / _--=> preempt-depth\n", prec, space);
	seq_printf(m, "#                            %.*s||| / _-=> migrate-disable\n", prec, space);
	seq_printf(m, "#                            %.*s|||| /     delay\n", prec, space);
	seq_printf(m, "#           TASK-PID  %.*s CPU#  |||||  TIMESTAMP  FUNCTION\n", prec,
		   "     TGID   ");
	seq_printf(m, "#              | |    %.*s   |   |||||     |         |\n", prec,
		   "       |    ");
}

static void print_lat_help_header(struct seq_file *m)
{
	seq_puts(m, "#                    _------=> CPU#            \n"
		    "#                   / _-----=> irqs-off/BH-disabled\n"
		    "#                  | / _----=> need-resched    \n"
		    "#                  || / _---=> hardirq/softirq \n"
		    "#                  ||| / _--=> preempt-depth   \n"
		    "#                  |||| / _-=> migrate-disable \n"
		    "#                  ||||| /     delay           \n"
		    "#  cmd     pid     |||||| time  |   caller     \n"
		    "#     \\   /        ||||||  \\    |    /       \n");
}

/* Counts the entries that a reader of a worst case sees. The reader is at the beginning. */
static void count_max_entries(struct trace_iterator *iter, u64 *total, u64 *entries)
{
	struct ring_buffer_stats stats;

	*entries = 0;
	while (trace_find_next_entry(iter))
		++*entries;
	*total = *entries;
	/* All entries in the buffer belong to it: so do those that were overwritten. */
	if (!iter->skipped) {
		ring_buffer_cpu_stats(iter->buffer, iter->max.cpu, &stats);
		*total += stats.overrun;
	}
	trace_iterator_reset(iter);
}

static void print_symbol(struct seq_file *m, struct trace_iterator *iter, const char *what,
			 unsigned long ip)
{
	seq_puts(m, what);
	trace_seq_init(&iter->seq);
	seq_print_ip_sym(&iter->seq, ip, trace_iter_flags(iter));
	trace_print_seq(m, &iter->seq);
	seq_putc(m, '\n');
}

/* The first lines of latency-format. Only a latency tracer has a task and a latency. */
void print_latency_header(struct seq_file *m, struct trace_iterator *iter)
{
	const struct trace_max_record *max = &iter->max;
	u64 total, entries;

	if (iter->shows_max)
		count_max_entries(iter, &total, &entries);
	else
		get_total_entries(iter->buffer, &total, &entries);
	seq_printf(m, "# %s latency trace v1.1.5 on %s\n", iter->trace->name, UTS_LINUX_RELEASE);
	seq_puts(m, "# -----------------------------------"
		    "---------------------------------\n");
	seq_printf(
		m,
		"# latency: %llu us, #%llu/%llu, CPU#%u | (M:%s VP:%d, KP:%d, SP:%d HP:%d #P:%u)\n",
		(unsigned long long)max->latency / NSEC_PER_USEC, (unsigned long long)entries,
		(unsigned long long)total, max->cpu, "preempt", 0, 0, 0, 0, num_online_cpus());
	seq_puts(m, "#    -----------------\n");
	seq_printf(m, "#    | task: %.16s-%d (uid:%u nice:%d policy:%d rt_prio:%d)\n", max->comm,
		   max->pid, max->uid, max->nice, max->policy, max->rt_priority);
	seq_puts(m, "#    -----------------\n");
	if (max->critical_start) {
		print_symbol(m, iter, "#  => started at: ", max->critical_start);
		print_symbol(m, iter, "#  => ended at:   ", max->critical_end);
		seq_puts(m, "#\n");
	}
	seq_puts(m, "#\n");
}

void print_trace_default_header(struct seq_file *m, struct trace_iterator *iter)
{
	u64 flags = trace_iter_flags(iter);

	if (!(flags & TRACE_ITER_CONTEXT_INFO))
		return;
	if (flags & TRACE_ITER_LATENCY_FMT) {
		if (trace_empty(iter))
			return;
		print_latency_header(m, iter);
		if (!(flags & TRACE_ITER_VERBOSE))
			print_lat_help_header(m);
	} else if (!(flags & TRACE_ITER_VERBOSE)) {
		if (flags & TRACE_ITER_IRQ_INFO)
			print_func_help_header_irq(m, iter->buffer, flags);
		else
			print_func_help_header(m, iter->buffer, flags);
	}
}

void print_trace_header(struct seq_file *m, struct trace_iterator *iter)
{
	seq_printf(m, "# tracer: %s\n#\n", iter->trace->name);
	if (iter->snapshot && trace_empty(iter))
		print_snapshot_help(m, iter);
	else if (iter->trace->print_header)
		iter->trace->print_header(m, iter);
	else
		print_trace_default_header(m, iter);
}

/*
 * ---- the seq_file: record 0 is the heading, record n is entry n ----
 *
 * iter->pos is the number of the record that the iterator holds. Each read(2) calls s_start()
 * again. Usually its position is iter->pos. After an lseek(2) it is another, and s_start() goes
 * there.
 */

static void *s_at(struct trace_iterator *iter)
{
	return iter->pos == 0 || iter->ent ? iter : NULL;
}

static void *s_start(struct seq_file *m, loff_t *pos)
{
	struct trace_iterator *iter = m->private;
	int error = trace_iterator_fit(iter);

	if (error)
		return ERR_PTR(error);
	if (*pos != iter->pos)
		iter->leftover = false;
	if (*pos < iter->pos) {
		trace_iterator_reset(iter);
		iter->pos = 0;
	}
	while (iter->pos < *pos) {
		if (!trace_find_next_entry(iter))
			return NULL;
		iter->pos++;
	}
	return s_at(iter);
}

static void *s_next(struct seq_file *m, void *v __unused, loff_t *pos)
{
	struct trace_iterator *iter = m->private;

	++*pos;
	if (!trace_find_next_entry(iter))
		return NULL;
	iter->pos = *pos;
	return iter;
}

static void s_stop(struct seq_file *m __unused, void *v __unused)
{
}

static int s_show(struct seq_file *m, void *v __unused)
{
	struct trace_iterator *iter = m->private;
	enum print_line_t ret;

	if (iter->pos == 0) {
		print_trace_header(m, iter);
		return 0;
	}
	if (!iter->leftover) {
		trace_seq_init(&iter->seq);
		ret = print_trace_line(iter);
		if (ret == TRACE_TYPE_PARTIAL_LINE)
			trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
	}
	/* The line is kept: a tracer may print an entry only once, because it remembers it. */
	iter->leftover = !trace_print_seq(m, &iter->seq);
	return 0;
}

static const struct seq_operations tracer_seq_ops = {
	.start = s_start,
	.next = s_next,
	.stop = s_stop,
	.show = s_show,
};

static bool buffer_has_overruns(struct trace_buffer *buffer)
{
	u64 total, entries;

	get_total_entries(buffer, &total, &entries);
	return total != entries;
}

int trace_open_for_reading(struct file *file, bool snapshot)
{
	struct trace_cpu *where = trace_file_cpu(file);
	struct trace_array *tr = where->tr;
	struct trace_iterator *iter;
	bool paused;
	int error;

	mutex_lock(&trace_types_lock);
	paused = !snapshot && tr->trace_flags & TRACE_ITER_PAUSE_ON_TRACE;
	if (paused)
		tracing_stop_tr(tr);
	iter = snapshot ? trace_iterator_alloc_of(tr, READ_ONCE(tr->snapshot), where->cpu)
	       : tr->print_trace->use_max ? trace_iterator_alloc_max(tr, where->cpu)
					  : trace_iterator_alloc(tr, where->cpu, false);
	error = iter ? seq_open(file, &tracer_seq_ops) : -ENOMEM;
	if (!error) {
		((struct seq_file *)file->private_data)->private = iter;
		iter->snapshot = snapshot;
		iter->annotated = !iter->shows_max && buffer_has_overruns(iter->buffer);
		iter->paused = paused;
	} else {
		if (iter)
			trace_iterator_free(iter);
		if (paused)
			tracing_start_tr(tr);
	}
	mutex_unlock(&trace_types_lock);
	return error;
}

static int tracing_open(struct inode *inode __unused, struct file *file)
{
	struct trace_cpu *where = trace_file_cpu(file);

	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&trace_types_lock);
		if (where->tr->print_trace->use_max)
			trace_max_clear(where->tr, false);
		else
			tracing_reset_cpu(where->tr, where->cpu);
		mutex_unlock(&trace_types_lock);
	}
	return file->f_mode & FMODE_READ ? trace_open_for_reading(file, false) : 0;
}

int tracing_release(struct inode *inode, struct file *file)
{
	struct trace_iterator *iter;

	if (!(file->f_mode & FMODE_READ))
		return 0;
	iter = ((struct seq_file *)file->private_data)->private;
	if (iter->paused) {
		mutex_lock(&trace_types_lock);
		tracing_start_tr(iter->tr);
		mutex_unlock(&trace_types_lock);
	}
	trace_iterator_free(iter);
	return seq_release(inode, file);
}

/* open() clears the trace. The written text has no meaning. */
static ssize_t tracing_write_stub(struct file *file __unused, const char *buf __unused,
				  size_t count, loff_t *pos __unused)
{
	return (ssize_t)count;
}

loff_t tracing_lseek(struct file *file, loff_t offset, int whence)
{
	return file->f_mode & FMODE_READ ? seq_lseek(file, offset, whence) : 0;
}

static const struct file_operations tracing_fops = {
	.open = tracing_open,
	.read = seq_read,
	.write = tracing_write_stub,
	.llseek = tracing_lseek,
	.release = tracing_release,
};

TRACE_FILE(trace, 0640, &tracing_fops, .per_cpu = true);
