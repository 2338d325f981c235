/*
 * The function tracer of pstore: records each call in memory that survives a reboot, without a ring
 * buffer (Linux: Documentation/admin-guide/ramoops.rst, "Persistent function tracing").
 *
 * The file record_ftrace in the debugfs directory pstore turns it on and off. On the command line
 * pstore.record_ftrace=1 turns it on.
 *
 * It traces the functions of set_ftrace_filter and set_ftrace_notrace. A writer takes the next
 * record of its CPU with one instruction; an interrupt or NMI after that takes another one.
 */
#include "arch/cpu/percpu.h"
#include "fs/debug/debugfs.h"
#include "fs/pstore/ftrace.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"
#include "kernel/smp.h"
#include "kernel/time/trace_clock.h"
#include "trace/core/files.h"
#include "trace/core/trace_array.h"
#include "trace/tracers/function/function.h"

struct pstore_ring {
	struct pstore_ftrace_record *records; /* constant after the boot */
	unsigned count;                       /* constant after the boot */
	u32 next;                             /* [A] the number of the next record */
};
static DEFINE_PER_CPU(struct pstore_ring, pstore_ring);

static DEFINE_MUTEX(pstore_ftrace_mutex);
static bool enabled; /* [pstore_ftrace_mutex] */
static bool stopped; /* [A] by a panic */
static bool on_at_boot __initdata;

static void pstore_ftrace_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	struct pstore_ftrace_record *record;
	struct pstore_ring *ring;

	if (unlikely(READ_ONCE(stopped)))
		return;
	preempt_disable_notrace();
	ring = this_cpu_ptr(&pstore_ring);
	record = &ring->records[__atomic_fetch_add(&ring->next, 1, __ATOMIC_RELAXED) % ring->count];
	WRITE_ONCE(record->sum, 0);
	barrier();
	record->ip = ip;
	record->parent_ip = parent_ip;
	record->ts = trace_clock_local();
	record->cpu = smp_processor_id();
	barrier();
	WRITE_ONCE(record->sum, pstore_ftrace_sum(record));
	preempt_enable_notrace();
}

static struct ftrace_ops pstore_ops = { .func = pstore_ftrace_call };

/* The report of a panic would overwrite what led to it. */
static void stop_at_panic(void)
{
	WRITE_ONCE(stopped, true);
}

PANIC_ENTER(stop_at_panic);

static int set_enabled(bool on)
{
	int error = 0;

	mutex_lock(&pstore_ftrace_mutex);
	if (on != enabled)
		error = on ? register_ftrace_function(&pstore_ops)
			   : unregister_ftrace_function(&pstore_ops);
	if (!error)
		enabled = on;
	mutex_unlock(&pstore_ftrace_mutex);
	return error;
}

static ssize_t record_ftrace_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos, READ_ONCE(enabled) ? "1\n" : "0\n", 2);
}

static ssize_t record_ftrace_write(struct file *file __unused, const char *buf, size_t count,
				   loff_t *pos)
{
	unsigned long on;
	int error = trace_get_number(buf, count, 0, &on);

	error = error ? error : set_enabled(on);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations record_ftrace_fops = { .read = record_ftrace_read,
							   .write = record_ftrace_write,
							   .llseek = noop_llseek };

static int __init set_record_ftrace(const char *value)
{
	on_at_boot = true;
	return value ? kstrtobool(value, &on_at_boot) : 0;
}
__setup("pstore.record_ftrace", set_record_ftrace);

static int __init pstore_ftrace_start(void)
{
	struct dentry *dir;
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct pstore_ring *ring = per_cpu_ptr(&pstore_ring, cpu);

		ring->records = pstore_ftrace_ring(cpu, &ring->count);
		if (!ring->records)
			return 0;
	}
	ftrace_share_hashes(function_trace_ops(&global_trace), &pstore_ops);
	dir = debugfs_create_dir("pstore", NULL);
	if (IS_ERR(debugfs_create_file("record_ftrace", 0600, dir, NULL, &record_ftrace_fops)))
		return -ENOMEM;
	return on_at_boot ? set_enabled(true) : 0;
}
device_initcall(pstore_ftrace_start);
