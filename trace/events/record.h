/*
 * Recording an event: reserve room, fill it, commit. Each probe that trace/events/define.h makes
 * does this. Any context, NMI included; preemption off.
 */
#pragma once

#include "arch/mm/pgtable.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/write.h"
#include "trace/events/event.h"
#include "trace/filter/program.h"
#include "trace/ring_buffer/write.h"

/* One event between reserve and commit. On the stack of the probe. */
struct trace_event_buffer {
	struct trace_event_file *file;
	struct ring_buffer_per_cpu *cb; /* NULL: the slow way, for a filter, trigger or soft mode */
	u32 ctx;                        /* tracing_gen_ctx() */

	/* Only on the slow way. */
	u32 length;  /* bytes at entry */
	void *entry; /* in the ring buffer, or in scratch memory */
	struct ring_buffer_per_cpu
		*slow_cb;     /* entry is in the ring buffer; NULL: in scratch memory */
	unsigned long flags;  /* of the file, when the room was reserved */
	unsigned long caller; /* of trace_marker: a return address in it; 0 for other events */
	bool discard;         /* entry is only for the triggers */
};

/* The two ways of an event, for the functions below. Separate, so that each saves few registers. */
void *trace_event_reserve_fast(struct trace_event_buffer *fbuffer, size_t length);
void *trace_event_reserve_slow(struct trace_event_buffer *fbuffer, unsigned long flags);
void trace_event_commit_fast(struct trace_event_buffer *fbuffer);
void trace_event_commit_slow(struct trace_event_buffer *fbuffer);

/*
 * Reserves length bytes for an event and fills in the head that all entries have. Without a filter
 * or trigger the room is in the ring buffer. With one it is in scratch memory of this CPU, because
 * an event that does not match must take no room. NULL: the event is not recorded.
 */
static __always_inline void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
							struct trace_event_file *file,
							size_t length)
{
	unsigned long flags = READ_ONCE(file->flags);

	fbuffer->file = file;
	if (unlikely(flags & EVENT_FILE_FL_SLOW)) {
		fbuffer->length = (u32)length;
		return trace_event_reserve_slow(fbuffer, flags);
	}
	return trace_event_reserve_fast(fbuffer, length);
}

/* Publishes the event if the filter lets it pass, and runs the triggers. */
static __always_inline void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	if (likely(fbuffer->cb))
		trace_event_commit_fast(fbuffer);
	else
		trace_event_commit_slow(fbuffer);
}

/*
 * What hits a file with EVENT_FILE_FL_PERF, which has no other flag but ENABLED and PERF_ASKS.
 * trace/perf fills it at the boot, and makes such files. Any context, preemption off.
 */
struct perf_event_ops {
	/* A kprobe or uprobe has hit. False: a program drops the hit. */
	bool (*wants_hit)(struct trace_event_file *file, struct pt_regs *regs);
	/* Before a record is built. False: none is needed. */
	bool (*wants_record)(struct trace_event_file *file);
	/* The record is complete. */
	void (*record)(struct trace_event_file *file, void *entry, u32 length);
	/* The same of a short one on the stack of the probe, without its head. wants_record() is
	   asked before it only with PERF_ASKS. */
	void (*record_short)(struct trace_event_file *file, struct trace_entry *entry, u32 length);
	/* There was no room for one. */
	void (*dropped)(const struct trace_event_file *file);
};
extern struct perf_event_ops perf_event_ops;

/*
 * The same for a record of a constant size that is short: most events. The common case needs no
 * trace_event_buffer. With a filter or trigger, the probe builds the record on its stack.
 */
#define TRACE_EVENT_IS_SHORT(length)                                                               \
	(__builtin_constant_p(length) && rb_data_size(length) <= RB_SHORT_SIZE)

/* Room in the ring buffer. As a return value it is in two registers. */
struct trace_event_room {
	void *entry;      /* NULL: the event is not recorded */
	unsigned long cb; /* a ring_buffer_per_cpu, + 1 if the readable way has reserved the room */
};

static __always_inline bool trace_event_is_slow(const struct trace_event_file *file)
{
	return unlikely(READ_ONCE(file->flags) & EVENT_FILE_FL_SLOW);
}

/* Whether the options stacktrace and userstacktrace ask for stacks behind the events of tr. */
static __always_inline bool trace_event_wants_stacks(const struct trace_array *tr)
{
	return (u32)tr->trace_flags & (u32)(TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE);
}

/*
 * Reserves room in the ring buffer for an event that is not slow, and fills in the record's head.
 * size: rb_data_size() of the length. trace_event_commit_short() publishes the event.
 */
struct trace_event_room trace_event_reserve_short(struct trace_event_file *file, u32 size);
void trace_event_commit_short(struct trace_event_file *file, struct trace_event_room room,
			      unsigned long size);

/*
 * The same way without a call, for the events that happen most: each has a copy of this code. It
 * is for an event that is not slow (trace_event_is_inline()), in the usual case of the ring buffer
 * (rb_reserve_quick()). Everything else it leaves to trace_event_record_slow(), or, when it has
 * begun to write, to trace_event_record_begun(): both take a record on the stack. An NMI or
 * interrupt between any two instructions records its events behind this one, as in the ring
 * buffer's other ways.
 */
static __always_inline bool trace_event_is_inline(const struct trace_event_file *file)
{
	return !trace_event_is_slow(file) && likely(!trace_event_wants_stacks(file->tr));
}

