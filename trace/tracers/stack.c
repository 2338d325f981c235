/*
 * The stack tracer records the deepest stack of all tasks, with the functions on it
 * (Documentation/trace/ftrace.rst, "Stack trace").
 *
 * At each traced call it compares the stack's depth with the largest depth so far. The depth is the
 * distance from the top of the task's stack to the return address of the call. For a deeper call it
 * unwinds the stack, and then searches the stack for each return address: the distance from there
 * to the top is the depth of the caller.
 *
 * The callback disables preemption. A per-CPU count guards it against recursion, so the functions
 * that it calls may be traced. It does nothing in NMIs, because an NMI may interrupt the holder of
 * the lock.
 */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/unwind/stacktrace.h"
#include "fs/proc/proc_fs.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/mutex.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace_files/filter.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"

#define STACK_TRACE_ENTRIES 128
#define SITE_SIZE           5 /* the return address of a site is its address plus this */

/* A return address, and the number of bytes from its place to the top of the stack. */
struct stack_place {
	unsigned long ip;
	unsigned long depth;
};

static DEFINE_SPINLOCK(max_stack_lock); /* interrupts off; bare: taken in callbacks */
static unsigned long stack_max_size;    /* [max_stack_lock] to write, bytes */
static unsigned nr_places;              /* [max_stack_lock] */
static struct stack_place places[STACK_TRACE_ENTRIES]; /* [max_stack_lock] the deepest first */
static unsigned long callers[STACK_TRACE_ENTRIES];     /* [max_stack_lock] */

static DEFINE_PER_CPU(unsigned, stack_trace_nesting);

static DEFINE_MUTEX(stack_sysctl_mutex);
static int stack_tracer_enabled; /* [stack_sysctl_mutex] */

static unsigned long lock_max_stack(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	this_cpu_inc(stack_trace_nesting); /* ignore calls that are made with the lock held */
	raw_ticket_lock(&max_stack_lock);
	return flags;
}

static void unlock_max_stack(unsigned long flags)
{
	raw_ticket_unlock(&max_stack_lock);
	this_cpu_dec(stack_trace_nesting);
	raw_local_irq_restore(flags);
}

/* Stores the function at ip and its callers. Returns their number. Lock held. */
static unsigned save_callers(unsigned long ip)
{
	unsigned count = stack_trace_save(callers, STACK_TRACE_ENTRIES, 0), first = 0;

	while (first < count && callers[first] != ip + SITE_SIZE)
		first++;
	memmove(callers, callers + first, (count - first) * sizeof(callers[0]));
	return count - first;
}

/* Records the stack from slot, the first word of the traced call, to top. Lock held. */
static void record_stack(unsigned long ip, const unsigned long *slot, unsigned long top)
{
	unsigned count = save_callers(ip);

	nr_places = 0;
	for (unsigned i = 0; i < count; i++) {
		const unsigned long *p = slot;

		while ((unsigned long)p < top && *p != callers[i])
			p++;
		if ((unsigned long)p >= top)
			continue; /* not a return address, or not on this stack */
		places[nr_places++] = (struct stack_place){ callers[i], top - (unsigned long)p };
		slot = p + 1;
	}
}

static void stack_trace_call(unsigned long ip, unsigned long parent_ip __unused,
			     struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	/* Below the function's own return address is the return address of its site. */
	const unsigned long *slot = ftrace_regs_return_slot(fregs) - 1;
	unsigned long top, size, flags;

	preempt_disable_notrace();
	top = (unsigned long)current->stack + THREAD_SIZE;
	size = top - (unsigned long)slot;
	if (likely(size <= READ_ONCE(stack_max_size)) || size > THREAD_SIZE || in_nmi() ||
	    this_cpu_read(stack_trace_nesting))
		goto out;
	flags = lock_max_stack();
	if (size > stack_max_size) {
		stack_max_size = size;
		record_stack(ip, slot, top);
	}
	unlock_max_stack(flags);
out:
	preempt_enable_notrace();
}

static struct ftrace_ops stack_ops = { .func = stack_trace_call };
static struct ftrace_filter stack_filter; /* for stack_trace_filter */

/* ---- stack_max_size ---- */

