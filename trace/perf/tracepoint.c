/*
 * The PMU `tracepoint`: events of tracefs, by their number.
 *
 * All perf events of one event of tracefs share a struct perf_tp. It has two ways to be hit. Each
 * is attached while a perf event uses it:
 *
 *	counter		count_hit() is a probe of the tracepoint itself. It reads only its first
 *			argument, so it fits every tracepoint, and no record is built.
 *	recorder	The event's own probe builds its record, as for a filter, and gives it to
 *			perf_event_ops (trace/events/record.h): for a perf event with a filter, or
 *			whose samples contain the record.
 *
 * Some events have no tracepoint of their own (those of system calls, probes), or one whose
 * arguments differ (synthetic events). They have only a recorder. It hits before a record is built,
 * and says that it needs none, unless a perf event does.
 *
 * A perf event changes its way only when it gets its filter or program. Both ways are attached at
 * that moment, so a hit may be missed or counted twice then.
 *
 * Programs are of the struct perf_tp: a record is given to all of them before it is given to perf
 * events. The counter does not ask them.
 */
#include "trace/perf/internal.h"

#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind_event.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "trace/events/event.h"
#include "trace/events/record.h"
#include "trace/filter/filter.h"

struct perf_tp {
	struct trace_event_file file; /* what the recorder hits. In no list */
	struct list_head list;        /* [E] in perf_tps */
	/* Constant. */
	bool has_counter, has_recorder;
	bool of_user;   /* as in Linux: a probe of a program, and an event of one system call */
	u16 ip_offset;  /* of the address in the record of a probe; 0: there is none */
	unsigned users; /* [E] perf events */
	unsigned counters, recorders; /* [E] perf events that use the way; 0: it is not attached */
	struct list_head programs;    /* [E] to write, RCU to read: perf_program.node */
	unsigned nr_programs;         /* [E] */
	unsigned plain;               /* [E] to write: perf events that need no record */
	struct rcu_head rcu;
};

static LIST_HEAD(perf_tps); /* [E] */

const void *(*perf_function_hook)(int n)__ro_after_init;

/* That of the files. It has no buffer and no events, only what groups of events keep in it. */
static struct trace_array perf_trace_array = { .name = "perf" };

/* ---- hits. Any context, preemption off ---- */

/* Also asked by code that holds E, instead of RCU. */
static bool needs_record(struct perf_event *event)
{
	return READ_ONCE(perf_original(event)->needs_record);
}

/* Whether the record is for this event: it may be off. */
static __always_inline bool takes_record(struct perf_event *event, const void *entry)
{
	const struct event_filter *filter;

	if (!needs_record(event))
		return false;
	filter = rcu_dereference(perf_original(event)->filter);
	return likely(!filter) || event_filter_match(filter, entry);
}

static const struct perf_sample_data *completed(struct perf_record_hit *hit)
{
	if (hit->complete)
		hit->complete(hit);
	hit->complete = NULL;
	return &hit->data;
}

static void hit_without_record(struct perf_event *event, void *data)
{
	struct perf_record_hit *hit = data;

	if (needs_record(event))
		hit->wants_record |= READ_ONCE(event->active);
	else if (perf_hit_is_sample(event, PERF_MODE_KERNEL))
		perf_overflow(event, completed(hit));
}

static void hit_with_record(struct perf_event *event, void *data)
{
	struct perf_record_hit *hit = data;

	if (takes_record(event, hit->data.raw) && perf_hit_is_sample(event, PERF_MODE_KERNEL))
		perf_overflow(event, completed(hit));
}

bool perf_hit_without_record(struct perf_record_hit *hit)
{
	hit->data.raw = NULL;
	hit->data.raw_size = 0;
	hit->wants_record = false;
	perf_for_each_hit(hit->source, hit_without_record, hit);
	return hit->wants_record;
}

void perf_hit_with_record(struct perf_record_hit *hit, const void *entry, u32 length)
{
	hit->data.raw = entry;
	hit->data.raw_size = length;
	perf_for_each_hit(hit->source, hit_with_record, hit);
}

/* Where the kernel is. The handler of a probe stands for __traceiter_NAME(). */
static noinline void leave_probe(struct perf_sample_data *data)
{
	while (trace_is_probe_path(data->ip) && stack_trace_save_frame(data->frame, &data->ip, 1))
		data->frame = data->frame & 1
				      ? ((const struct pt_regs *)(data->frame - 1))->bp /* int3 */
				      : *(const unsigned long *)data->frame;
}

