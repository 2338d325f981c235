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
 * Scratch memory of a CPU: a stack of records. A record that interrupts another one on this CPU is
 * above it, and ends before it. So the stack needs no lock. The longest records of all contexts fit
 * in it; synthetic events nest in them, and when no room is left their loss is counted.
 */
#define EVENT_SCRATCH_SIZE 16384U
struct event_scratch {
	u32 top; /* bytes in use; only its CPU changes it, in any context */
	u8 room[EVENT_SCRATCH_SIZE] __aligned(8);
};
static DEFINE_PER_CPU(struct event_scratch *, event_scratch); /* constant after the boot */

static void *scratch_push(size_t length)
{
	struct event_scratch *scratch = this_cpu_read(event_scratch);
	u32 start = scratch ? READ_ONCE(scratch->top) : EVENT_SCRATCH_SIZE;

	if (ALIGN(length, 8) > EVENT_SCRATCH_SIZE - start)
		return NULL;
	/* An interrupt between the read and the write leaves top as it was. */
	WRITE_ONCE(scratch->top, start + (u32)ALIGN(length, 8));
	barrier();
	return scratch->room + start;
}

static void scratch_pop(void *record)
{
	struct event_scratch *scratch = this_cpu_read(event_scratch);

	barrier();
	WRITE_ONCE(scratch->top, (u32)((u8 *)record - scratch->room));
}

void trace_event_count_dropped(const struct trace_event_file *file)
{
	if (!(READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED))
		ring_buffer_count_dropped(READ_ONCE(file->tr->buffer));
}

/* Reserves size bytes, rb_data_size(length), in the ring buffer of the file's trace_array. */
static __always_inline void *reserve_size(struct trace_event_buffer *fbuffer, u32 size)
{
	const struct trace_event_file *file = fbuffer->file;
	struct trace_buffer *buffer = READ_ONCE(file->tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id()];
	struct ring_buffer_event *event = rb_reserve_data(buffer, cb, size, false, 0);
	struct trace_entry *entry;

	fbuffer->cb = cb;
	if (unlikely(!event))
		return NULL;
	entry = size <= RB_SHORT_SIZE ? (struct trace_entry *)&event->array[0]
				      : (struct trace_entry *)&event->array[1];
	tracing_entry_init(entry, file->call->event.type, fbuffer->ctx, current_stable->pid);
	return entry;
}

/* The same for any length. NULL, too, if no event can be so long. */
static noinline void *reserve(struct trace_event_buffer *fbuffer, size_t length)
{
	if (length <= RB_MAX_EVENT)
		return reserve_size(fbuffer, rb_data_size(length));
	trace_event_count_dropped(fbuffer->file);
	return NULL;
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

static noinline void publish(struct trace_event_buffer *fbuffer)
{
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(fbuffer->cb);
	if (wants_stacks(fbuffer->file->tr))
		write_stacks(fbuffer);
}

/* Begins the record in scratch memory. NULL: there is no room. */
static __always_inline void *begin_in_scratch(struct trace_event_buffer *fbuffer)
{
	struct trace_entry *entry = scratch_push(fbuffer->length);

	fbuffer->slow_cb = NULL;
	if (entry)
		tracing_entry_init(entry, fbuffer->file->call->event.type, fbuffer->ctx,
				   current->pid);
	return entry;
}

static void *reserve_scratch(struct trace_event_buffer *fbuffer)
{
	void *entry = begin_in_scratch(fbuffer);

	if (unlikely(!entry))
		trace_event_count_dropped(fbuffer->file);
	return entry;
}

/*
 * Triggers run with the record before it is committed. If they cannot prevent that it is recorded,
 * it is built in the ring buffer, as in Linux: then a snapshot that such a trigger takes contains
 * this event. The triggers also run while tracing is off.
 */
static void *reserve_for_triggers(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_per_cpu *cb;
	void *entry = reserve(fbuffer, fbuffer->length);

	cb = fbuffer->cb;
	fbuffer->cb = NULL;
	if (!entry) {
		fbuffer->discard = true; /* its loss is counted */
		return begin_in_scratch(fbuffer);
	}
	fbuffer->slow_cb = cb;
	return entry;
}

/* Decides whether the event needs a record at all, and where it is built. */
static noinline void *reserve_slow(struct trace_event_buffer *fbuffer, unsigned long flags)
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
	fbuffer->flags = flags;
	fbuffer->discard = false;
	fbuffer->cb = NULL;
	/* sm_ref is 1 for the file's own triggers, and more for triggers that may disable it. */
	if (!(flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED)) &&
	    READ_ONCE(file->sm_ref) <= 1)
		return reserve_for_triggers(fbuffer);
	return reserve_scratch(fbuffer);
}

/* Returns whether nothing but a filter makes the event take the slow way. */
static __always_inline bool is_only_filtered(unsigned long flags)
{
	return (flags & EVENT_FILE_FL_SLOW) == EVENT_FILE_FL_FILTERED;
}

void *trace_event_reserve_fast(struct trace_event_buffer *fbuffer, size_t length)
{
	fbuffer->ctx = tracing_gen_ctx_dec(1); /* the tracepoint has disabled preemption */
	return reserve(fbuffer, length);
}

void *trace_event_reserve_short(struct trace_event_buffer *fbuffer, u32 size)
{
	if (size > RB_SHORT_SIZE)
		__builtin_unreachable(); /* so the compiler leaves out what only longer ones need */
	fbuffer->ctx = tracing_gen_ctx_dec(1);
	return reserve_size(fbuffer, size);
}

/* An event that is only filtered needs no more than scratch memory. */
void *trace_event_reserve_slow(struct trace_event_buffer *fbuffer, unsigned long flags)
{
	fbuffer->ctx = tracing_gen_ctx_dec(1);
	if (unlikely(!is_only_filtered(flags)))
		return fbuffer->entry = reserve_slow(fbuffer, flags);
	fbuffer->flags = EVENT_FILE_FL_FILTERED;
	fbuffer->cb = NULL;
	return fbuffer->entry = reserve_scratch(fbuffer);
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

static noinline void commit_slow(struct trace_event_buffer *fbuffer)
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
	if (later)
		event_triggers_post_call(file, later, fbuffer);
	if (!fbuffer->slow_cb)
		scratch_pop(entry);
}

void trace_event_commit_fast(struct trace_event_buffer *fbuffer)
{
	if (unlikely(wants_stacks(fbuffer->file->tr))) {
		publish(fbuffer);
		return;
	}
	/* The usual case keeps nothing over a call. */
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(fbuffer->cb);
}

void trace_event_commit_slow(struct trace_event_buffer *fbuffer)
{
	if (unlikely(!is_only_filtered(fbuffer->flags))) {
		commit_slow(fbuffer);
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
		struct event_scratch *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);

		if (!scratch)
			return -ENOMEM; /* events with filters on this CPU are not recorded */
		per_cpu(event_scratch, cpu) = scratch;
	}
	return 0;
}
early_initcall(event_scratch_init);