static ssize_t max_size_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%lu\n", READ_ONCE(stack_max_size));

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t max_size_write(struct file *file __unused, const char *buf, size_t count,
			      loff_t *pos)
{
	unsigned long size, flags;
	int error = trace_get_number(buf, count, 10, &size);

	if (error)
		return error;
	flags = lock_max_stack();
	stack_max_size = size;
	unlock_max_stack(flags);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations max_size_fops = { .read = max_size_read,
						      .write = max_size_write };

/* ---- stack_trace ---- */

static const char how_to_enable[] = "#\n"
				    "#  Stack tracer disabled\n"
				    "#\n"
				    "# To enable the stack tracer, either add 'stacktrace' to the\n"
				    "# kernel command line\n"
				    "# or 'echo 1 > /proc/sys/kernel/stack_tracer_enabled'\n"
				    "#\n";

static int stack_trace_show(struct seq_file *m, void *v __unused)
{
	struct stack_place *copy = kmalloc(sizeof(places), GFP_KERNEL);
	unsigned long flags;
	unsigned count;

	if (!copy)
		return -ENOMEM;
	flags = lock_max_stack();
	count = nr_places;
	memcpy(copy, places, count * sizeof(copy[0]));
	unlock_max_stack(flags);

	seq_printf(m,
		   "        Depth    Size   Location    (%u entries)\n"
		   "        -----    ----   --------\n",
		   count);
	if (!READ_ONCE(stack_tracer_enabled))
		seq_puts(m, how_to_enable);
	for (unsigned i = 0; i < count; i++) {
		unsigned long outer = i + 1 < count ? copy[i + 1].depth : 0;

		seq_printf(m, "%3u) %8lu   %5lu   %pS\n", i, copy[i].depth, copy[i].depth - outer,
			   (void *)copy[i].ip);
	}
	kfree(copy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stack_trace);

/* ---- on and off ---- */

static int proc_stack_tracer(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int before, error;

	mutex_lock(&stack_sysctl_mutex);
	before = stack_tracer_enabled;
	error = proc_dointvec(table, write, buf, size);
	if (!error && !before != !stack_tracer_enabled) {
		error = stack_tracer_enabled ? register_ftrace_function(&stack_ops)
					     : unregister_ftrace_function(&stack_ops);
		if (error)
			stack_tracer_enabled = before;
	}
	mutex_unlock(&stack_sysctl_mutex);
	return error;
}

SYSCTL_INT(stack_tracer_enabled, "kernel", stack_tracer_enabled, proc_stack_tracer);

/* ---- the command line ---- */

static bool enable_at_boot __initdata;
static char early_filter[256] __initdata;

static int __init stacktrace_setup(const char *value __unused)
{
	enable_at_boot = true;
	return 0;
}
__setup("stacktrace", stacktrace_setup);

static int __init stacktrace_filter_setup(const char *value)
{
	enable_at_boot = true;
	strscpy(early_filter, value ? value : "", sizeof(early_filter));
	return 0;
}
__setup("stacktrace_filter", stacktrace_filter_setup);

/* A stack has no commands: -ENODEV for one of set_ftrace_filter, as on Linux. */
static int no_command(void *owner __unused, char *word)
{
	static const char *const names[] = {
		"traceon", "traceoff", "stacktrace",   "dump",
		"cpudump", "snapshot", "enable_event", "disable_event"
	};
	const char *name;

	strsep(&word, ":");
	name = strsep(&word, ":");
	for (unsigned i = 0; name && i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return -ENODEV;
	return -EINVAL;
}

static int __init stack_trace_init(void)
{
	tracefs_create_file("stack_max_size", 0640, NULL, NULL, &max_size_fops);
	tracefs_create_file("stack_trace", 0440, NULL, NULL, &stack_trace_fops);
	ftrace_create_filter_file("stack_trace_filter", &stack_ops, &stack_filter, NULL);
	stack_filter.command = no_command;
	ftrace_set_early_filter(&stack_ops, early_filter);
	if (enable_at_boot) {
		stack_tracer_enabled = 1;
		if (register_ftrace_function(&stack_ops))
			stack_tracer_enabled = 0;
	}
	return 0;
}
device_initcall(stack_trace_init);

TRACE_README(stack, "2e",
	     "  stack_trace\t\t- the deepest stack so far, function by function\n"
	     "  stack_max_size\t- its size; write 0 to search for the deepest one again\n"
	     "  stack_trace_filter\t- measure the stack only at these functions\n");