/*
 * What a sample tells beside its record. A count needs none of it. from: the frame of the probe, or
 * of a function that it calls.
 */
static __always_inline void set_data(struct perf_sample_data *data, const struct perf_tp *tp,
				     const unsigned long *from)
{
	data->task = current_stable;
	data->addr = 0;
	if (unlikely(tp->of_user)) {
		data->mode = PERF_MODE_USER;
		data->regs = task_pt_regs(current_stable);
		data->ip = data->regs->ip;
		data->frame = 0;
		return;
	}
	data->mode = PERF_MODE_KERNEL | (current_stable->pid ? 0 : PERF_MODE_IDLE);
	data->regs = NULL;
	if (unlikely(!stack_trace_find_caller(from, trace_is_traceiter, &data->frame, &data->ip)))
		data->frame = data->ip = 0;
	else if (unlikely(!tp->has_counter))
		leave_probe(data);
}

/* Of an event that needs no record, so data.raw is not read. from: the frame of the counter. */
static noinline void hit_sample(struct perf_event *event, const struct perf_tp *tp,
				const unsigned long *from)
{
	struct perf_sample_data data;

	if (!perf_hit_is_sample(event, PERF_MODE_KERNEL))
		return;
	set_data(&data, tp, from);
	perf_overflow(event, &data);
}

static __always_inline void hit_one(struct perf_event *event, void *tp)
{
	const struct perf_event *original = perf_original(event);

	if (likely(original->only_counts))
		perf_count(event);
	else if (!original->needs_record)
		hit_sample(event, tp, __builtin_frame_address(0));
}

/* The counter. The tracepoint passes more arguments. */
static void count_hit(void *tp)
{
	perf_walk(tp, hit_one, tp);
}

/* A record, and from where it comes. */
struct tp_record {
	const struct perf_tp *tp;
	const unsigned long *from;
	void *entry;
	u32 length;
};

struct program_hit {
	struct perf_program_hit hit;
	const struct tp_record *record;
};

static noinline void complete_program_hit(struct perf_program_hit *hit)
{
	const struct tp_record *record = container_of(hit, struct program_hit, hit)->record;
	struct perf_sample_data data;

	set_data(&data, record->tp, record->from);
	hit->regs = data.regs;
	hit->ip = data.ip;
	hit->frame = data.frame;
	hit->complete = NULL;
}

/* Gives the record to all programs. False: one of them drops it. */
static noinline bool run_programs(const struct tp_record *record)
{
	struct perf_program *program;
	struct program_hit context;
	u32 wanted = ~0U;

	context.hit.complete = complete_program_hit;
	context.hit.entry = record->entry;
	context.record = record;
	list_for_each_entry_rcu (program, &record->tp->programs, node)
		wanted &= program->run(program, &context.hit);
	return wanted;
}

/* Whether the record is for perf events. */
static __always_inline bool passes_programs(const struct tp_record *record)
{
	return likely(list_empty(&record->tp->programs)) || run_programs(record);
}

static noinline void hit_recorded(struct perf_event *event, void *data)
{
	const struct tp_record *record = data;
	struct perf_sample_data sample;

	if (!takes_record(event, record->entry) || !perf_hit_is_sample(event, PERF_MODE_KERNEL))
		return;
	set_data(&sample, record->tp, record->from);
	sample.raw = record->entry;
	sample.raw_size = record->length;
	if (record->tp->ip_offset)
		sample.ip =
			*(const unsigned long *)((const u8 *)record->entry + record->tp->ip_offset);
	perf_overflow(event, &sample);
}

static void complete_hit(struct perf_record_hit *hit)
{
	set_data(&hit->data, hit->source, __builtin_frame_address(0));
}

static bool wants_record(struct trace_event_file *file)
{
	struct perf_tp *tp = container_of(file, struct perf_tp, file);
	struct perf_record_hit hit;

	if (tp->has_counter)
		return true; /* the counter hits those that need none */
	if (!READ_ONCE(tp->plain) && !list_empty(&tp->programs))
		return true;
	hit.source = tp;
	hit.complete = complete_hit;
	return perf_hit_without_record(&hit) || !list_empty(&tp->programs);
}

