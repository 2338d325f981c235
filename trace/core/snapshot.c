/*
 * Snapshots: a trace_array has two buffers. Writers use one, and the other keeps the trace of an
 * earlier moment (Documentation/trace/ftrace.rst, "Snapshot"). Taking a snapshot exchanges the two
 * pointers, so its cost does not depend on the number of entries.
 *
 * No entry is lost: a writer that has read the pointer before the exchange completes its entry in
 * the buffer that is now the snapshot.
 */
#include "arch/cpu/irqflags.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"
#include "trace/core/files.h"
#include "trace/core/snapshot.h"
#include "trace/core/trace_file.h"
#include "trace/core/write.h"
#include "trace/core/readme.h"

/* Exchanges the buffers. tr->snapshot_lock held; releases it. */
static void swap_and_unlock(struct trace_array *tr)
{
	struct trace_buffer *old = tr->buffer, *new = tr->snapshot;

	WRITE_ONCE(tr->snapshot, old);
	WRITE_ONCE(tr->buffer, new);
	raw_ticket_unlock(&tr->snapshot_lock);
	/* Readers must wait at the other buffer now. */
	ring_buffer_wake_waiters(old);
	ring_buffer_wake_waiters(new);
}

/*
 * Exchanges the buffers. If another CPU is doing so for tr, its snapshot serves for this call too.
 * The function does not wait for the lock, because a waiter's wake-up calls functions that may be
 * traced and may call this function again. Interrupts off.
 */
static void swap_buffers(struct trace_array *tr)
{
	if (raw_ticket_trylock(&tr->snapshot_lock))
		swap_and_unlock(tr);
}

/* A latency tracer does not run again in the functions that a waiter calls. */
void tracing_swap_buffers_tr(struct trace_array *tr)
{
	raw_ticket_lock(&tr->snapshot_lock);
	swap_and_unlock(tr);
}

static void say(struct trace_array *tr, const char *text)
{
	trace_write_print(tr, (unsigned long)tracing_snapshot_tr, text, __builtin_strlen(text));
}

void tracing_snapshot_tr(struct trace_array *tr)
{
	unsigned long flags;

	if (in_nmi()) { /* it may have interrupted the holder of the lock */
		say(tr, "*** snapshot asked for in an NMI: not taken ***\n");
	} else if (READ_ONCE(tr->current_trace)->use_max) {
		say(tr, "*** a latency tracer uses the snapshot: not taken ***\n");
	} else if (!READ_ONCE(tr->snapshot_allocated)) {
		say(tr, "*** no snapshot buffer allocated: tracing stops here ***\n");
		tracing_record_off_tr(tr);
	} else {
		raw_local_irq_save(flags);
		swap_buffers(tr);
		raw_local_irq_restore(flags);
	}
}

/* T held: the sizes do not change, but a snapshot may exchange the buffers. */
int tracing_alloc_snapshot_tr(struct trace_array *tr)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer), *spare = other_buffer(tr, buffer);
	int error = tr->persistent ? -EBUSY : tracing_expand(tr); /* its buffer has one place */
	unsigned cpu;

	if (tr->snapshot_allocated || error)
		return error;
	error = ring_buffer_subbuf_order_set(spare, ring_buffer_subbuf_order_get(buffer));
	for_each_possible_cpu (cpu)
		if (!error)
			error = ring_buffer_resize(spare, ring_buffer_size(buffer, cpu), (int)cpu);
	if (error) {
		ring_buffer_shrink(spare);
		return error;
	}
	tracing_resized(tr);
	WRITE_ONCE(tr->snapshot_allocated, true);
	return 0;
}

/* T held. */
int tracing_free_snapshot_tr(struct trace_array *tr)
{
	/* A probe that starts now does not take a snapshot; wait for those that have started. */
	WRITE_ONCE(tr->snapshot_allocated, false);
	synchronize_sched();
	tracing_reset_snapshot_cpu(tr, RING_BUFFER_ALL_CPUS);
	return ring_buffer_shrink(tr->snapshot);
}

void tracing_disarm_snapshot(struct trace_array *tr)
{
	__atomic_fetch_sub(&tr->snapshot_users, 1, __ATOMIC_SEQ_CST);
}

