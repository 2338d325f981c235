/*
 * Recording an event: the way from a probe to the ring buffer.
 *
 * Most of the time the file has neither filter nor trigger, and the record is built in the ring
 * buffer itself. Otherwise it is built on the stack if it is short, else in scratch memory of the
 * CPU, and copied into the ring buffer only if the filter lets it pass: an event that does not
 * match takes no room, and no room has to be given back.
 */
#include "trace/events/record.h"

#include "arch/mm/pgtable.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/sections.h"
#include "trace/core/user_stack.h"
#include "trace/events/event_pids.h"
#include "trace/filter/filter.h"
#include "trace/events/tp_printk.h"
#include "trace/trigger/trigger.h"
#include "trace/ring_buffer/write.h"

/*
 * Scratch memory of a CPU: a stack of records, and of what histograms and synthetic events need for
 * one event. A record that interrupts another one on this CPU is above it, and ends before it. So
 * the stack needs no lock. The longest records of all contexts fit in it; synthetic events nest in
 * them, and when no room is left their loss is counted.
 */
#define EVENT_SCRATCH_SIZE 32768U
static DEFINE_PER_CPU(u8 *, scratch_top); /* the first free byte; only its CPU changes it */
static DEFINE_PER_CPU(u8 *, scratch_end); /* constant after the boot */

static __always_inline void *scratch_push(u32 length)
{
	u8 *record = this_cpu_read(scratch_top), *top = record + ALIGN(length, 8);

	if (unlikely(top > this_cpu_read(scratch_end)))
		return NULL;
	/* An interrupt between the read and the write leaves the top as it was. */
	this_cpu_write(scratch_top, top);
	barrier();
	return record;
}

static __always_inline void scratch_pop(void *record)
{
	barrier();
	this_cpu_write(scratch_top, record);
}

void *trace_event_scratch_get(size_t size)
{
	return scratch_push((u32)size);
}

void trace_event_scratch_put(void *memory)
{
	scratch_pop(memory);
}

struct perf_event_ops perf_event_ops __ro_after_init;
EXPORT_SYMBOL_GPL(perf_event_ops);

void trace_event_count_dropped(const struct trace_event_file *file)
{
	unsigned long flags = READ_ONCE(file->flags);

	if (flags & EVENT_FILE_FL_PERF)
		perf_event_ops.dropped(file);
	else if (!(flags & EVENT_FILE_FL_SOFT_DISABLED))
		ring_buffer_count_dropped(READ_ONCE(file->tr->buffer));
}

static __always_inline void init_head(const struct trace_event_file *file,
				      struct trace_entry *entry, u32 ctx)
{
	tracing_entry_init(entry, file->call->event.type, ctx, current_stable->pid);
}

/* Reserves after rb_begin_write(cb), and fills in the head. NULL: the event is lost and counted. */
static noinline void *reserve_begun(const struct trace_event_file *file,
				    struct ring_buffer_per_cpu *cb, u32 size, u32 ctx)
{
	struct ring_buffer_event *event = rb_reserve_begun(cb->buffer, cb, size, false, 0);
	void *entry;

	if (!event)
		return NULL;
	entry = size <= RB_SHORT_SIZE ? &event->array[0] : &event->array[1];
	init_head(file, entry, ctx);
	return entry;
}

/* Reserves room for any length in *cb. NULL, too, if no event of any buffer can be so long. */
static noinline void *reserve(const struct trace_event_file *file, size_t length, u32 ctx,
			      struct ring_buffer_per_cpu **cb)
{
	struct trace_buffer *buffer = READ_ONCE(file->tr->buffer);

	*cb = buffer->cpus[smp_processor_id()];
	if (length > RB_MAX_EVENT(RB_ORDER_MAX)) {
		trace_event_count_dropped(file);
		return NULL;
	}
	return rb_begin_write(buffer, *cb) ? reserve_begun(file, *cb, rb_data_size(length), ctx)
					   : NULL;
}

bool trace_is_traceiter_of_module(unsigned long ip)
{
	const struct module *mod;
	bool found = false;

	rcu_read_lock();
	mod = __module_address(ip);
	if (mod)
		found = ip > mod->traceiter_text && ip <= mod->traceiter_text + mod->traceiter_size;
	rcu_read_unlock();
	return found;
}

