/*
 * Recording an event: the way from a probe to the ring buffer.
 *
 * Most of the time the file has neither filter nor trigger, and the record is built in the ring
 * buffer itself. Otherwise it is built in scratch memory of the CPU, and copied into the ring
 * buffer only if the filter lets it pass: an event that does not match takes no room, and no room
 * has to be given back.
 */
#include "trace/events/record.h"

#include "arch/stacktrace.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/user_stack.h"
#include "trace/events/event_pids.h"
#include "trace/events/filter.h"
#include "trace/events/tp_printk.h"
#include "trace/events/trigger.h"
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

void trace_event_count_dropped(const struct trace_event_file *file)
{
	if (!(READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED))
		ring_buffer_count_dropped(READ_ONCE(file->tr->buffer));
}

/* Fills in the head of the entry in the ring buffer. size: rb_data_size(length). */
static __always_inline void *init_entry(const struct trace_event_buffer *fbuffer,
					struct ring_buffer_event *event, u32 size)
{
	struct trace_entry *entry = size <= RB_SHORT_SIZE ? (struct trace_entry *)&event->array[0]
							  : (struct trace_entry *)&event->array[1];

	tracing_entry_init(entry, fbuffer->file->call->event.type, fbuffer->ctx,
			   current_stable->pid);
	return entry;
}

/* Reserves after rb_begin_write(fbuffer->cb). NULL: the event is lost and counted. */
static noinline void *reserve_begun(struct trace_event_buffer *fbuffer, u32 size)
{
	struct ring_buffer_per_cpu *cb = fbuffer->cb;
	struct ring_buffer_event *event = rb_reserve_begun(cb->buffer, cb, size, false, 0);

	return event ? init_entry(fbuffer, event, size) : NULL;
}

/* Begins to write to the ring buffer of the file's trace_array. False: it records nothing. */
static __always_inline bool begin_write(struct trace_event_buffer *fbuffer)
{
	struct trace_buffer *buffer = READ_ONCE(fbuffer->file->tr->buffer);

	fbuffer->cb = buffer->cpus[smp_processor_id()];
	return rb_begin_write(buffer, fbuffer->cb);
}

/* Reserves room for any length. NULL, too, if no event can be so long. */
static noinline void *reserve(struct trace_event_buffer *fbuffer, size_t length)
{
	if (length > RB_MAX_EVENT) {
		trace_event_count_dropped(fbuffer->file);
		return NULL;
	}
	return begin_write(fbuffer) ? reserve_begun(fbuffer, rb_data_size(length)) : NULL;
}

static bool is_traceiter(unsigned long ip)
{
	return ip > (unsigned long)__traceiter_text_start &&
	       ip <= (unsigned long)__traceiter_text_end;
}

/* At most so many frames are between stack_trace_save() and __traceiter_NAME(). */
#define EVENT_FRAMES 12U

void trace_event_write_stack(struct trace_array *tr, u32 ctx)
{
	unsigned long *callers = trace_scratch_get();
	unsigned count, first = 0;

	if (!callers)
		return;
	count = stack_trace_save(callers, TRACE_STACK_MAX, 1);
	while (first < min(count, EVENT_FRAMES) && !is_traceiter(callers[first]))
		first++;
	/* A dynamic event may have no tracepoint. Then all callers are of interest. */
	first = first < min(count, EVENT_FRAMES) ? first + 1 : 0;
	trace_write_stack(tr, ctx, callers + first, count - first);
	trace_scratch_put();
}

/* Writes the stacks that the options stacktrace and userstacktrace ask for behind the event. */
static noinline void write_stacks(struct trace_event_buffer *fbuffer)
{
	struct trace_array *tr = fbuffer->file->tr;
	u64 flags = READ_ONCE(tr->trace_flags);

	if (flags & TRACE_ITER_STACKTRACE)
		trace_event_write_stack(tr, fbuffer->ctx);
	if (flags & TRACE_ITER_USERSTACKTRACE)
		ftrace_trace_userstack(tr, fbuffer->ctx);
}

static __always_inline bool wants_stacks(const struct trace_array *tr)
{
	return READ_ONCE(tr->trace_flags) & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE);
}

static noinline void end_write(struct ring_buffer_per_cpu *cb)
{
	rb_end_write(cb);
}

