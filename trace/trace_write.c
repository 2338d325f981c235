/* Writing into the trace: entries of any type, text, stacks. Any context, NMI included. */
#include "trace/trace.h"
#include "arch/x86_64/stacktrace.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"

#define TRACE_CONTEXTS 4 /* task, softirq, hardirq, NMI */
#define PRINT_MAX      1024

/* One piece of work for each context that may interrupt another on this CPU. */
struct trace_scratch {
	u32 busy; /* a bit for each context */
	unsigned long callers[TRACE_CONTEXTS][TRACE_STACK_MAX];
	char text[TRACE_CONTEXTS][PRINT_MAX];
};
static DEFINE_PER_CPU(struct trace_scratch, trace_scratch);

void *trace_buffer_lock_reserve(struct trace_array *tr, enum trace_type type, size_t length,
				u32 ctx)
{
	struct ring_buffer_event *event;
	struct trace_entry *ent;

	if (unlikely(!tr->buffer))
		return NULL;
	event = ring_buffer_lock_reserve(tr->buffer, length);
	if (!event)
		return NULL;
	ent = ring_buffer_event_data(event);
	tracing_entry_init(ent, type, ctx, current->pid);
	return ent;
}

void trace_buffer_unlock_commit(struct trace_array *tr)
{
	this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(tr->buffer);
}

/*
 * This context's part of the CPU's scratch, or -1: a function that was called meanwhile is being
 * traced, and must not go round in circles. Preemption is off.
 */
static int trace_scratch_get(void)
{
	u32 count = preempt_count();
	int context = count & NMI_MASK         ? 3
		      : count & HARDIRQ_MASK   ? 2
		      : count & SOFTIRQ_OFFSET ? 1
					       : 0;

	if (this_cpu_read(trace_scratch.busy) & BIT(context))
		return -1;
	this_cpu_or(trace_scratch.busy, BIT(context));
	barrier();
	return context;
}

static void trace_scratch_put(int context)
{
	barrier();
	this_cpu_and(trace_scratch.busy, ~(u32)BIT(context));
}

void trace_write_stack(struct trace_array *tr, u32 ctx, const unsigned long *callers,
		       unsigned count)
{
	struct stack_entry *entry = trace_buffer_lock_reserve(
		tr, TRACE_STACK, sizeof(*entry) + count * sizeof(*callers), ctx);

	if (!entry)
		return;
	entry->size = (s32)count;
	for (unsigned i = 0; i < count; i++)
		entry->caller[i] = callers[i];
	trace_buffer_unlock_commit(tr);
}

void __ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip)
{
	unsigned long *callers;
	unsigned count;
	int context;

	preempt_disable();
	context = trace_scratch_get();
	if (context >= 0) {
		callers = this_cpu_ptr(&trace_scratch)->callers[context];
		count = stack_trace_save(callers, TRACE_STACK_MAX, skip + 1);
		trace_write_stack(tr, ctx, callers, count);
		trace_scratch_put(context);
	}
	preempt_enable();
}

void ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip)
{
	if (READ_ONCE(tr->trace_flags) & TRACE_ITER_STACKTRACE)
		__ftrace_trace_stack(tr, ctx, skip + 1);
}

void trace_dump_stack(unsigned skip)
{
	__ftrace_trace_stack(&global_trace, tracing_gen_ctx(), skip + 1);
}

ssize_t trace_write_print(struct trace_array *tr, unsigned long ip, const char *text, size_t length)
{
	u32 ctx = tracing_gen_ctx();
	struct print_entry *entry;
	bool newline = !length || text[length - 1] != '\n';

	preempt_disable();
	entry = trace_buffer_lock_reserve(tr, TRACE_PRINT, sizeof(*entry) + length + newline + 1,
					  ctx);
	if (entry) {
		entry->ip = ip;
		memcpy(entry->buf, text, length);
		if (newline)
			entry->buf[length++] = '\n';
		entry->buf[length] = '\0';
		trace_buffer_unlock_commit(tr);
	}
	preempt_enable();
	return entry ? 0 : -EBADF;
}

/* What trace_printk() writes: no newline is added, and the option stacktrace adds a stack. */
static int trace_write_text(unsigned long ip, const char *text, size_t length, u32 ctx)
{
	struct trace_array *tr = &global_trace;
	struct print_entry *entry =
		trace_buffer_lock_reserve(tr, TRACE_PRINT, sizeof(*entry) + length + 1, ctx);

	if (!entry)
		return 0;
	entry->ip = ip;
	memcpy(entry->buf, text, length);
	entry->buf[length] = '\0';
	trace_buffer_unlock_commit(tr);
	ftrace_trace_stack(tr, ctx, 2);
	return (int)length;
}

int trace_puts(const char *text)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	u32 ctx = tracing_gen_ctx();
	int written;

	if (!(READ_ONCE(global_trace.trace_flags) & TRACE_ITER_PRINTK))
		return 0;
	preempt_disable();
	written = trace_write_text(ip, text, strlen(text), ctx);
	preempt_enable();
	return written;
}

int trace_printk(const char *fmt, ...)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	u32 ctx = tracing_gen_ctx();
	int context, length = 0;
	va_list args;
	char *text;

	if (!(READ_ONCE(global_trace.trace_flags) & TRACE_ITER_PRINTK) || !tracing_is_on())
		return 0;
	preempt_disable();
	context = trace_scratch_get();
	if (context >= 0) {
		text = this_cpu_ptr(&trace_scratch)->text[context];
		va_start(args, fmt);
		length = vscnprintf(text, PRINT_MAX, fmt, args);
		va_end(args);
		trace_scratch_put(context);
		/* Nobody else of this context can have come in between: preemption is off. */
		length = trace_write_text(ip, text, (size_t)length, ctx);
	}
	preempt_enable();
	return length;
}
