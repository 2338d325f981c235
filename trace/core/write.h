/* Writing entries into a trace. Any context, NMI included. */
#pragma once

#include "arch/cpu/irqflags.h"
#include "kernel/preempt.h"
#include "trace/core/entries.h"
#include "trace/core/trace_array.h"

/*
 * The parts of tracing_gen_ctx_dec(). In the usual case the count is the depth of preemption.
 * __preempt_count has PREEMPT_NEED_RESCHED inverted (kernel/preempt.h); the xor inverts it back.
 */
static __always_inline u32 tracing_ctx_count(u32 depth)
{
	return (this_cpu_read(__preempt_count) - depth) ^ PREEMPT_NEED_RESCHED;
}

/* The usual case: task context, no reschedule needed, a depth that fits. */
static __always_inline bool tracing_ctx_is_simple(u32 count)
{
	return !(count & ~0xfU);
}

/* TRACE_FLAG_IRQS_OFF at its place in the first word of a trace_entry, or 0. */
static __always_inline u32 tracing_ctx_irqs(void)
{
	return irqs_disabled_bit(16);
}
BUILD_BUG_ON(TRACE_FLAG_IRQS_OFF != 1);

/*
 * Returns common_flags and common_preempt_count as they are now, at their places in the first word
 * of a trace_entry. depth: how often the tracer itself has disabled preemption. Any context.
 */
static __always_inline u32 tracing_gen_ctx_dec(u32 depth)
{
	u32 count = tracing_ctx_count(depth);
	u32 flags = tracing_ctx_irqs();

	if (likely(tracing_ctx_is_simple(count)))
		return flags | count << 24;
	if (count & PREEMPT_NEED_RESCHED)
		flags |= (TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED) << 16;
	if (count & NMI_MASK)
		flags |= TRACE_FLAG_NMI << 16;
	if (count & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ << 16;
	if (count & SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_SOFTIRQ << 16;
	if (count & SOFTIRQ_MASK & ~SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_BH_OFF << 16;
	return flags | min(count & PREEMPT_MASK, 0xfU) << 24;
}

static __always_inline u32 tracing_gen_ctx(void)
{
	return tracing_gen_ctx_dec(0);
}

/* Fills in the head of an entry. ctx: tracing_gen_ctx(). */
static __always_inline void tracing_entry_init(struct trace_entry *ent, u32 type, u32 ctx,
					       pid_t pid)
{
	*(u32 *)ent = ctx | type;
	ent->pid = pid;
}

/* The same in the usual case. count: tracing_ctx_count(), which is simple. */
static __always_inline void tracing_entry_init_simple(struct trace_entry *ent, u16 type, u32 count,
						      pid_t pid)
{
	*(u32 *)ent = type;
	ent->flags = irqs_disabled_flag(); /* TRACE_FLAG_IRQS_OFF */
	ent->preempt_count = (u8)count;
	ent->pid = pid;
}

/*
 * Reserves an entry of length bytes and fills in its head. NULL: the entry is not recorded. The
 * caller has preemption off until it passes *buffer to trace_buffer_unlock_commit().
 */
void *trace_buffer_lock_reserve(struct trace_array *tr, u32 type, size_t length, u32 ctx,
				struct trace_buffer **buffer);
void trace_buffer_unlock_commit(struct trace_buffer *buffer);

#define TRACE_SCRATCH_SIZE 1024
/*
 * Returns scratch memory, aligned to 8 bytes, for the current context (task, softirq, irq, NMI) of
 * this CPU until trace_scratch_put(). NULL: the context uses it already, because a function that
 * its user calls is traced; this guards against endless recursion. Preemption off.
 */
void *trace_scratch_get(void);
void trace_scratch_put(void);

#define TRACE_STACK_MAX 64 /* callers in a TRACE_STACK entry */
/* Writes a TRACE_STACK entry with these return addresses. Preemption off. */
void trace_write_stack(struct trace_array *tr, u32 ctx, const unsigned long *callers,
		       unsigned count);
/* Writes a TRACE_STACK entry: the callers of the calling function, without the first skip. */
void __ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip);
/* Does so if the option stacktrace is set. */
void ftrace_trace_stack(struct trace_array *tr, u32 ctx, unsigned skip);

/* Writes a TRACE_PRINT entry, regardless of the option trace_printk. 0, or -EBADF: not recorded. */
ssize_t trace_write_print(struct trace_array *tr, unsigned long ip, const char *text,
			  size_t length);
/*
 * The same for trace_marker: with its hook (trace/core/marker.h); ip is in the caller. ctx:
 * tracing_gen_ctx(). Task context.
 */
ssize_t trace_write_marker(struct trace_array *tr, u32 ctx, const char *text, size_t length);
