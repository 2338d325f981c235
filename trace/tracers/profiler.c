/*
 * The function profiler counts the calls of each function on each CPU, and sums up their durations
 * (Documentation/trace/ftrace.rst, "function_profile_enabled"; files in trace_stat/).
 *
 * All functions with a call site are known before it starts, so it allocates nothing while it runs.
 * A hash table, profile.numbers, gives the number of a function for its address. Each CPU has a
 * counter for each number, and changes it with single instructions, which an interrupt cannot
 * divide. A call is counted when it begins; its duration is added when it returns.
 *
 * The functions of a module that comes later get numbers before they run, as long as there is room.
 * Functions of modules that have gone keep theirs. They have no name, so they are not shown.
 */
#include "arch/cpu/local.h"
#include "arch/time/clock.h"
#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module_list.h"
#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"
#include "trace/tracers/function_graph/function_graph.h"
#include "trace/core/files.h"
#include "trace/tracers/function/function.h"
#include "trace/core/readme.h"

/* Only the counter's CPU writes it. */
struct profile_counter {
	u64 hits;
	u64 time; /* ns */
	u64 time_squared;
};

struct profile_number {
	u32 offset; /* from the image base to the call site; 0: empty */
	u32 number; /* written first */
};

#define PROFILE_ROOM 1024U /* functions of modules that come later */
#define NO_NUMBER    (~0U)

/* No letter: constant. */
struct profile {
	u32 count;                      /* [P] functions */
	u32 room;                       /* for so many functions */
	u32 mask;                       /* number of slots in numbers, minus 1 */
	bool full;                      /* [P] a function has found no room */
	u32 *offsets;                   /* [P] to write; of each function, by number */
	struct profile_number *numbers; /* [P] to write */
	struct profile_counter *counters[NR_CPUS];
};

static struct profile *profile;     /* [P] allocated at the first use, and again when it is full */
static bool profile_enabled;        /* [P] */
static DEFINE_MUTEX(profile_mutex); /* P: taken before the mutexes of fgraph and ftrace */

/* Data of a call on the shadow stack, until it returns. */
struct profile_call {
	u64 calltime;
	u64 sleep;   /* fgraph_sleep_time() at the entry */
	u64 subtime; /* time spent in calls that this call has made */
	u64 number;
};

static __always_inline u32 profile_slot(u32 offset, u32 mask)
{
	return (offset * 0x9e3779b1U >> 8) & mask;
}

/* Returns the function's number, or NO_NUMBER if it has none, such as a function of init text. */
static __always_inline u32 profile_number_of(const struct profile *p, unsigned long func)
{
	u32 offset = (u32)(func - KERNEL_IMAGE_BASE), mask = p->mask,
	    i = profile_slot(offset, mask);

	while (p->numbers[i].offset != offset) {
		if (unlikely(!p->numbers[i].offset))
			return NO_NUMBER;
		i = (i + 1) & mask;
	}
	return p->numbers[i].number;
}

static __always_inline int profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
					 struct ftrace_regs *fregs __unused)
{
	const struct profile *p = gops->private;
	u32 number = profile_number_of(p, trace->func);
	struct profile_call *call;

	if (unlikely(number == NO_NUMBER))
		return 0;
	local_add(&p->counters[smp_processor_id_stable()][number].hits, 1);
	call = fgraph_call_reserve(trace, gops, sizeof(*call));
	if (unlikely(!call))
		return 0;
	call->subtime = 0;
	call->number = number;
	call->sleep = fgraph_sleep_time();
	call->calltime = arch_ktime();
	return 1;
}

/* Without graph-time: subtracts the time of the callees, and adds this call to its caller's
 * subtime. */
static noinline u64 own_time(const struct profile_call *call, u64 time, int idx)
{
	int size;
	struct profile_call *parent = fgraph_retrieve_parent_data(idx, &size, 1);

	if (parent)
		parent->subtime += time;
	return call->subtime < time ? time - call->subtime : 0;
}

static __always_inline void profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
					   struct ftrace_regs *fregs __unused)
{
	u64 time = arch_ktime();
	const struct profile *p = gops->private;
	u32 options = tracer_flags_of(&global_trace, &graph_trace);
	const struct profile_call *call;
	struct profile_counter *counter;

	call = fgraph_call_data(trace, gops);
	if (unlikely(!call))
		return;
	time -= call->calltime;
	if (!(options & TRACE_GRAPH_SLEEP_TIME))
		time -= fgraph_sleep_time() - call->sleep;
	if (!(options & TRACE_GRAPH_GRAPH_TIME))
		time = own_time(call, time, gops->idx);
	counter = &p->counters[smp_processor_id_stable()][call->number];
	local_add(&counter->time, time);
	local_add(&counter->time_squared, time * time);
}

DEFINE_FGRAPH_STUBS(profile, profile_entry, profile_return)