bool trace_is_probe_path(unsigned long ip)
{
	return trace_is_traceiter(ip) || in_calls_callbacks_text(ip) ||
	       (ip >= (unsigned long)__entry_text_start && ip < (unsigned long)__entry_text_end) ||
	       (ip >= TEXT_AREA_START && ip < TEXT_AREA_END);
}

unsigned trace_event_skip_frames(const unsigned long *callers, unsigned count)
{
	unsigned first = 0, last = min(count, EVENT_FRAMES);

	while (first < last && !trace_is_traceiter(callers[first]))
		first++;
	if (first == last)
		return 0;
	first++;
	while (first < count && trace_is_probe_path(callers[first]))
		first++;
	return first;
}

void trace_event_write_stack(struct trace_array *tr, u32 ctx)
{
	unsigned long *callers = trace_scratch_get();
	unsigned count, first;

	if (!callers)
		return;
	count = stack_trace_save(callers, TRACE_STACK_MAX, 1);
	first = trace_event_skip_frames(callers, count);
	trace_write_stack(tr, ctx, callers + first, count - first);
	trace_scratch_put();
}

/* Writes the stacks that the options stacktrace and userstacktrace ask for behind the event. */
static noinline void write_stacks(struct trace_array *tr, u32 ctx)
{
	u64 flags = READ_ONCE(tr->trace_flags);

	if (flags & TRACE_ITER_STACKTRACE)
		trace_event_write_stack(tr, ctx);
	if (flags & TRACE_ITER_USERSTACKTRACE)
		ftrace_trace_userstack(tr, ctx);
}

void trace_event_end_quick(struct ring_buffer_per_cpu *cb)
{
	rb_end_quick(cb);
}

static noinline void publish(struct trace_event_file *file, struct ring_buffer_per_cpu *cb, u32 ctx)
{
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(cb);
	if (trace_event_wants_stacks(file->tr))
		write_stacks(file->tr, ctx);
}

void trace_event_commit_fast(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_per_cpu *cb = fbuffer->cb;

	if (unlikely(trace_event_wants_stacks(fbuffer->file->tr))) {
		publish(fbuffer->file, cb, fbuffer->ctx);
		return;
	}
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(cb);
}
EXPORT_SYMBOL_GPL(trace_event_commit_fast);

/* In trace_event_room.cb: the readable way has reserved the room. */
#define ROOM_READABLE 1UL

static noinline void publish_readable(struct trace_event_file *file, unsigned long cb)
{
	publish(file, (struct ring_buffer_per_cpu *)(cb & ~ROOM_READABLE), tracing_gen_ctx_dec(1));
}

/* The usual case calls no function. */
void trace_event_commit_short(struct trace_event_file *file, struct trace_event_room room,
			      unsigned long size)
{
	struct ring_buffer_per_cpu *cb = (struct ring_buffer_per_cpu *)room.cb;
	u64 behind;

	if (unlikely((room.cb & ROOM_READABLE) || trace_event_wants_stacks(file->tr))) {
		publish_readable(file, room.cb);
		return;
	}
	this_cpu_write(trace_taskinfo_save, true);
	local_add(&cb->written, 1);
	behind = (u64)room.entry + size - sizeof(struct ring_buffer_event);
	if (unlikely(!rb_end_write_quick(cb, behind - cb->quick_base)))
		trace_event_end_quick(cb);
	else
		rb_wake_waiting(cb);
}
EXPORT_SYMBOL_GPL(trace_event_commit_short);

/* Begins the record in scratch memory. flags: those of the file. NULL: there is no room. */
static __always_inline void *begin_in_scratch(struct trace_event_buffer *fbuffer,
					      unsigned long flags)
{
	struct trace_entry *entry = scratch_push(fbuffer->length);

	fbuffer->cb = NULL;
	fbuffer->slow_cb = NULL;
	fbuffer->flags = flags;
	fbuffer->entry = entry;
	if (likely(entry))
		init_head(fbuffer->file, entry, fbuffer->ctx);
	return entry;
}

