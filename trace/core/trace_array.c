/*
 * The state of a trace_array: recording on and off, buffer, clock, tracer; and the top level.
 *
 * The top level's buffer is allocated as soon as the kernel can allocate memory, so that ftrace=
 * traces the rest of the boot. It is small and gets its full size when tracing starts.
 */
#include "kernel/export.h"
#include "trace/core/options.h"
#include "trace/core/snapshot.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/time/trace_clock.h"

#define TRACE_BUF_SIZE_DEFAULT (1UL << 20) /* bytes for each CPU */
/* By default all buffers use at most 1/8 of the memory. */
#define TRACE_BUF_MEMORY_SHARE 8

struct trace_array global_trace = {
	.trace_flags = TRACE_DEFAULT_FLAGS,
};
LIST_HEAD(trace_arrays);
DEFINE_MUTEX(event_mutex);
DEFINE_MUTEX(trace_types_lock);
void (*tracing_resized_hook)(void);
static unsigned long used_indices; /* [T] a bit for each tracer */
struct tracer *trace_types, *trace_own_types;
struct trace_array_part *trace_array_parts;
static unsigned nr_parts; /* [boot] */
unsigned long tracing_thresh;
size_t trace_buf_size; /* [T] bytes for each CPU once the buffer is expanded */

/* Parameters of the command line. [boot], then [T] */
static char boot_tracer[MAX_TRACER_SIZE];
static char boot_clock[32];

__setup_string("ftrace", boot_tracer);
__setup_string("trace_clock", boot_clock);

static int __init trace_buf_size_setup(const char *value)
{
	trace_buf_size = value ? memparse(value, NULL) : 0;
	return trace_buf_size ? 0 : -EINVAL;
}
__setup("trace_buf_size", trace_buf_size_setup);

/* ---- on and off ---- */

bool tracing_is_on_tr(struct trace_array *tr)
{
	return READ_ONCE(tr->recording);
}

static void for_both_buffers(struct trace_array *tr, void (*fn)(struct trace_buffer *buffer))
{
	fn(tr->buffers[0]);
	fn(tr->buffers[1]);
}

/*
 * Sets both buffers, so that a snapshot may exchange them at any time. CPUs may call this function
 * with different values at once: each call repeats until the buffers have the last value of
 * tr->recording. Returns true if it has changed that.
 */
static bool set_recording(struct trace_array *tr, bool on)
{
	bool was, now;

	if (!tr->buffer)
		return false;
	was = __atomic_exchange_n(&tr->recording, on, __ATOMIC_SEQ_CST);
	do {
		now = __atomic_load_n(&tr->recording, __ATOMIC_SEQ_CST);
		for_both_buffers(tr, now ? ring_buffer_record_on : ring_buffer_record_off);
	} while (__atomic_load_n(&tr->recording, __ATOMIC_SEQ_CST) != now);
	if (was && !on) {
		trace_max_interrupt(tr);
		for_both_buffers(tr, ring_buffer_wake_waiters); /* their file may end now */
	}
	return was != on;
}

bool tracing_record_on_tr(struct trace_array *tr)
{
	return set_recording(tr, true);
}

bool tracing_record_off_tr(struct trace_array *tr)
{
	return set_recording(tr, false);
}

/* Clears the trace of the last boot before the first entry of this boot. T held. */
static void clear_last_boot(struct trace_array *tr)
{
	if (trace_is_of_last_boot(tr))
		tracing_reset_online_cpus(tr);
}

void tracing_set_on(struct trace_array *tr, bool on)
{
	if (on == tracing_is_on_tr(tr))
		return;
	if (on) {
		clear_last_boot(tr);
		set_recording(tr, true);
		if (tr->current_trace->start)
			tr->current_trace->start(tr);
	} else {
		set_recording(tr, false);
		if (tr->current_trace->stop)
			tr->current_trace->stop(tr);
	}
}

void tracing_on(void)
{
	set_recording(&global_trace, true);
}
EXPORT_SYMBOL_GPL(tracing_on);

