/*
 * The PMU `tracepoint`: events of tracefs, by their number.
 *
 * All perf events of one event of tracefs share a struct perf_tp. It has two ways to be hit. Each
 * is attached while a perf event uses it:
 *
 *	counter		perf_count_hit() is a probe of the tracepoint itself. It reads only its
 *			first argument, so it fits every tracepoint, and no record is built.
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
 * events. If none of them reads it, they run before there is one: most hits end there. The counter
 * does not ask them. Those of a kprobe or uprobe are asked at the hit, before
 * there is a record, and get registers.
 */
#include "trace/perf/tracepoint.h"

#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "trace/filter/filter.h"

static LIST_HEAD(perf_tps); /* [E] */

const void *(*perf_function_hook)(int n)__ro_after_init;

/* That of the files. It has no buffer and no events, only what groups of events keep in it. */
static struct trace_array perf_trace_array = { .name = "perf" };

/* ---- attaching. E held ---- */

static int attach_counter(struct perf_tp *tp)
{
	int error = 0;

	if (!tp->counters)
		error = tracepoint_probe_register(tp->file.call->tp, (void *)perf_count_hit, tp,
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
		(void)tracepoint_probe_unregister(tp->file.call->tp, (void *)perf_count_hit, tp);
}

static void detach_recorder(struct perf_tp *tp)
{
	struct trace_event_call *call = tp->file.call;

	if (!--tp->recorders && tp->has_recorder)
		(void)call->reg(call, TRACE_REG_UNREGISTER, &tp->file);
}

static bool uses_counter(struct perf_event *event)
{
	return event->tp->has_counter && !perf_needs_record(event);
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
	tp->is_probe = call->flags & TRACE_EVENT_FL_PROBE;
	if (tp->is_probe)
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
	if (!trace_event_get_module(call))
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

/* Prepares the hits of the event for a program. 0 or an errno. E held. */
static int prepare_hits(struct perf_tp *tp, const struct perf_event *event)
{
	struct trace_event_call *call = tp->file.call;

	if (!tp->has_recorder)
		return -EINVAL;
	if (tp->nr_programs == PERF_PROGRAMS_MAX)
		return -E2BIG;
	if (tp->is_probe)
		return call->keep_registers(call);
	return event->source ? attach_recorder(tp) : 0;
}

/*
 * Chooses when hits run the programs. A hit on its way, which has asked for the flag once, may run
 * them twice or not at all. On return none gives NULL to the programs, if one reads the record.
 */
static void choose_moment(struct perf_tp *tp)
{
	unsigned long asks = EVENT_FILE_FL_PERF_ASKS;

	if (tp->nr_programs && !tp->nr_readers && !tp->is_probe)
		__atomic_fetch_or(&tp->file.flags, asks, __ATOMIC_SEQ_CST);
	else if (__atomic_fetch_and(&tp->file.flags, ~asks, __ATOMIC_SEQ_CST) & asks)
		synchronize_rcu();
}

/* An event that has had a program stays with the recorder. The entries of tracers have none. */
static int tracepoint_set_program(struct perf_event *event, struct perf_program *program)
{
	struct perf_tp *tp = event->tp;
	int error;

	if (!program) {
		tp->nr_programs--;
		tp->nr_readers -= event->program->reads_record;
		list_del_rcu(&event->program->node);
		choose_moment(tp);
		return 0;
	}
	error = prepare_hits(tp, event);
	if (error)
		return error;
	tp->nr_programs++;
	tp->nr_readers += program->reads_record;
	choose_moment(tp);
	list_add_tail_rcu(&program->node, &tp->programs);
	if (!tp->is_probe)
		use_recorder(event);
	return 0;
}

enum perf_program_kind perf_tp_program_kind(const struct perf_event *event)
{
	if (!event->tp->is_probe)
		return PERF_PROGRAM_TRACEPOINT;
	return event->tp->of_user ? PERF_PROGRAM_UPROBE : PERF_PROGRAM_KPROBE;
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
	place->of_tracefs = true;
}

static const struct pmu tracepoint PERF_PMU(tracepoint) = {
	.name = "tracepoint",
	.type = PERF_TYPE_TRACEPOINT,
	.event_init = tracepoint_init,
	.destroy = tracepoint_destroy,
	.set_filter = tracepoint_set_filter,
	.set_program = tracepoint_set_program,
	.program_place = tracepoint_place,
};