static struct fgraph_ops profile_ops = { .entryfunc = profile_entry,
					 .retfunc = profile_return,
					 FGRAPH_STUBS(profile) };

/* ---- on and off ---- */

static void profile_free(struct profile *p)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		if (p->counters[cpu])
			vfree(p->counters[cpu]);
	if (p->numbers)
		vfree(p->numbers);
	if (p->offsets)
		vfree(p->offsets);
	kfree(p);
}

/* Gives a function a number, if it has none. P held. */
static void add_function(struct profile *p, u32 offset)
{
	u32 i = profile_slot(offset, p->mask);

	for (; p->numbers[i].offset; i = (i + 1) & p->mask)
		if (p->numbers[i].offset == offset)
			return;
	if (p->count == p->room) {
		p->full = true;
		return;
	}
	p->offsets[p->count] = offset;
	p->numbers[i].number = p->count++;
	smp_store_release(&p->numbers[i].offset, offset);
}

/* ftrace_lock held: it keeps the records. */
static struct profile *profile_alloc(void)
{
	struct profile *p = kzalloc(sizeof(*p), GFP_KERNEL);
	u32 slots = 8;
	unsigned cpu;

	if (!p)
		return NULL;
	p->room = ftrace_record_count() + PROFILE_ROOM;
	while (slots < 2 * p->room)
		slots *= 2;
	p->mask = slots - 1;
	p->numbers = vzalloc(slots * sizeof(*p->numbers));
	p->offsets = vzalloc(p->room * sizeof(*p->offsets));
	if (!p->numbers || !p->offsets)
		goto free;
	for_each_possible_cpu (cpu) {
		p->counters[cpu] = vzalloc(p->room * sizeof(struct profile_counter));
		if (!p->counters[cpu])
			goto free;
	}
	for (u32 n = 0; n < ftrace_record_count(); n++)
		add_function(p, ftrace_record(n)->offset);
	return p;

free:
	profile_free(p);
	return NULL;
}

/* Sets all counters to 0 and starts. P held. */
static int profile_enable(void)
{
	unsigned cpu;
	int error;

	if (profile && profile->full) {
		profile_free(profile);
		profile = NULL;
	}
	if (profile) {
		for_each_possible_cpu (cpu)
			memset(profile->counters[cpu], 0,
			       profile->count * sizeof(struct profile_counter));
	} else {
		mutex_lock(&ftrace_lock);
		profile = profile_alloc();
		mutex_unlock(&ftrace_lock);
	}
	if (!profile)
		return -ENOMEM;
	profile_ops.private = profile;
	ftrace_share_hashes(function_trace_ops(&global_trace), &profile_ops.ops);
	error = register_ftrace_graph(&profile_ops);
	if (error)
		ftrace_unshare_hashes(function_trace_ops(&global_trace), &profile_ops.ops);
	return error;
}

static void profile_disable(void)
{
	unregister_ftrace_graph(&profile_ops);
	ftrace_unshare_hashes(function_trace_ops(&global_trace), &profile_ops.ops);
}

static ssize_t profile_enabled_read(struct file *file __unused, char *buf, size_t size, loff_t *pos)
{
	const char *text = READ_ONCE(profile_enabled) ? "1\n" : "0\n";

	return simple_read_from_buffer(buf, size, pos, text, 2);
}

static ssize_t profile_enabled_write(struct file *file __unused, const char *buf, size_t count,
				     loff_t *pos)
{
	unsigned long number;
	int error = trace_get_number(buf, count, 10, &number);

	if (error)
		return error;
	mutex_lock(&profile_mutex);
	if (number && !profile_enabled)
		error = profile_enable();
	else if (!number && profile_enabled)
		profile_disable();
	if (!error)
		profile_enabled = number;
	mutex_unlock(&profile_mutex);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations profile_enabled_fops = {
	.read = profile_enabled_read,
	.write = profile_enabled_write,
	.llseek = generic_file_llseek,
};

/* ---- trace_stat/functionN ---- */

struct profile_line {
	unsigned long func;
	struct profile_counter counter;
};

/* A copy of a CPU's counters, made when its file is opened; the longest time is first. */
struct profile_list {
	u32 count;
	struct profile_line lines[];
};

static int compare_times(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->counter.time != y->counter.time)
		return x->counter.time > y->counter.time ? -1 : 1;
	return x->counter.hits > y->counter.hits ? -1 : x->counter.hits < y->counter.hits;
}

static struct profile_counter counter_read(const struct profile_counter *counter)
{
	return (struct profile_counter){ .hits = READ_ONCE(counter->hits),
					 .time = READ_ONCE(counter->time),
					 .time_squared = READ_ONCE(counter->time_squared) };
}

