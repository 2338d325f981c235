/* Writing entries, text and stacks into a trace. Any context, NMI included. */
#include "trace/core/cmdlines.h"
#include "trace/core/marker.h"
#include "trace/core/options.h"
#include "trace/core/trace_printk.h"
#include "trace/core/write.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

#define TRACE_CONTEXTS 4 /* task, softirq, hardirq, NMI */

/* One buffer for each context, because a context may interrupt another one on this CPU. */
struct trace_scratch {
	u32 busy; /* a bit for each context */
	u8 room[TRACE_CONTEXTS][TRACE_SCRATCH_SIZE] __aligned(8);
};
static DEFINE_PER_CPU(struct trace_scratch, trace_scratch);
BUILD_BUG_ON(TRACE_STACK_MAX * sizeof(unsigned long) > TRACE_SCRATCH_SIZE);

void *trace_buffer_lock_reserve(struct trace_array *tr, u32 type, size_t length, u32 ctx,
				struct trace_buffer **buffer)
{
	struct ring_buffer_event *event;
	struct trace_entry *ent;

	*buffer = READ_ONCE(tr->buffer);
	if (unlikely(!*buffer))
		return NULL;
	event = ring_buffer_lock_reserve(*buffer, length);
	if (!event)
		return NULL;
	ent = ring_buffer_event_data(event);
	tracing_entry_init(ent, type, ctx, current->pid);
	return ent;
}
EXPORT_SYMBOL_GPL(trace_buffer_lock_reserve);

void trace_buffer_unlock_commit(struct trace_buffer *buffer)
{
	this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(buffer);
}
EXPORT_SYMBOL_GPL(trace_buffer_unlock_commit);

static int scratch_context(void)
{
	u32 count = preempt_count();

	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : count & SOFTIRQ_OFFSET ? 1 : 0;
}

void *trace_scratch_get(void)
{
	int context = scratch_context();

	if (this_cpu_read(trace_scratch.busy) & BIT(context))
		return NULL;
	this_cpu_or(trace_scratch.busy, BIT(context));
	barrier();
	return this_cpu_ptr(&trace_scratch)->room[context];
}

void trace_scratch_put(void)
{
	barrier();
	this_cpu_and(trace_scratch.busy, ~(u32)BIT(scratch_context()));
}

void trace_write_stack(struct trace_array *tr, u32 ctx, const unsigned long *callers,
		       unsigned count)
{
	struct trace_buffer *buffer;
	struct stack_entry *entry = trace_buffer_lock_reserve(
		tr, TRACE_STACK, sizeof(*entry) + count * sizeof(*callers), ctx, &buffer);

	if (!entry)
		return;
	entry->size = (s32)count;
	for (unsigned i = 0; i < count; i++)
		entry->caller[i] = callers[i];
	trace_buffer_unlock_commit(buffer);
}

void __ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip)
{
	unsigned long *callers;
	unsigned count;

	preempt_disable_notrace();
	callers = trace_scratch_get();
	if (callers) {
		count = stack_trace_save(callers, TRACE_STACK_MAX, skip + 1);
		trace_write_stack(tr, ctx, callers, count);
		trace_scratch_put();
	}
	preempt_enable_notrace();
}

void ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip)
{
	if (READ_ONCE(tr->trace_flags) & TRACE_ITER_STACKTRACE)
		__ftrace_trace_stack(tr, ctx, skip + 1);
}

/* hook: NULL, or what is called before and after the commit. */
static ssize_t write_print(struct trace_array *tr, u32 ctx, unsigned long ip, const char *text,
			   size_t length, unsigned long caller,
			   const struct trace_marker_hook *hook)
{
	bool newline = !length || text[length - 1] != '\n';
	struct trace_marker marker = {
		.tr = tr,
		.length = sizeof(*marker.entry) + length + newline + 1,
		.ctx = ctx,
		.caller = caller,
	};
	struct trace_buffer *buffer;
	struct print_entry *entry;
	unsigned value = 0;

	preempt_disable_notrace();
	entry = trace_buffer_lock_reserve(tr, TRACE_PRINT, marker.length, marker.ctx, &buffer);
	if (entry) {
		entry->ip = ip;
		memcpy(entry->buf, text, length);
		entry->buf[length] = '\0';
		marker.entry = entry;
		if (hook)
			value = hook->before_commit(&marker);
		/* A trigger's filter sees the text as it was written, so the newline comes last. */
		if (newline) {
			entry->buf[length++] = '\n';
			entry->buf[length] = '\0';
		}
		trace_buffer_unlock_commit(buffer);
		if (value)
			hook->after_commit(&marker, value);
	}
	preempt_enable_notrace();
	return entry ? 0 : -EBADF;
}

ssize_t trace_write_print(struct trace_array *tr, unsigned long ip, const char *text, size_t length)
{
	return write_print(tr, tracing_gen_ctx(), ip, text, length, 0, NULL);
}

const struct trace_marker_hook *trace_marker_hook;

ssize_t trace_write_marker(struct trace_array *tr, u32 ctx, const char *text, size_t length)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);

	return write_print(tr, ctx, ip, text, length, ip, trace_marker_hook);
}