static noinline void publish(struct trace_event_buffer *fbuffer)
{
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(fbuffer->cb);
	if (wants_stacks(fbuffer->file->tr))
		write_stacks(fbuffer);
}

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
		tracing_entry_init(entry, fbuffer->file->call->event.type, fbuffer->ctx,
				   current_stable->pid);
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
	void *entry = reserve(fbuffer, fbuffer->length);

	if (!entry) {
		fbuffer->discard = true; /* its loss is counted */
		return begin_in_scratch(fbuffer, flags);
	}
	fbuffer->slow_cb = fbuffer->cb;
	fbuffer->cb = NULL;
	fbuffer->flags = flags;
	return fbuffer->entry = entry;
}

/* Decides whether the event needs a record at all, and where it is built. */
static noinline void *reserve_any(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	struct trace_event_file *file = fbuffer->file;

	if (!(flags & EVENT_FILE_FL_TRIGGER_COND)) {
		if (flags & EVENT_FILE_FL_TRIGGER_MODE)
			(void)event_triggers_call(file, NULL, NULL);
		/* A trigger that enables this event enables it from the next time on. */
		if ((flags | READ_ONCE(file->flags)) & EVENT_FILE_FL_SOFT_DISABLED)
			return NULL;
	}
	if ((flags & EVENT_FILE_FL_PID_FILTER) && event_pid_ignored(file))
		return NULL;
	if (!(flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PRINTK)))
		return reserve(fbuffer, fbuffer->length);
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
	return reserve(fbuffer, length);
}

/* The usual case calls no function. */
void *trace_event_reserve_short(struct trace_event_buffer *fbuffer, u32 size)
{
	struct ring_buffer_event *event;

	if (size > RB_SHORT_SIZE)
		__builtin_unreachable(); /* so the compiler leaves out what only longer ones need */
	fbuffer->ctx = tracing_gen_ctx_dec(1);
	if (unlikely(!begin_write(fbuffer)))
		return NULL;
	event = rb_reserve_quick(fbuffer->cb->buffer, fbuffer->cb, size);
	if (unlikely(!event))
		return reserve_begun(fbuffer, size);
	return init_entry(fbuffer, event, size);
}

/* The usual case keeps nothing over a call. */
void *trace_event_reserve_slow(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	fbuffer->ctx = tracing_gen_ctx_dec(1);
	if (unlikely(!needs_only_scratch(flags)))
		return reserve_any(fbuffer, flags);
	fbuffer->discard = false;
	return reserve_scratch(fbuffer, flags);
}

/* Copies the record into the ring buffer. */
static noinline void record(struct trace_event_buffer *fbuffer)
{
	void *entry = reserve(fbuffer, fbuffer->length);

	if (!entry)
		return;
	memcpy(entry, fbuffer->entry, fbuffer->length);
	publish(fbuffer);
}

/*
 * Returns whether the event is recorded, after its triggers have run. The filter may be removed
 * meanwhile.
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

/* The event's triggers need the record, or tp_printk prints it. */
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
		if (fbuffer->slow_cb) {
			fbuffer->cb = fbuffer->slow_cb;
			publish(fbuffer);
		} else {
			record(fbuffer);
		}
	}
	if (unlikely(later))
		event_triggers_post_call(file, later, fbuffer);
	if (!fbuffer->slow_cb)
		scratch_pop(entry);
}

/* The same: the usual case calls no function. */
void trace_event_commit_fast(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_per_cpu *cb = fbuffer->cb;

	if (unlikely(wants_stacks(fbuffer->file->tr))) {
		publish(fbuffer);
		return;
	}
	this_cpu_write(trace_taskinfo_save, true);
	local_add(&cb->written, 1);
	if (unlikely(!rb_end_write_quick(cb)))
		end_write(cb);
	else
		rb_wake_waiting(cb);
}

void trace_event_commit_slow(struct trace_event_buffer *fbuffer)
{
	if (fbuffer->flags & (EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PRINTK)) {
		commit_any(fbuffer);
		return;
	}
	if (passes(fbuffer->file, fbuffer->entry))
		record(fbuffer);
	scratch_pop(fbuffer->entry);
}

size_t trace_event_strlen(const char *text)
{
	return strlen(text ? text : TRACE_EVENT_NULL_STRING);
}

void trace_event_copy_string(char *to, const char *text, size_t size)
{
	strscpy(to, text ? text : TRACE_EVENT_NULL_STRING, size);
}

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
