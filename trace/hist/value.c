/* Values of fields and expressions, when an event happens. Any context, preemption off. */
#include "kernel/lib/string.h"
#include "trace/hist/eval.h"

/* Rounds to microseconds, as Linux's ns2usecs(). */
static u64 to_usecs(u64 ns)
{
	return (ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
}

/* The number of the lowest power of 2 that is not below x. */
static u64 log2_class(u64 x)
{
	/* LAB 13: 0 and 1 are in class 0, and 5 to 8 in class 3. Starts as: return x; */
	return x > 1 ? 64 - (unsigned)__builtin_clzll(x - 1) : 0;
	/* END LAB 13 */
}

u64 hist_value_slow(const struct hist_field *f, const struct hist_event *event)
{
	const void *at = (const u8 *)event->rec + f->offset;
	u64 x;

	switch (f->fn) {
	case HIST_FN_U16:
		return *(const u16 *)at;
	case HIST_FN_S16:
		return (u64)(s64) * (const s16 *)at;
	case HIST_FN_U8:
		return *(const u8 *)at;
	case HIST_FN_S8:
		return (u64)(s64) * (const s8 *)at;
	case HIST_FN_COUNTER:
		return 1;
	case HIST_FN_CONST:
		return f->constant;
	case HIST_FN_TIMESTAMP:
		return f->flags & HIST_FIELD_USECS ? to_usecs(event->timestamp) : event->timestamp;
	case HIST_FN_CPU:
		return smp_processor_id();
	case HIST_FN_LOG2:
		return log2_class(hist_value(f->operands[0], event));
	case HIST_FN_BUCKET:
		x = hist_value(f->operands[0], event);
		return x - x % f->constant;
	case HIST_FN_PLUS:
	case HIST_FN_MINUS:
	case HIST_FN_MULT:
	case HIST_FN_DIV:
		x = hist_value(f->operands[0], event);
		return hist_calculate(f->fn, x, hist_value(f->operands[1], event));
	case HIST_FN_NEGATE:
		return 0 - hist_value(f->operands[0], event);
	case HIST_FN_ALIAS:
		return hist_value(f->operands[0], event);
	case HIST_FN_VAR_REF:
		return event->refs[f->ref_index];
	case HIST_FN_STATIC_STRING:
	case HIST_FN_DYN_STRING:
		return (u64)(uintptr_t)hist_string(f, event, NULL);
	default:
		return hist_value(f, event);
	}
}

const char *hist_string(const struct hist_field *f, const struct hist_event *event, size_t *length)
{
	const u8 *at = (const u8 *)event->rec + f->offset;
	size_t size = f->size;
	const char *text;

	if (f->fn == HIST_FN_DYN_STRING) {
		u32 location = *(const u32 *)at;

		text = (const char *)event->rec + (location & 0xffff) + trace_loc_base(f->field);
		size = location >> 16;
	} else {
		text = (const char *)at;
	}
	if (length)
		*length = strnlen(text, min(size, (size_t)f->size - 1));
	return text;
}