int tracing_arm_snapshot_locked(struct trace_array *tr)
{
	int error;

	if (!tracing_add_snapshot_user(tr, 1))
		return -EBUSY;
	error = tracing_alloc_snapshot_tr(tr);
	if (error)
		tracing_disarm_snapshot(tr);
	return error;
}

int tracing_arm_snapshot(struct trace_array *tr)
{
	int error;

	mutex_lock(&trace_types_lock);
	error = tracing_arm_snapshot_locked(tr);
	mutex_unlock(&trace_types_lock);
	return error;
}

/* T held. */
static int take_snapshot(struct trace_array *tr)
{
	int error = tracing_arm_snapshot_locked(tr);

	if (!error) {
		tracing_snapshot_tr(tr);
		tracing_disarm_snapshot(tr);
	}
	return error;
}

/* ---- snapshot ---- */

void print_snapshot_help(struct seq_file *m, struct trace_iterator *iter)
{
	bool all = iter->cpu_file == RING_BUFFER_ALL_CPUS;

	seq_printf(m, "#\n# * Snapshot is %s *\n#\n# Snapshot commands:\n",
		   iter->tr->snapshot_allocated ? "allocated" : "freed");
	if (all)
		seq_puts(m, "# echo 0 > snapshot : gives the memory of the snapshot back\n"
			    "# echo 1 > snapshot : takes a snapshot of the trace; the first one "
			    "allocates memory for it\n"
			    "# echo 2 > snapshot : empties the snapshot, and keeps its memory "
			    "(so does any larger number)\n");
	else
		seq_puts(m, "# echo 2 > snapshot : empties this CPU's part of the snapshot (so "
			    "does any larger number)\n"
			    "# 0 and 1 are for the snapshot of all CPUs\n");
}

static int snapshot_open(struct inode *inode __unused, struct file *file)
{
	if (!(file->f_mode & FMODE_READ))
		return 0;
	if (READ_ONCE(trace_file_tr(file)->current_trace)->use_max)
		return -EBUSY;
	return trace_open_for_reading(file, true);
}

static ssize_t snapshot_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_cpu *where = trace_file_cpu(file);
	unsigned long what;
	int error = trace_get_number(buf, count, 10, &what);

	if (!error && what < 2 && where->cpu != RING_BUFFER_ALL_CPUS)
		error = -EINVAL;
	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	if (where->tr->current_trace->use_max)
		error = -EBUSY;
	else if (what == 0)
		error = tracing_free_snapshot_tr(where->tr);
	else if (what == 1)
		error = take_snapshot(where->tr);
	else
		tracing_reset_snapshot_cpu(where->tr, where->cpu);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations snapshot_fops = {
	.open = snapshot_open,
	.read = seq_read,
	.write = snapshot_write,
	.llseek = tracing_lseek,
	.release = tracing_release,
};

/* ---- the command line ---- */

static bool alloc_at_boot __initdata, snapshot_at_boot __initdata;

static int __init alloc_snapshot_setup(const char *value __unused)
{
	alloc_at_boot = true;
	return 0;
}
__setup("alloc_snapshot", alloc_snapshot_setup);

static int __init boot_snapshot_setup(const char *value __unused)
{
	alloc_at_boot = true;
	snapshot_at_boot = true;
	return 0;
}
__setup("ftrace_boot_snapshot", boot_snapshot_setup);

static int __init alloc_boot_snapshot(void)
{
	int error = 0;

	mutex_lock(&trace_types_lock);
	if (alloc_at_boot)
		error = tracing_alloc_snapshot_tr(&global_trace);
	mutex_unlock(&trace_types_lock);
	return error;
}
device_initcall(alloc_boot_snapshot);

static int __init take_boot_snapshot(void)
{
	if (snapshot_at_boot)
		tracing_snapshot_tr(&global_trace);
	return 0;
}
late_initcall(take_boot_snapshot);

TRACE_FILE(snapshot, 0640, &snapshot_fops, .per_cpu = true);

TRACE_README(snapshot, "1b",
	     "  snapshot\t\t- the trace as it was when 1 was written here\n"
	     "\t\t\t  Read it for what may be written\n");
