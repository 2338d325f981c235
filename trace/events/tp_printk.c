/*
 * The parameter tp_printk prints each event to the kernel log, in addition to the trace. It is for
 * a boot that hangs before the trace can be read. /proc/sys/kernel/tracepoint_printk stops it and
 * starts it again; without the parameter that file has no effect, because there is no iterator.
 */
#include "trace/events/tp_printk.h"

#include "arch/cpu/irqflags.h"
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "trace/core/iterator.h"
#include "trace/core/output.h"
#include "trace/events/record.h"

static bool wanted __initdata;          /* the parameter tp_printk */
static bool stop_after_boot __initdata; /* the parameter tp_printk_stop_on_boot */

static DEFINE_SPINLOCK(tp_printk_lock);       /* K: leaf but for printk()'s own; interrupts off */
static struct trace_iterator *tp_printk_iter; /* [K] constant pointer after the boot; NULL: none */
static DEFINE_PER_CPU(bool, tp_printing);     /* this CPU wants or holds K */

/* K held. */
static void print_event(const struct trace_event_buffer *fbuffer)
{
	struct trace_event *event = &fbuffer->file->call->event;
	struct trace_iterator *iter = tp_printk_iter;

	trace_seq_init(&iter->seq);
	iter->tr = fbuffer->file->tr;
	iter->ent = fbuffer->entry;
	iter->ent_size = fbuffer->length;
	iter->text_len = 0;
	if (event->trace)
		event->trace(iter);
	printk("%.*s", (int)iter->seq.len, iter->seq.buffer);
}

void trace_event_printk(const struct trace_event_buffer *fbuffer)
{
	unsigned long flags;
	bool locked;

	if (!tp_printk_iter || this_cpu_read(tp_printing))
		return;
	raw_local_irq_save(flags);
	this_cpu_write(tp_printing, true);
	/* The holder may wait for a lock of the console that this NMI has interrupted. */
	locked = raw_ticket_trylock(&tp_printk_lock);
	if (!locked && !in_nmi()) {
		raw_ticket_lock(&tp_printk_lock);
		locked = true;
	}
	if (locked) {
		print_event(fbuffer);
		raw_ticket_unlock(&tp_printk_lock);
	}
	this_cpu_write(tp_printing, false);
	raw_local_irq_restore(flags);
}

/* ---- parameters and the file ---- */

static int __init tp_printk_setup(const char *value)
{
	wanted = !value || (strcmp(value, "0") != 0 && strcmp(value, "off") != 0);
	return 0;
}
__setup("tp_printk", tp_printk_setup);

static int __init tp_printk_stop_setup(const char *value __unused)
{
	stop_after_boot = true;
	return 0;
}
__setup("tp_printk_stop_on_boot", tp_printk_stop_setup);

static int tracepoint_printk; /* [E] what the file shows: events are printed */

bool trace_events_printed(void)
{
	return tracepoint_printk;
}

/* Makes all events of a trace_array follow tracepoint_printk. E held. */
static void update_files(struct trace_array *tr)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (tracepoint_printk)
			__atomic_fetch_or(&file->flags, EVENT_FILE_FL_PRINTK, __ATOMIC_SEQ_CST);
		else
			__atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_PRINTK,
					   __ATOMIC_SEQ_CST);
}

/* E held. */
static void switch_printing(bool on)
{
	struct trace_array *tr;

	tracepoint_printk = on && tp_printk_iter;
	mutex_lock(&trace_types_lock);
	for_each_trace_array (tr)
		update_files(tr);
	mutex_unlock(&trace_types_lock);
}

static int proc_tracepoint_printk(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int error;

	mutex_lock(&event_mutex);
	error = proc_dointvec(table, write, buf, size);
	if (!error && write)
		switch_printing(tracepoint_printk);
	mutex_unlock(&event_mutex);
	return error;
}

SYSCTL_INT(tracepoint_printk, "kernel", tracepoint_printk, proc_tracepoint_printk);

void __init tp_printk_start(void)
{
	if (!wanted)
		return;
	tp_printk_iter = kzalloc(sizeof(*tp_printk_iter), GFP_KERNEL);
	if (!tp_printk_iter)
		pr_warn("tp_printk: no memory\n");
	mutex_lock(&event_mutex);
	switch_printing(true);
	mutex_unlock(&event_mutex);
}

static int __init tp_printk_stop(void)
{
	mutex_lock(&event_mutex);
	if (stop_after_boot)
		switch_printing(false);
	mutex_unlock(&event_mutex);
	return 0;
}
late_initcall(tp_printk_stop);