static void record(struct trace_event_file *file, void *entry, u32 length)
{
	struct perf_tp *tp = container_of(file, struct perf_tp, file);
	struct tp_record record = { tp, __builtin_frame_address(0), entry, length };

	if (passes_programs(&record))
		perf_for_each_hit(tp, hit_recorded, &record);
}

/*
 * Only an event that TRACE_EVENT() declares makes short records, so there is a counter, too. Two
 * functions are between this one and the probe: trace_event_record_slow(), and its caller.
 */
static void short_record(struct trace_event_file *file, struct trace_entry *entry, u32 length)
{
	const unsigned long *frame = __builtin_frame_address(0);
	struct perf_tp *tp = container_of(file, struct perf_tp, file);
	struct tp_record record = { tp, **(unsigned long ***)frame[0], entry, length };

	DEBUG_BUG_ON(!tp->has_counter);
	if (!passes_programs(&record))
		return;
	tracing_entry_init(entry, file->call->event.type, tracing_gen_ctx_dec(1),
			   current_stable->pid);
	perf_walk(tp, hit_recorded, &record);
}

static void drop_one(struct perf_event *event, void *unused __unused)
{
	if (needs_record(event) && READ_ONCE(event->active))
		local_add(&event->lost, 1);
}

static void dropped(const struct trace_event_file *file)
{
	perf_for_each_hit(container_of(file, struct perf_tp, file), drop_one, NULL);
}

/* ---- attaching. E held ---- */

static int attach_counter(struct perf_tp *tp)
{
	int error = 0;

	if (!tp->counters)
		error = tracepoint_probe_register(tp->file.call->tp, (void *)count_hit, tp,
						  TRACEPOINT_DEFAULT_PRIO);
	tp->counters += !error;
	return error;
}

static int attach_recorder(struct perf_tp *tp)
{
	struct trace_event_call *call = tp->file.call;
	int error = 0;

	if (!tp->recorders && tp->has_recorder)
		error = call->reg(call, TRACE_REG_REGISTER, &tp->file);
	tp->recorders += !error;
	return error;
}

/* An error is of the kernel's text. The probe is removed in any case. */
static void detach_counter(struct perf_tp *tp)
{
	if (!--tp->counters)
		(void)tracepoint_probe_unregister(tp->file.call->tp, (void *)count_hit, tp);
}

static void detach_recorder(struct perf_tp *tp)
{
	struct trace_event_call *call = tp->file.call;

	if (!--tp->recorders && tp->has_recorder)
		(void)call->reg(call, TRACE_REG_UNREGISTER, &tp->file);
}

static bool uses_counter(struct perf_event *event)
{
	return event->tp->has_counter && !needs_record(event);
}

/* An event without a source counts nothing, and costs nobody anything. */
static int attach(struct perf_event *event)
{
	if (!event->source)
		return 0;
	return uses_counter(event) ? attach_counter(event->tp) : attach_recorder(event->tp);
}

static void detach(struct perf_event *event)
{
	if (!event->source)
		return;
	if (uses_counter(event))
		detach_counter(event->tp);
	else
		detach_recorder(event->tp);
}

/* ---- struct perf_tp. E held ---- */

static struct perf_tp *find_tp(const struct trace_event_call *call)
{
	struct perf_tp *tp;

	list_for_each_entry (tp, &perf_tps, list)
		if (tp->file.call == call)
			return tp;
	return NULL;
}

/* What the group of the event, such as the system calls, keeps in a trace_array. 0 or -ENOMEM. */
static int make_part(const struct trace_event_group *group)
{
	int error;

	if (!group || *trace_array_private(&perf_trace_array, group->part))
		return 0;
	mutex_lock(&trace_types_lock);
	error = group->part->create(&perf_trace_array);
	mutex_unlock(&trace_types_lock);
	return error;
}

/* Where the record of a probe has the address at which the program or the kernel is. */
static u16 find_ip(const struct trace_event_field *field)
{
	for (; field->name; field++)
		if (!strcmp(field->name, "__probe_ip") || !strcmp(field->name, "__probe_ret_ip"))
			return field->offset;
	return 0;
}

static struct perf_tp *make_tp(struct trace_event_call *call)
{
	struct perf_tp *tp = kzalloc(sizeof(*tp), GFP_KERNEL);

