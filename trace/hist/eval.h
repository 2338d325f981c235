/* Values of fields, when an event happens. Any context, preemption off. */
#pragma once

#include "kernel/time/ktime.h"
#include "arch/cpu/percpu.h"
#include "trace/hist/hist.h"

/* One event, for the histograms of its file. */
struct hist_event {
	const void *rec; /* begins with struct trace_entry */
	u64 timestamp;   /* of the trace clock */
	const u64 *refs; /* the values of references, by ref_index */
};

/* x op y as unsigned numbers. x / 0 is the highest number, as in Linux. */
static inline u64 hist_calculate(enum hist_fn fn, u64 x, u64 y)
{
	switch (fn) {
	case HIST_FN_PLUS:
		return x + y;
	case HIST_FN_MINUS:
		return x - y;
	case HIST_FN_MULT:
		return x * y;
	default:
		return y ? x / y : ~0ULL;
	}
}

/* The value of a field that hist_value() does not read itself. */
u64 hist_value_slow(const struct hist_field *f, const struct hist_event *event);

/*
 * Writes HIST_STACK_ENTRIES addresses of a stack field or variable; unused ones are 0. Returns the
 * number of the others.
 */
unsigned hist_put_stack(u64 *stack, const struct hist_field *f, const struct hist_event *event);
/* Saves the stack val in the private data of an element. Returns the value of the variable var. */
u64 hist_store_stack(void *private, const struct hist_field *var, const struct hist_field *val,
		     const struct hist_event *event);

/* The value of a field; of a string or of a stack its address. */
static __always_inline u64 hist_value(const struct hist_field *f, const struct hist_event *event)
{
	const void *at = (const u8 *)event->rec + f->offset;

	switch (f->fn) {
	case HIST_FN_U64:
		return *(const u64 *)at;
	case HIST_FN_U32:
		return *(const u32 *)at;
	case HIST_FN_S32:
		return (u64)(s64) * (const s32 *)at;
	default:
		return hist_value_slow(f, event);
	}
}