void tracing_off(void)
{
	set_recording(&global_trace, false);
}
EXPORT_SYMBOL_GPL(tracing_off);

int tracing_is_on(void)
{
	return tracing_is_on_tr(&global_trace);
}
EXPORT_SYMBOL_GPL(tracing_is_on);

void tracing_stop_tr(struct trace_array *tr)
{
	trace_max_interrupt(tr);
	if (tr->stop_count++ == 0)
		for_both_buffers(tr, ring_buffer_record_disable);
}

void tracing_start_tr(struct trace_array *tr)
{
	if (--tr->stop_count == 0)
		for_both_buffers(tr, ring_buffer_record_enable);
}

/* ---- the buffer ---- */

static int resize(struct trace_array *tr, size_t size, int cpu)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	int error = ring_buffer_resize(buffer, size, cpu);

	if (!error && tr->snapshot_allocated) {
		struct trace_buffer *other = other_buffer(tr, buffer);
		unsigned i;

		error = ring_buffer_resize(other, size, cpu);
		/* Without memory for both, both keep their size. */
		for_each_possible_cpu (i)
			if (error && ring_buffer_resize(buffer, ring_buffer_size(other, i), (int)i))
				pr_warn("tracing: the buffers of CPU %u differ in size\n", i);
	}

	/* As in Linux the buffer counts as expanded even if the resize has failed. */
	tr->buffer_expanded = true;
	return error;
}

int tracing_resize(struct trace_array *tr, size_t size, int cpu)
{
	int error;

	if (!tr->current_trace->use_max)
		return resize(tr, size, cpu);
	tracing_stop_tr(tr); /* both buffers keep their parts and get the same size */
	trace_max_clear(tr, false);
	error = resize(tr, size, cpu);
	tracing_start_tr(tr);
	return error;
}

/* The snapshot is first: if only the other change fails, there is still memory to take it back. */
static int set_subbuf_order(struct trace_array *tr, unsigned order)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer), *other = other_buffer(tr, buffer);
	unsigned old = ring_buffer_subbuf_order_get(buffer);
	int error = 0;

	if (tr->snapshot_allocated)
		error = ring_buffer_subbuf_order_set(other, order);
	if (error)
		return error;
	error = ring_buffer_subbuf_order_set(buffer, order);
	if (error && tr->snapshot_allocated && ring_buffer_subbuf_order_set(other, old))
		pr_warn("tracing: the buffers differ in the size of their sub-buffers\n");
	return error;
}

int tracing_set_subbuf_order(struct trace_array *tr, unsigned order)
{
	int error;

	if (ring_buffer_subbuf_order_get(tr->buffer) == order)
		return 0;
	tracing_stop_tr(tr);
	if (tr->current_trace->use_max)
		trace_max_clear(tr, false);
	mutex_lock(&tr->pipe_lock);
	error = set_subbuf_order(tr, order);
	mutex_unlock(&tr->pipe_lock);
	tracing_start_tr(tr);
	tracing_resized(tr);
	return error;
}

int tracing_expand(struct trace_array *tr)
{
	if (tracing_is_on_tr(tr))
		clear_last_boot(tr);
	return tr->buffer_expanded ? 0 : tracing_resize(tr, trace_buf_size, RING_BUFFER_ALL_CPUS);
}

static void reset_buffer_cpu(struct trace_buffer *buffer, int cpu)
{
	ring_buffer_record_disable(buffer);
	if (cpu == RING_BUFFER_ALL_CPUS)
		ring_buffer_reset(buffer);
	else
		ring_buffer_reset_cpu(buffer, (unsigned)cpu);
	ring_buffer_record_enable(buffer);
}

void tracing_reset_cpu(struct trace_array *tr, int cpu)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);

	reset_buffer_cpu(buffer, cpu);
	if (tr->persistent && cpu == RING_BUFFER_ALL_CPUS)
		WRITE_ONCE(tr->persistent->last_boot, false);
	tr->time_start = ring_buffer_time_stamp(buffer);
}