/* Begins to write in *cb: one of the next two must follow. False: the buffer records nothing. */
static __always_inline bool trace_event_begin(const struct trace_event_file *file,
					      struct ring_buffer_per_cpu **cb)
{
	struct trace_buffer *buffer = READ_ONCE(file->tr->buffer);

	*cb = buffer->cpus[smp_processor_id_stable()];
	return likely(rb_begin_write(buffer, *cb));
}

/*
 * Reserves room and fills in the record's head. size: rb_data_size() of the length. NULL: it is an
 * unusual case, and trace_event_record_begun() must follow. Else trace_event_commit_inline(), with
 * *end.
 */
static __always_inline void *trace_event_reserve_inline(const struct trace_event_file *file,
							struct ring_buffer_per_cpu *cb, u32 size,
							u64 *end)
{
	struct ring_buffer_event *event = rb_reserve_quick(cb, size, false, 0, end);
	struct trace_entry *entry;
	u32 count, type = file->call->event.type;

	if (unlikely(!event))
		return NULL;
	entry = (struct trace_entry *)&event->array[0];
	count = tracing_ctx_count(1); /* the tracepoint has disabled preemption */
	if (likely(tracing_ctx_is_simple(count)))
		tracing_entry_init_simple(entry, (u16)type, count, current_stable->pid);
	else
		tracing_entry_init(entry, type, tracing_gen_ctx_dec(1), current_stable->pid);
	return entry;
}

/* Writes what trace_event_begin() has begun. from: a copy of the record without its head. */
void trace_event_record_begun(struct trace_event_file *file, struct ring_buffer_per_cpu *cb,
			      const struct trace_entry *from, u32 length);
/* Publishes what interrupts have recorded behind the event. */
void trace_event_end_quick(struct ring_buffer_per_cpu *cb);

static __always_inline void trace_event_commit_inline(struct ring_buffer_per_cpu *cb, u64 end)
{
	this_cpu_write(trace_taskinfo_save, true);
	local_add(&cb->written, 1);
	if (unlikely(!rb_end_write_quick(cb, end)))
		trace_event_end_quick(cb);
	else
		rb_wake_waiting(cb);
}

/*
 * Whether the file's filter drops the event by the first field alone, of 8 bytes: first is its
 * value. False: the filter may drop the event, too.
 */
static __always_inline bool trace_event_is_dropped_early(const struct trace_event_file *file,
							 u64 first)
{
	const struct event_filter *filter = rcu_dereference(file->filter);

	return (READ_ONCE(file->flags) & (EVENT_FILE_FL_SLOW | EVENT_FILE_FL_TRIGGER_COND)) ==
		       EVENT_FILE_FL_FILTERED &&
	       filter && filter->word_at == sizeof(struct trace_entry) &&
	       !event_filter_match_word(filter, first);
}

/*
 * Records the event as filters and triggers say. entry: a copy of the record on the stack, of
 * length bytes; only its head is not filled in. Most filters and histograms do not read the head.
 */
void trace_event_record_slow(struct trace_event_file *file, struct trace_entry *entry, u32 length);

/*
 * Returns size bytes of this CPU's scratch memory, aligned to 8 bytes, until
 * trace_event_scratch_put(), or NULL: no room is left. Calls nest, the last one is put first. Any
 * context; preemption off until the put.
 */
void *trace_event_scratch_get(size_t size);
void trace_event_scratch_put(void *memory);

/*
 * Counts an event as dropped (per_cpu/cpuN/stats) that the file should record, but for which there
 * is no room outside of the ring buffer.
 */
void trace_event_count_dropped(const struct trace_event_file *file);

bool trace_is_traceiter_of_module(unsigned long ip);
/*
 * Returns whether ip is a return address in a function __traceiter_NAME() of the image or of a
 * module. Any context.
 */
static inline bool trace_is_traceiter(unsigned long ip)
{
	if (likely(ip > (unsigned long)__traceiter_text_start &&
		   ip <= (unsigned long)__traceiter_text_end))
		return true;
	return ip >= MODULES_START && ip < MODULES_END && trace_is_traceiter_of_module(ip);
}
/*
 * Returns whether ip is on the way from an instruction to the handler of its probe, or from a place
 * to the one of its tracepoints that it has chosen (timer_events.h). Any context.
 */
bool trace_is_probe_path(unsigned long ip);
/* At most so many frames are between stack_trace_save() in a probe and __traceiter_NAME(). */
#define EVENT_FRAMES 16U
/*
 * How many of the callers that a probe has saved are of the event itself: behind them comes the
 * function that contains trace_NAME(). 0 for a dynamic event without a tracepoint. Any context.
 */
unsigned trace_event_skip_frames(const unsigned long *callers, unsigned count);
/*
 * Writes a TRACE_STACK entry that begins with the function that contains trace_NAME(). For probes
 * and triggers. Preemption off.
 */
void trace_event_write_stack(struct trace_array *tr, u32 ctx);

#define TRACE_EVENT_NULL_STRING "(null)"
/* For __string(): the length of text, or of the text that stands for NULL. */
size_t trace_event_strlen(const char *text);
/* For __assign_str(): copies the text, cut to size bytes with its NUL. */
void trace_event_copy_string(char *to, const char *text, size_t size);
