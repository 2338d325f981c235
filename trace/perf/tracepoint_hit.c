/*
 * Hits of events of tracefs: they count, sample, and run programs. tracepoint.c explains their
 * ways. Any context, preemption off.
 */
#include "trace/perf/tracepoint.h"

#include "arch/cpu/ptrace.h"
#include "arch/unwind/perf_regs.h"
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind_event.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "trace/events/record.h"
#include "trace/filter/filter.h"

/* Whether the record is for this event: it may be off. */
static __always_inline bool takes_record(struct perf_event *event, const void *entry)
{
	const struct event_filter *filter;

	if (!perf_needs_record(event))
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

	if (perf_needs_record(event))
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
void perf_count_hit(void *tp)
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

/* What programs are told of a hit. */
struct program_hit {
	struct perf_program_hit hit;
	const struct perf_tp *tp;
	const unsigned long *from;
	struct pt_regs regs; /* of a hit of which only the place is known */
};

static noinline void complete_program_hit(struct perf_program_hit *hit)
{
	struct program_hit *context = container_of(hit, struct program_hit, hit);
	struct perf_sample_data data;

	set_data(&data, context->tp, context->from);
	hit->regs = data.regs;
	if (!data.regs) {
		perf_fetch_caller_regs(&context->regs, data.ip, data.frame);
		context->regs.bp = data.frame;
		hit->regs = &context->regs;
	}
	hit->complete = NULL;
}

static noinline bool run_several(const struct perf_tp *tp, void *context)
{
	struct perf_program *program;
	u32 wanted = ~0U;

	list_for_each_entry_rcu (program, &tp->programs, node)
		wanted &= program->run(program, context);
	return wanted;
}

/* Runs all programs. False: one of them drops the hit. Of one program nothing is kept meanwhile. */
static __always_inline bool run_programs(const struct perf_tp *tp, void *context)
{
	struct list_head *first = rcu_dereference(tp->programs.next);
	struct perf_program *program = list_entry(first, struct perf_program, node);

	if (unlikely(first == &tp->programs || rcu_dereference(first->next) != &tp->programs))
		return run_several(tp, context);
	return program->run(program, context);
}

static __always_inline bool programs_run_early(const struct perf_tp *tp)
{
	return READ_ONCE(tp->file.flags) & EVENT_FILE_FL_PERF_ASKS;
}

static __always_inline bool give_record(const struct perf_tp *tp, const unsigned long *from,
					void *entry)
{
	struct program_hit context;
	u64 *slot = entry, head = *slot;
	bool wanted;

	context.hit.complete = complete_program_hit;
	context.tp = tp;
	context.from = from;
	*slot = (u64)&context.hit;
	wanted = run_programs(tp, entry);
	*slot = head;
	return wanted;
}

static __always_inline bool programs_want_record(const struct perf_tp *tp)
{
	return !list_empty(&tp->programs) && !tp->is_probe;
}

/* Whether the record is for perf events. */
static __always_inline bool passes_programs(const struct perf_tp *tp, const unsigned long *from,
					    void *entry)
{
	return !static_branch_unlikely(&perf_programs_key) || tp->is_probe ||
	       programs_run_early(tp) || give_record(tp, from, entry);
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

static bool wants_hit(struct trace_event_file *file, struct pt_regs *regs)
{
	struct perf_tp *tp = container_of(file, struct perf_tp, file);

	/* A hit without registers began before the first program came. */
	return !regs || run_programs(tp, regs);
}

/* Of an event without a counter: hits those perf events that need no record. */
static noinline bool needs_record(struct perf_tp *tp)
{
	struct perf_record_hit hit;

	if (!READ_ONCE(tp->plain) && programs_want_record(tp))
		return true;
	hit.source = tp;
	hit.complete = complete_hit;
	return perf_hit_without_record(&hit) || programs_want_record(tp);
}

static bool wants_record(struct trace_event_file *file)
{
	struct perf_tp *tp = container_of(file, struct perf_tp, file);

	/* A counter has hit those that need no record. */
	if (unlikely(!tp->has_counter) && !needs_record(tp))
		return false;
	return !programs_run_early(tp) || run_programs(tp, NULL);
}

static void record(struct trace_event_file *file, void *entry, u32 length)
{
	struct perf_tp *tp = container_of(file, struct perf_tp, file);
	struct tp_record record = { tp, __builtin_frame_address(0), entry, length };

	if (passes_programs(tp, record.from, entry))
		perf_for_each_hit(tp, hit_recorded, &record);
}

/*
 * Only an event that TRACE_EVENT() declares makes short records, so there is a counter, too. At
 * least one function with a frame is between this one and __traceiter_NAME(): that which has the
 * record on its stack.
 */
static void short_record(struct trace_event_file *file, struct trace_entry *entry, u32 length)
{
	const unsigned long *frame = __builtin_frame_address(0);
	struct perf_tp *tp = container_of(file, struct perf_tp, file);
	struct tp_record record = { tp, (const unsigned long *)frame[0], entry, length };

	DEBUG_BUG_ON(!tp->has_counter);
	if (!passes_programs(tp, record.from, entry))
		return;
	tracing_entry_init(entry, file->call->event.type, tracing_gen_ctx_dec(1),
			   current_stable->pid);
	perf_walk(tp, hit_recorded, &record);
}

static void drop_one(struct perf_event *event, void *unused __unused)
{
	if (perf_needs_record(event) && READ_ONCE(event->active))
		local_add(&event->lost, 1);
}

static void dropped(const struct trace_event_file *file)
{
	perf_for_each_hit(container_of(file, struct perf_tp, file), drop_one, NULL);
}

static int __init perf_tracepoint_init(void)
{
	perf_event_ops = (struct perf_event_ops){
		.wants_hit = wants_hit,
		.wants_record = wants_record,
		.record = record,
		.record_short = short_record,
		.dropped = dropped,
	};
	return 0;
}
early_initcall(perf_tracepoint_init);