void tracing_reset_snapshot_cpu(struct trace_array *tr, int cpu)
{
	reset_buffer_cpu(READ_ONCE(tr->snapshot), cpu);
}

void tracing_reset_online_cpus(struct trace_array *tr)
{
	tracing_reset_cpu(tr, RING_BUFFER_ALL_CPUS);
}

int tracing_set_clock(struct trace_array *tr, const char *name)
{
	for (unsigned i = 0; i < trace_nr_clocks; i++) {
		if (strcmp(trace_clocks[i].name, name) != 0)
			continue;
		mutex_lock(&trace_types_lock);
		tracing_stop_tr(tr); /* now no latency tracer exchanges the buffers */
		trace_max_clear(tr, false);
		tr->clock_id = i;
		ring_buffer_set_clock(tr->buffers[0], trace_clocks[i].read);
		ring_buffer_set_clock(tr->buffers[1], trace_clocks[i].read);
		smp_store_release(&tr->max.clock, tr->max.clock + 1);
		/* Time stamps of two clocks in one trace cannot be compared. */
		for_both_buffers(tr, ring_buffer_reset);
		tracing_start_tr(tr);
		if (tr->persistent)
			WRITE_ONCE(tr->persistent->last_boot, false);
		tr->time_start = ring_buffer_time_stamp(tr->buffer);
		mutex_unlock(&trace_types_lock);
		return 0;
	}
	return -EINVAL;
}

bool tracing_clock_in_ns(const struct trace_array *tr)
{
	return trace_clocks[READ_ONCE(tr->clock_id)].in_ns;
}

/* ---- tracers ---- */