	if (!tp)
		return NULL;
	tp->file.flags = EVENT_FILE_FL_PERF | EVENT_FILE_FL_ENABLED;
	tp->file.call = call;
	tp->file.tr = &perf_trace_array;
	INIT_LIST_HEAD(&tp->file.triggers);
	INIT_LIST_HEAD(&tp->programs);
	tp->of_user = call->group || (call->flags & TRACE_EVENT_FL_UPROBE);
	if (call->flags & TRACE_EVENT_FL_PROBE)
		tp->ip_offset = find_ip(call->event.fields);
	/* The entries of tracers are hit by function.c, or not at all; an event probe is not. */
	tp->has_recorder = call->reg && !(call->flags & TRACE_EVENT_FL_INSTANCE);
	tp->has_counter = (call->flags & TRACE_EVENT_FL_TRACEPOINT) &&
			  !(call->flags & TRACE_EVENT_FL_DYNAMIC);
	return tp;
}

/*
 * The perf_tp of an event of tracefs, made if there is none, for one more perf event. It keeps the
 * event of tracefs and its module.
 */
static struct perf_tp *get_tp(struct trace_event_call *call)
{
	struct perf_tp *tp = find_tp(call);
	int error;

	if (tp) {
		tp->users++;
		return tp;
	}
	error = make_part(call->group);
	if (error)
		return ERR_PTR(error);
	if (!try_module_get(call->mod))
		return ERR_PTR(-EINVAL);
	tp = make_tp(call);
	if (!tp) {
		module_put(call->mod);
		return ERR_PTR(-ENOMEM);
	}
	tp->users = 1;
	call->users++;
	list_add(&tp->list, &perf_tps);
	return tp;
}

static void free_tp(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct perf_tp, rcu));
}

static void put_tp(struct perf_tp *tp)
{
	if (--tp->users)
		return;
	list_del(&tp->list);
	tp->file.call->users--;
	module_put(tp->file.call->mod);
	call_rcu(&tp->rcu, free_tp);
}

/* ---- struct pmu ---- */

static struct trace_event_call *find_call(u64 number)
{
	struct trace_event_call *call;

	list_for_each_entry (call, &trace_event_calls, list)
		if (call->event.type == number)
			return call;
	return NULL;
}

/* The arguments of a task's own system calls are no secret. */
static bool is_of_syscall(const struct trace_event_call *call)
{
	return call->group || (!(call->flags & TRACE_EVENT_FL_DYNAMIC) &&
			       !strcmp(trace_event_system(call), "raw_syscalls"));
}

static bool is_event(const struct trace_event_call *call, const char *system, const char *name)
{
	return !strcmp(trace_event_system(call), system) && !strcmp(trace_event_name(call), name);
}

/* A sample must not read the program's memory: the function may be one that handles a fault. */
static int check_function(const struct perf_event_attr *attr)
{
	int error = perf_allow_tracepoint();

	if (!error && attr->sample_period &&
	    (!attr->exclude_callchain_user || (attr->sample_type & PERF_SAMPLE_STACK_USER)))
		error = -EINVAL;
	return error;
}

static int check_rights(const struct perf_event *event, const struct trace_event_call *call)
{
	/* A sample may wake its reader by the interrupt whose end this event is. */
	if (event->attr->sample_period && is_event(call, "irq_vectors", "irq_work_exit"))
		return -EPERM;
	if (is_event(call, "ftrace", "function"))
		return check_function(event->attr);
	if (!(event->attr->sample_type & PERF_SAMPLE_RAW) ||
	    (event->of_task && is_of_syscall(call)))
		return 0;
	return perf_allow_tracepoint();
}

static int init(struct perf_event *event, struct trace_event_call *call)
{
	int error = check_rights(event, call);
	struct perf_tp *tp;

	if (error)
		return error;
	tp = get_tp(call);
	if (IS_ERR(tp))
		return (int)PTR_ERR(tp);
	event->tp = tp;
	event->source = event->attr->exclude_kernel && !tp->of_user ? NULL : tp;
	/* The address of a probe is in its record. */
	if (event->attr->sample_period &&
	    (tp->ip_offset || (event->attr->sample_type & PERF_SAMPLE_RAW)))
		event->needs_record = true;
	event->only_counts = !event->attr->sample_period;
	error = attach(event);
	if (error)
		put_tp(tp);
	else
		tp->plain += !event->needs_record;
	return error;
}

static bool is_function(const struct perf_event *event)
{
	return perf_function_hook && is_event(event->tp->file.call, "ftrace", "function");
}