static __always_inline void *reserve_scratch(struct trace_event_buffer *fbuffer,
					     unsigned long flags)
{
	void *entry = begin_in_scratch(fbuffer, flags);

	if (unlikely(!entry))
		trace_event_count_dropped(fbuffer->file);
	return entry;
}

/*
 * Triggers run with the record before it is committed. If they cannot prevent that it is recorded,
 * it is built in the ring buffer, as in Linux: then a snapshot that such a trigger takes contains
 * this event. The triggers also run while tracing is off.
 */
static void *reserve_for_triggers(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	void *entry = reserve(fbuffer->file, fbuffer->length, fbuffer->ctx, &fbuffer->cb);

	if (!entry) {
		fbuffer->discard = true; /* its loss is counted */
		return begin_in_scratch(fbuffer, flags);
	}
	fbuffer->slow_cb = fbuffer->cb;
	fbuffer->cb = NULL;
	fbuffer->flags = flags;
	return fbuffer->entry = entry;
}

static void *reserve_for_perf(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	fbuffer->discard = false;
	return perf_event_ops.wants_record(fbuffer->file) ? reserve_scratch(fbuffer, flags) : NULL;
}

/* Decides whether the event needs a record at all, and where it is built. */
static noinline void *reserve_any(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	struct trace_event_file *file = fbuffer->file;

	if (!(flags & EVENT_FILE_FL_TRIGGER_COND)) {
		if (flags & EVENT_FILE_FL_PERF)
			return reserve_for_perf(fbuffer, flags);
		if (flags & EVENT_FILE_FL_TRIGGER_MODE)
			(void)event_triggers_call(file, NULL, NULL);
		/* A trigger that enables this event enables it from the next time on. */
		if ((flags | READ_ONCE(file->flags)) & EVENT_FILE_FL_SOFT_DISABLED)
			return NULL;
	}
	if ((flags & EVENT_FILE_FL_PID_FILTER) && event_pid_ignored(file))
		return NULL;
	if (!(flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PRINTK)))
		return reserve(file, fbuffer->length, fbuffer->ctx, &fbuffer->cb);
	fbuffer->discard = false;
	/* sm_ref is 1 for the file's own triggers, and more for triggers that may disable it. */
	if (!(flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED)) &&
	    READ_ONCE(file->sm_ref) <= 1)
		return reserve_for_triggers(fbuffer, flags);
	return reserve_scratch(fbuffer, flags);
}

/*
 * Returns whether reserve_any() only takes scratch memory: for an event with a filter, or a
 * disabled one with a histogram or another trigger that needs the record.
 */
static __always_inline bool needs_only_scratch(unsigned long flags)
{
	flags &= EVENT_FILE_FL_SLOW | EVENT_FILE_FL_TRIGGER_COND;
	return flags == EVENT_FILE_FL_FILTERED ||
	       flags == (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE |
			 EVENT_FILE_FL_TRIGGER_COND);
}

void *trace_event_reserve_fast(struct trace_event_buffer *fbuffer, size_t length)
{
	fbuffer->ctx = tracing_gen_ctx_dec(1); /* the tracepoint has disabled preemption */
	return reserve(fbuffer->file, length, fbuffer->ctx, &fbuffer->cb);
}
EXPORT_SYMBOL_GPL(trace_event_reserve_fast);

/* The unusual cases of trace_event_reserve_short(). */
static noinline struct trace_event_room
reserve_short_begun(struct trace_event_file *file, struct ring_buffer_per_cpu *cb, u32 size)
{
	return (struct trace_event_room){ reserve_begun(file, cb, size, tracing_gen_ctx_dec(1)),
					  (unsigned long)cb | ROOM_READABLE };
}

static noinline struct trace_event_room
init_room(struct trace_event_file *file, struct trace_entry *entry, struct ring_buffer_per_cpu *cb)
{
	init_head(file, entry, tracing_gen_ctx_dec(1));
	return (struct trace_event_room){ entry, (unsigned long)cb };
}

/*
 * The usual case calls no function, and the others keep nothing over one: few registers are saved.
 */