struct tracer *tracing_find_tracer(const char *name)
{
	for (struct tracer *t = trace_types; t; t = t->next)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

/* Starts a tracer in tr, which has none. Gives its module up at an error. T held. */
static int start_tracer(struct trace_array *tr, struct tracer *t)
{
	int error = t->use_max ? tracing_arm_snapshot_locked(tr) : 0;

	if (!error && t->init) {
		error = t->init(tr);
		if (error && t->use_max)
			tracing_disarm_snapshot(tr);
	}
	if (error) {
		module_put(t->owner);
		return error;
	}
	WRITE_ONCE(tr->current_trace, t);
	WRITE_ONCE(tr->print_trace, t);
	return 0;
}

/*
 * Ends the current tracer. Releases T until it has stopped, because reset() waits for a grace
 * period, and tasks that need T should not wait as long. As current_trace is nop during that
 * time, other tasks may free the snapshot or change the sizes. So a latency tracer, whose reports
 * exchange the buffers, makes no report any more. tr->tracer_lock and T held.
 */
static void stop_current_tracer(struct trace_array *tr)
{
	struct tracer *old = tr->current_trace;

	WRITE_ONCE(tr->current_trace, &nop_trace);
	if (old->use_max) {
		tracing_stop_tr(tr);
		trace_max_clear(tr, false); /* after the report that runs now */
	}
	mutex_unlock(&trace_types_lock);
	if (old->reset)
		old->reset(tr);
	mutex_lock(&trace_types_lock);
	if (old->use_max) {
		tracing_start_tr(tr);
		tracing_disarm_snapshot(tr);
	}
}

/*
 * tr->tracer_lock held. Releases T while the old tracer stops. tracing_expand() gives the buffer
 * its full size when the first tracer starts; until then it is as small as can be.
 */
static int change_tracer(struct trace_array *tr, const char *name)
{
	struct tracer *old = tr->current_trace, *t;
	int error;

	mutex_lock(&trace_types_lock);
	error = tracing_expand(tr);
	t = tracing_find_tracer(name);
	if (error || t == old)
		goto out;
	error = -EINVAL;
	/* Its module is kept before T is released, or cannot be: it is about to unregister it. */
	if (!t || !tracer_fits(t, tr) || !try_module_get(t->owner))
		goto out;
	stop_current_tracer(tr);
	tracing_reset_online_cpus(tr);
	WRITE_ONCE(tr->print_trace, &nop_trace);
	module_put(old->owner);
	error = old->use_max && !t->use_max ? tracing_free_snapshot_tr(tr) : 0;
	if (error)
		module_put(t->owner);
	else
		error = start_tracer(tr, t);
out:
	mutex_unlock(&trace_types_lock);
	return error;
}

int tracing_set_tracer(struct trace_array *tr, const char *name)
{
	int error;

	mutex_lock(&tr->tracer_lock);
	error = change_tracer(tr, name);
	mutex_unlock(&tr->tracer_lock);
	return error;
}

/* Starts the tracer that ftrace= names, once the buffer and the tracer exist. T held. */
static void start_boot_tracer(void)
{
	struct tracer *t = tracing_find_tracer(boot_tracer);
	int error;

	if (!boot_tracer[0] || !global_trace.buffer || !t || !try_module_get(t->owner))
		return;
	pr_info("Starting tracer '%s'\n", boot_tracer);
	error = tracing_expand(&global_trace);
	if (error)
		module_put(t->owner);
	else
		error = start_tracer(&global_trace, t);
	if (error)
		pr_warn("tracer '%s' did not start: %pe\n", boot_tracer, ERR_PTR(error));
	boot_tracer[0] = '\0';
	trace_apply_boot_options();
}

/* Creates the data of tracer in tr. T held, or no other task knows tr. */
static int attach_tracer(struct trace_array *tr, struct tracer *tracer)
{
	if (!tracer_fits(tracer, tr))
		return 0;
	tr->tracers[tracer->index].flags = tracer->flags ? tracer->flags->val : 0;
	return tracer->create ? tracer->create(tr) : 0;
}

static bool is_valid(const struct tracer *t)
{
	bool has_data = t->open || t->close || t->create || t->create_files || t->detach ||
			t->destroy || (t->flags && t->allow_instances);

	return t->name && strlen(t->name) < MAX_TRACER_SIZE && !(t->owner && has_data);
}

/* T held. */
static void unlink_tracer(struct tracer *tracer)
{
	struct tracer **link = &trace_types;

	while (*link != tracer)
		link = &(*link)->next;
	WRITE_ONCE(*link, tracer->next);
	remove_trace_option_files(&global_trace, tracer);
	used_indices &= ~BIT(tracer->index);
}

/*
 * During the boot the top level is the only trace_array. A tracer in a module has data only there.
 */
int register_tracer(struct tracer *tracer)
{
	unsigned index;
	int error = 0;

	if (!is_valid(tracer))
		return -EINVAL;
	mutex_lock(&trace_types_lock);
	if (tracing_find_tracer(tracer->name)) {
		error = -EEXIST;
	} else if ((index = (unsigned)__builtin_ctzl(~used_indices)) >= TRACERS_MAX) {
		error = -ENOSPC;
	} else {
		tracer->index = index;
		error = attach_tracer(&global_trace, tracer);
	}
	if (!error) {
		used_indices |= BIT(index);
		tracer->next = trace_types;
		smp_store_release(&trace_types, tracer);
		if (!tracer->owner)
			trace_own_types = tracer;
		error = create_trace_option_files(&global_trace, tracer);
		if (error && tracer->owner)
			unlink_tracer(tracer);
		else
			start_boot_tracer();
	}
	mutex_unlock(&trace_types_lock);
	return error;
}
EXPORT_SYMBOL(register_tracer);

void unregister_tracer(struct tracer *tracer)
{
	mutex_lock(&trace_types_lock);
	unlink_tracer(tracer);
	mutex_unlock(&trace_types_lock);
	synchronize_rcu(); /* a reader or a dump may have read print_trace before it changed */
}
EXPORT_SYMBOL(unregister_tracer);

/* ---- parts ---- */

int register_trace_array_part(struct trace_array_part *part)
{
	if (nr_parts == TRACE_ARRAY_PARTS_MAX)
		return -ENOSPC;
	part->index = nr_parts++;
	part->next = trace_array_parts;
	trace_array_parts = part;
	return part->create(&global_trace);
}

/* ---- initialization ---- */

static void __init choose_buffer_size(void)
{
	struct meminfo memory;

	if (trace_buf_size)
		return;
	si_meminfo(&memory);
	trace_buf_size = min(TRACE_BUF_SIZE_DEFAULT,
			     (size_t)memory.total / TRACE_BUF_MEMORY_SHARE / nr_cpu_ids);
}

int trace_array_init(struct trace_array *tr)
{
	int error = -ENOMEM;

	tr->current_trace = tr->print_trace = &nop_trace;
	tr->buffer_percent = 50;
	tr->all = (struct trace_cpu){ .tr = tr, .cpu = RING_BUFFER_ALL_CPUS };
	mutex_init(&tr->tracer_lock);
	mutex_init(&tr->pipe_lock);
	spin_lock_init(&tr->snapshot_lock);
	cpumask_setall(&tr->tracing_cpumask);
	INIT_LIST_HEAD(&tr->options);
	tr->buffer = tr->buffers[0] = tr->persistent ? tr->persistent->alloc(tr->persistent)
						     : ring_buffer_alloc(1, RB_FL_OVERWRITE);
	tr->buffer_expanded = tr->persistent;
	tr->snapshot = tr->buffers[1] = ring_buffer_alloc(1, RB_FL_OVERWRITE);
	tr->cpus = kcalloc(nr_cpu_ids, sizeof(*tr->cpus), GFP_KERNEL);
	if (tr->buffer && tr->snapshot && tr->cpus) {
		error = 0;
		tr->recording = true;
		for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
			tr->cpus[cpu] = (struct trace_cpu){ .tr = tr, .cpu = (int)cpu };
		ring_buffer_set_clock(tr->buffers[0], trace_clocks[0].read);
		ring_buffer_set_clock(tr->buffers[1], trace_clocks[0].read);
		for (struct tracer *t = trace_own_types; t && !error; t = t->next)
			error = attach_tracer(tr, t);
		for (struct trace_array_part *part = trace_array_parts; part && !error;
		     part = part->next)
			error = part->create(tr);
	}
	if (error)
		trace_array_exit(tr);
	return error;
}

void trace_array_exit(struct trace_array *tr)
{
	for (struct tracer *t = trace_own_types; t; t = t->next)
		if (t->destroy && *trace_tracer_private(tr, t))
			t->destroy(tr);
	for (struct trace_array_part *part = trace_array_parts; part; part = part->next)
		if (*trace_array_private(tr, part))
			part->destroy(tr);
	trace_free_options(tr);
	for (unsigned i = 0; i < ARRAY_SIZE(tr->buffers); i++)
		if (tr->buffers[i])
			ring_buffer_free(tr->buffers[i]);
	kfree(tr->cpus);
}

static int __init tracer_alloc_buffers(void)
{
	struct trace_array *tr = &global_trace;
	int error;

	choose_buffer_size();
	error = trace_array_init(tr);
	if (error)
		return error;
	list_add_tail_rcu(&tr->list, &trace_arrays);
	register_tracer(&nop_trace);

	if (boot_clock[0] && tracing_set_clock(tr, boot_clock))
		pr_warn("trace_clock=%s: no such clock\n", boot_clock);
	mutex_lock(&trace_types_lock);
	trace_apply_boot_options();
	start_boot_tracer();
	mutex_unlock(&trace_types_lock);
	return 0;
}
early_initcall(tracer_alloc_buffers);

static int __init check_boot_tracer(void)
{
	if (boot_tracer[0])
		pr_warn("ftrace=%s: no such tracer\n", boot_tracer);
	return 0;
}
late_initcall(check_boot_tracer);