static void tracepoint_destroy(struct perf_event *event)
{
	if (is_function(event) && event->source)
		(void)perf_function_hook(-1);
	mutex_lock(&event_mutex);
	detach(event);
	event->tp->plain -= !event->needs_record;
	put_tp(event->tp);
	mutex_unlock(&event_mutex);
}

/* Not under E. */
static int begin_function(struct perf_event *event)
{
	const void *source = perf_function_hook(1);

	if (!IS_ERR(source)) {
		event->source = source;
		return 0;
	}
	mutex_lock(&event_mutex);
	detach(event);
	mutex_unlock(&event_mutex);
	event->source = NULL;
	tracepoint_destroy(event);
	return (int)PTR_ERR(source);
}

static int tracepoint_init(struct perf_event *event)
{
	struct trace_event_call *call;
	int error;

	mutex_lock(&event_mutex);
	call = find_call(event->attr->config);
	error = call ? init(event, call) : -EINVAL;
	mutex_unlock(&event_mutex);
	if (!error && event->source && is_function(event))
		error = begin_function(event);
	return error;
}

/* The event, for which the recorder is attached once more, leaves the way that it had. E held. */
static void use_recorder(struct perf_event *event)
{
	bool counted = uses_counter(event);

	event->tp->plain -= !event->needs_record;
	smp_store_release(&event->needs_record, true);
	WRITE_ONCE(event->only_counts, false);
	if (event->source && counted)
		detach_counter(event->tp);
	else if (event->source)
		detach_recorder(event->tp);
}

/* E held. */
static int set_filter(struct perf_event *event, const char *text)
{
	struct perf_tp *tp = event->tp;
	struct event_filter *filter;
	int error = event_filter_create(NULL, tp->file.call, text, &filter);

	if (error)
		return error;
	error = event->source ? attach_recorder(tp) : 0;
	if (error) {
		event_filter_free(filter);
		return error;
	}
	rcu_assign_pointer(event->filter, filter);
	use_recorder(event);
	return 0;
}

static int tracepoint_set_filter(struct perf_event *event, const char *text)
{
	int error;

	mutex_lock(&event_mutex);
	error = event->filter ? -EEXIST : set_filter(event, text);
	mutex_unlock(&event_mutex);
	return error;
}

/*
 * An event that has had a program stays with the recorder. The entries of tracers, and events of
 * probes, whose programs would want registers, have none.
 */
static int tracepoint_set_program(struct perf_event *event, struct perf_program *program)
{
	struct perf_tp *tp = event->tp;
	int error;

	if (!program) {
		tp->nr_programs--;
		list_del_rcu(&event->program->node);
		return 0;
	}
	if (!tp->has_recorder || (tp->file.call->flags & TRACE_EVENT_FL_PROBE))
		return -EINVAL;
	if (tp->nr_programs == PERF_PROGRAMS_MAX)
		return -E2BIG;
	error = event->source ? attach_recorder(tp) : 0;
	if (error)
		return error;
	tp->nr_programs++;
	list_add_tail_rcu(&program->node, &tp->programs);
	use_recorder(event);
	return 0;
}

u32 perf_program_record_size(const struct perf_event *event)
{
	const struct trace_event_field *field;
	u32 size = 0;

	if (!event->tp)
		return 0;
	for (field = event->tp->file.call->event.fields; field->name; field++)
		size = max(size, (u32)field->offset + field->size);
	return size;
}

void perf_program_for_each(struct perf_event *event, perf_program_fn *fn, void *data)
{
	struct perf_program *program;

	mutex_lock(&event_mutex);
	if (event->tp)
		list_for_each_entry (program, &event->tp->programs, node)
			fn(program, data);
	mutex_unlock(&event_mutex);
}

static void tracepoint_place(const struct perf_event *event, struct perf_program_place *place)
{
	place->name = trace_event_name(event->tp->file.call);
}

static const struct pmu tracepoint PERF_PMU(tracepoint) = {
	.name = "tracepoint",
	.type = PERF_TYPE_TRACEPOINT,
	.event_init = tracepoint_init,
	.destroy = tracepoint_destroy,
	.set_filter = tracepoint_set_filter,
	.set_program = tracepoint_set_program,
	.program_kind = PERF_PROGRAM_TRACEPOINT,
	.program_place = tracepoint_place,
};

static int __init perf_tracepoint_init(void)
{
	perf_event_ops = (struct perf_event_ops){ wants_record, record, short_record, dropped };
	return 0;
}
early_initcall(perf_tracepoint_init);