struct trace_event_room trace_event_reserve_short(struct trace_event_file *file, u32 size)
{
	struct trace_buffer *buffer = READ_ONCE(file->tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	u32 count;
	u64 end;

	if (unlikely(!rb_begin_write(buffer, cb)))
		return (struct trace_event_room){ NULL, 0 };
	event = rb_reserve_quick(cb, size, false, 0, &end);
	if (unlikely(!event))
		return reserve_short_begun(file, cb, size);
	entry = (struct trace_entry *)&event->array[0];
	count = tracing_ctx_count(1); /* the tracepoint has disabled preemption */
	if (unlikely(!tracing_ctx_is_simple(count)))
		return init_room(file, entry, cb);
	tracing_entry_init_simple(entry, file->call->event.type, count, current_stable->pid);
	return (struct trace_event_room){ entry, (unsigned long)cb };
}
EXPORT_SYMBOL_GPL(trace_event_reserve_short);

/* The usual case keeps nothing over a call. */
void *trace_event_reserve_slow(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	fbuffer->ctx = tracing_gen_ctx_dec(1);
	if (unlikely(!needs_only_scratch(flags)))
		return reserve_any(fbuffer, flags);
	fbuffer->discard = false;
	return reserve_scratch(fbuffer, flags);
}
EXPORT_SYMBOL_GPL(trace_event_reserve_slow);

/* Copies the record into the ring buffer. */
static noinline void record(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_per_cpu *cb;
	void *entry = reserve(fbuffer->file, fbuffer->length, fbuffer->ctx, &cb);

	if (!entry)
		return;
	memcpy(entry, fbuffer->entry, fbuffer->length);
	publish(fbuffer->file, cb, fbuffer->ctx);
}

/* The same for a record without its head. */
static noinline void record_short(struct trace_event_file *file, const struct trace_entry *from,
				  u32 length)
{
	u32 ctx = tracing_gen_ctx_dec(1);
	struct ring_buffer_per_cpu *cb;
	struct trace_entry *entry = reserve(file, length, ctx, &cb);

	if (!entry)
		return;
	memcpy(entry + 1, from + 1, length - sizeof(*entry));
	publish(file, cb, ctx);
}

void trace_event_record_begun(struct trace_event_file *file, struct ring_buffer_per_cpu *cb,
			      const struct trace_entry *from, u32 length)
{
	u32 ctx = tracing_gen_ctx_dec(1);
	struct trace_entry *entry = reserve_begun(file, cb, rb_data_size(length), ctx);

	if (!entry)
		return;
	memcpy(entry + 1, from + 1, length - sizeof(*entry));
	publish(file, cb, ctx);
}

/*
 * Returns whether the event is recorded, after its triggers have run. The filter may be removed at
 * any time.
 */
static bool passes(const struct trace_event_file *file, const void *entry)
{
	unsigned long flags = READ_ONCE(file->flags);
	const struct event_filter *filter;

	if (!(flags & (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_FILTERED)))
		return true;
	if (flags & EVENT_FILE_FL_SOFT_DISABLED)
		return false;
	filter = rcu_dereference(file->filter);
	return !filter || event_filter_match(filter, entry);
}

/* The event's triggers need the record, tp_printk prints it, or perf counts it. */
static noinline void commit_any(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->file;
	void *entry = fbuffer->entry;
	unsigned later = 0;

	fbuffer->caller = 0;
	if (fbuffer->flags & EVENT_FILE_FL_TRIGGER_COND)
		later = event_triggers_call(file, entry, fbuffer);
	if (fbuffer->slow_cb || (!fbuffer->discard && passes(file, entry))) {
		if (fbuffer->flags & EVENT_FILE_FL_PRINTK)
			trace_event_printk(fbuffer);
		if (fbuffer->slow_cb)
			publish(file, fbuffer->slow_cb, fbuffer->ctx);
		else if (fbuffer->flags & EVENT_FILE_FL_PERF)
			perf_event_ops.record(file, entry, fbuffer->length);
		else
			record(fbuffer);
	}
	if (unlikely(later))
		event_triggers_post_call(file, later, fbuffer);
	if (!fbuffer->slow_cb)
		scratch_pop(entry);
}

void trace_event_commit_slow(struct trace_event_buffer *fbuffer)
{
	if (fbuffer->flags &
	    (EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PRINTK | EVENT_FILE_FL_PERF)) {
		commit_any(fbuffer);
		return;
	}
	if (passes(fbuffer->file, fbuffer->entry))
		record(fbuffer);
	scratch_pop(fbuffer->entry);
}
EXPORT_SYMBOL_GPL(trace_event_commit_slow);

/* Any flags. from: without its head. */
static noinline void record_any(struct trace_event_file *file, const struct trace_entry *from,
				u32 length)
{
	struct trace_event_buffer fbuffer = { .file = file, .length = length };
	struct trace_entry *entry = trace_event_reserve_slow(&fbuffer, READ_ONCE(file->flags));

	if (!entry)
		return;
	memcpy(entry + 1, from + 1, length - sizeof(*entry));
	trace_event_buffer_commit(&fbuffer);
}

static noinline void run_plain(struct trace_event_file *file, struct trace_entry *entry,
			       struct event_trigger_data *data)
{
	init_head(file, entry, tracing_gen_ctx_dec(1));
	data->plain(data, entry);
}

/* Any filter, and any triggers. */
static noinline void record_slow(struct trace_event_file *file, struct trace_entry *entry,
				 u32 length)
{
	unsigned long flags =
		READ_ONCE(file->flags) & (EVENT_FILE_FL_SLOW | EVENT_FILE_FL_TRIGGER_COND);
	const struct event_filter *filter = rcu_dereference(file->filter);

	if (flags == EVENT_FILE_FL_FILTERED && filter) {
		if (filter->reads_head)
			init_head(file, entry, tracing_gen_ctx_dec(1));
		if (event_filter_match(filter, entry))
			record_short(file, entry, length);
	} else {
		record_any(file, entry, length);
	}
}

/*
 * The cases that are frequent save no registers: a filter that is one comparison, a disabled event
 * with one histogram, and a record for perf.
 */
void trace_event_record_slow(struct trace_event_file *file, struct trace_entry *entry, u32 length)
{
	unsigned long flags =
		READ_ONCE(file->flags) & (EVENT_FILE_FL_SLOW | EVENT_FILE_FL_TRIGGER_COND);
	const struct event_filter *filter;
	struct event_trigger_data *data;

	if (flags == EVENT_FILE_FL_FILTERED) {
		filter = rcu_dereference(file->filter);
		if (likely(filter && filter->word_at)) {
			u64 word = event_filter_word(filter, entry);

			if (unlikely(event_filter_match_word(filter, word)))
				record_short(file, entry, length);
			return;
		}
	} else if (flags == (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE |
			     EVENT_FILE_FL_TRIGGER_COND)) {
		data = rcu_dereference(file->plain);
		if (likely(data && !READ_ONCE(data->paused))) {
			if (data->reads_head)
				run_plain(file, entry, data);
			else
				data->plain(data, entry);
			return;
		}
	} else if (flags == EVENT_FILE_FL_PERF) {
		perf_event_ops.record_short(file, entry, length);
		return;
	}
	record_slow(file, entry, length);
}
EXPORT_SYMBOL_GPL(trace_event_record_slow);

size_t trace_event_strlen(const char *text)
{
	return strlen(text ? text : TRACE_EVENT_NULL_STRING);
}
EXPORT_SYMBOL_GPL(trace_event_strlen);

void trace_event_copy_string(char *to, const char *text, size_t size)
{
	strscpy(to, text ? text : TRACE_EVENT_NULL_STRING, size);
}
EXPORT_SYMBOL_GPL(trace_event_copy_string);

static int __init event_scratch_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		u8 *scratch = kzalloc(EVENT_SCRATCH_SIZE, GFP_KERNEL);

		if (!scratch)
			return -ENOMEM; /* events with filters on this CPU are not recorded */
		per_cpu(scratch_top, cpu) = scratch;
		per_cpu(scratch_end, cpu) = scratch + EVENT_SCRATCH_SIZE;
	}
	return 0;
}
early_initcall(event_scratch_init);
