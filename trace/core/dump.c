/*
 * Prints the trace to the console: after an oops (ftrace_dump_on_oops), for sysrq z, and for the
 * probes dump and cpudump. Tracing is off afterwards.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "trace/core/dump.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/trace_printk.h"

#define DUMP_RULE "---------------------------------\n"

/*
 * One for each buffer of the top level. Allocated at boot, because a dump cannot allocate memory.
 */
static struct trace_iterator *dump_iters[2]; /* [dump_running] */
static int dump_running;                     /* a lock that is only ever tried */

/* /proc/sys/kernel/ftrace_dump_on_oops. 0: no dump; 2: the CPU of the oops; else all CPUs. [A] */
static int dump_on_oops;

static void dump_text(struct trace_seq *s)
{
	char *rest = s->buffer, *line;

	s->buffer[min(s->len, (size_t)TRACE_SEQ_SIZE - 1)] = '\0';
	/* Each line is one record of the log, because an entry may be longer than a record. */
	while ((line = strsep(&rest, "\n")) != NULL)
		if (rest || *line)
			pr_emerg("%s\n", line);
	trace_seq_init(s);
}

/* Names the CPUs with missing entries: the dump has interrupted a reader of their entries. */
static void dump_busy_cpus(struct trace_iterator *iter)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		if (iter->iters[cpu] && ring_buffer_iter_busy(iter->iters[cpu]))
			pr_emerg("   (CPU %u: the buffer is being read)\n", cpu);
}

/* Finds the next entry of task pid, or of any task if pid is negative. */
static bool find_next_of(struct trace_iterator *iter, pid_t pid)
{
	while (trace_find_next_entry(iter))
		if (pid < 0 || iter->ent->pid == pid)
			return true;
	return false;
}

/* Prints the entries of a task but for the first `skip`; see find_next_of(). */
static void print_entries(struct trace_iterator *iter, pid_t pid, unsigned skip)
{
	unsigned entries = 0;

	trace_iterator_reset(iter);
	while (find_next_of(iter, pid)) {
		if (entries++ < skip)
			continue;
		if (entries == skip + 1)
			pr_emerg(DUMP_RULE);
		trace_seq_init(&iter->seq);
		print_trace_line(iter);
		dump_text(&iter->seq);
	}
	pr_emerg("%s", entries ? DUMP_RULE : "   (ftrace buffer empty)\n");
	dump_busy_cpus(iter);
}

static unsigned count_entries(struct trace_iterator *iter, pid_t pid)
{
	unsigned entries = 0;

	trace_iterator_reset(iter);
	while (find_next_of(iter, pid))
		entries++;
	return entries;
}

static void dump_entries(struct trace_iterator *iter, pid_t pid, unsigned last)
{
	unsigned all;

	/*
	 * Short lines, whatever the options are. A tracer with print_line has its own format. That
	 * of a module is left out, because a dump cannot take a reference and give it back.
	 */
	iter->trace = READ_ONCE(iter->tr->print_trace);
	if (iter->trace->owner)
		iter->trace = &nop_trace;
	iter->flags_set = iter->trace->print_line ? 0 : TRACE_ITER_LATENCY_FMT;
	iter->flags_cleared = TRACE_ITER_VERBOSE | TRACE_ITER_BIN | TRACE_ITER_HEX | TRACE_ITER_RAW;
	all = last ? count_entries(iter, pid) : 0;
	print_entries(iter, pid, all > last ? all - last : 0);
}

static void dump(int cpu, pid_t pid, unsigned last)
{
	struct trace_iterator *iter;

	if (!dump_iters[1] || __atomic_exchange_n(&dump_running, 1, __ATOMIC_ACQUIRE))
		return;
	/* The functions that the dump calls would overwrite the entries that it prints. */
	tracing_off();
	if (last)
		pr_emerg("Last events of task %d:\n", pid);
	else
		pr_emerg("Dumping ftrace buffer:\n");
	iter = dump_iters[READ_ONCE(global_trace.buffer) == global_trace.buffers[1]];
	iter->cpu_file = cpu;
	dump_entries(iter, pid, last);
	__atomic_store_n(&dump_running, 0, __ATOMIC_RELEASE);
}

void ftrace_dump(int cpu)
{
	dump(cpu, -1, 0);
}

#ifdef CONFIG_DEBUG
#define LAST_EVENTS 10

/* For reports about slab objects: what a task did before. */
static void dump_last_events(pid_t pid)
{
	dump(RING_BUFFER_ALL_CPUS, pid, LAST_EVENTS);
}
#endif

/*
 * Prepares dumps for the size that the sub-buffers of the top level have now, as a dump cannot
 * allocate memory. Without memory, or if a dump runs, dumps omit entries, and a warning says so.
 * Task context.
 */
static void dump_fit(void)
{
	int error = -EBUSY;

	if (!dump_iters[1])
		return;
	if (!__atomic_exchange_n(&dump_running, 1, __ATOMIC_ACQUIRE)) {
		error = trace_iterator_fit(dump_iters[0]);
		if (!error)
			error = trace_iterator_fit(dump_iters[1]);
		__atomic_store_n(&dump_running, 0, __ATOMIC_RELEASE);
	}
	if (error)
		pr_warn("tracing: dumps of the trace will omit entries: error %d\n", error);
}

static void ftrace_dump_oops(void)
{
	int which = READ_ONCE(dump_on_oops);

	if (which)
		ftrace_dump(which == 2 ? (int)smp_processor_id() : RING_BUFFER_ALL_CPUS);
}

/* ftrace_dump_on_oops or =1: dump all CPUs; =orig_cpu or =2: dump the CPU of the oops. */
static int __init set_ftrace_dump_on_oops(const char *value)
{
	if (value && (strcmp(value, "orig_cpu") == 0 || strcmp(value, "2") == 0))
		dump_on_oops = 2;
	else if (!value || !*value || strcmp(value, "1") == 0)
		dump_on_oops = 1;
	else
		return -EINVAL;
	return 0;
}
__setup("ftrace_dump_on_oops", set_ftrace_dump_on_oops);

SYSCTL_INT(ftrace_dump_on_oops, "kernel", dump_on_oops, proc_dointvec);

static void sysrq_ftrace_dump(void)
{
	ftrace_dump(RING_BUFFER_ALL_CPUS);
}

SYSRQ_KEY(z) = { 'z', sysrq_ftrace_dump, "dump-ftrace-buffer(z)", "Dump ftrace buffer" };

static struct trace_iterator *__init alloc_dump_iterator(struct trace_buffer *buffer)
{
	struct trace_iterator *iter =
		trace_iterator_alloc_of(&global_trace, buffer, RING_BUFFER_ALL_CPUS);

	if (!iter)
		return NULL;
	for (struct tracer *t = trace_own_types; t; t = t->next)
		trace_iterator_open_tracer(iter, t);
	iter->any_context = true;
	return iter;
}

static int __init trace_dump_init(void)
{
	if (!global_trace.buffer)
		return -ENOMEM;
	for (unsigned i = 0; i < ARRAY_SIZE(dump_iters); i++) {
		dump_iters[i] = alloc_dump_iterator(global_trace.buffers[i]);
		if (!dump_iters[i])
			return -ENOMEM;
	}
	oops_dump_hook = ftrace_dump_oops;
	tracing_resized_hook = dump_fit;
#ifdef CONFIG_DEBUG
	slab_report_hook = dump_last_events;
#endif
	return 0;
}
device_initcall(trace_dump_init);