static void list_fill(struct profile_list *list, unsigned cpu)
{
	for (u32 n = 0; n < profile->count; n++) {
		struct profile_line *line = &list->lines[list->count];

		line->func = KERNEL_IMAGE_BASE + profile->offsets[n];
		line->counter = counter_read(&profile->counters[cpu][n]);
		list->count += line->counter.hits || line->counter.time;
	}
	sort(list->lines, list->count, sizeof(list->lines[0]), compare_times);
}

static void *profile_start(struct seq_file *m, loff_t *pos)
{
	struct profile_list *list = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= list->count ? &list->lines[*pos - 1] : NULL;
}

static void *profile_next(struct seq_file *m, void *v __unused, loff_t *pos)
{
	++*pos;
	return profile_start(m, pos);
}

static void profile_stop(struct seq_file *m __unused, void *v __unused)
{
}

/*
 * Returns the sample variance in ns^2: (sum of squares - n * avg^2) / (n - 1). The terms are
 * ordered so that no product exceeds 64 bits.
 */
static u64 variance(const struct profile_counter *c)
{
	u64 avg, rest, squares;

	if (c->hits <= 1)
		return 0;
	avg = c->time / c->hits;
	rest = c->time % c->hits;
	squares = avg * c->time + rest * avg + rest * rest / c->hits;
	return c->time_squared > squares ? (c->time_squared - squares) / (c->hits - 1) : 0;
}

static int profile_show(struct seq_file *m, void *v)
{
	const struct profile_line *line = v;
	char name[KSYM_NAME_LEN];
	unsigned long offset;
	u64 figures[3];

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "  Function                               "
			    "Hit    Time            Avg             s^2\n"
			    "  --------                               "
			    "---    ----            ---             ---\n");
		return 0;
	}
	figures[0] = line->counter.time;
	figures[1] = line->counter.hits ? line->counter.time / line->counter.hits : 0;
	figures[2] = variance(&line->counter) / 1000; /* us^2, with three digits after the point */
	if (tracing_thresh && figures[1] < tracing_thresh)
		return SEQ_SKIP;
	if (!kallsyms_lookup(line->func, NULL, &offset, name) || offset)
		return SEQ_SKIP; /* its module has gone */
	seq_printf(m, "  %-30.30s  %10llu", name, (unsigned long long)line->counter.hits);
	for (unsigned i = 0; i < ARRAY_SIZE(figures); i++) {
		char text[GRAPH_DURATION_LEN];

		graph_duration_text(text, figures[i]);
		seq_printf(m, "    %s", text);
	}
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations profile_sops = {
	.start = profile_start, .next = profile_next, .stop = profile_stop, .show = profile_show
};

static int profile_open(struct inode *inode, struct file *file)
{
	unsigned cpu = (unsigned)(unsigned long)inode->i_private;
	struct profile_list *list;
	int error;

	mutex_lock(&profile_mutex);
	list = vzalloc(sizeof(*list) + (profile ? profile->count : 0) * sizeof(list->lines[0]));
	if (list && profile)
		list_fill(list, cpu);
	mutex_unlock(&profile_mutex);
	if (!list)
		return -ENOMEM;
	error = seq_open(file, &profile_sops);
	if (error) {
		vfree(list);
		return error;
	}
	((struct seq_file *)file->private_data)->private = list;
	return 0;
}

static int profile_release(struct inode *inode, struct file *file)
{
	vfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations profile_fops = {
	.open = profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = profile_release,
};

/* ---- modules that come ---- */

/* Clears the counts of a function that was there before. P held. */
static void clear_function(u32 number)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		profile->counters[cpu][number] = (struct profile_counter){ 0 };
}

/* Before a function of the module runs. */
static int profile_module_coming(struct module *module)
{
	mutex_lock(&profile_mutex);
	for (u32 n = 0; profile && n < profile->count; n++)
		if (within_module(KERNEL_IMAGE_BASE + profile->offsets[n], module))
			clear_function(n);
	for (unsigned i = 0; profile && i < module->num_call_sites; i++)
		add_function(profile, (u32)(module->call_sites[i] - KERNEL_IMAGE_BASE));
	mutex_unlock(&profile_mutex);
	return 0;
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = { .coming = profile_module_coming };

static int __init profile_files_init(void)
{
	struct dentry *dir = tracefs_create_dir("trace_stat", NULL);
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		char name[16];

		snprintf(name, sizeof(name), "function%u", cpu);
		tracefs_create_file(name, 0400, dir, (void *)(unsigned long)cpu, &profile_fops);
	}
	tracefs_create_file("function_profile_enabled", 0644, NULL, NULL, &profile_enabled_fops);
	return 0;
}
device_initcall(profile_files_init);

TRACE_README(profiler, "2d",
	     "  function_profile_enabled - 1: count and time all functions\n"
	     "  trace_stat/\t\t- a table of them for each CPU\n");
