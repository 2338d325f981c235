/*
 * Stacks of histograms: as a part of a key, and as a variable. A variable's stack is in the private
 * data of the element: the number of addresses, then the addresses. The value of the variable is
 * the address of the number, as a synthetic event expects it. Any context, preemption off.
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/lib/string.h"
#include "trace/hist/eval.h"
#include "trace/events/record.h"

/* Saves the callers, from the function on in which the event is. Returns their number. */
static unsigned save_callers(u64 *stack)
{
	unsigned long callers[EVENT_FRAMES + HIST_STACK_ENTRIES];
	unsigned count = stack_trace_save(callers, ARRAY_SIZE(callers), 1);
	unsigned first = trace_event_skip_frames(callers, count);

	count = min(count - first, (unsigned)HIST_STACK_ENTRIES);
	memcpy(stack, callers + first, count * 8);
	return count;
}

/* Copies the addresses of a field: a __data_loc word, and an array behind the record. */
static unsigned copy_field(u64 *stack, const struct hist_field *f, const struct hist_event *event)
{
	u32 location = *(const u32 *)((const u8 *)event->rec + f->offset);
	unsigned count = min((location >> 16) / 8, (unsigned)HIST_STACK_ENTRIES);

	memcpy(stack, (const u8 *)event->rec + (location & 0xffff), count * 8);
	return count;
}

/*
 * Copies the stack of a variable. Another CPU may replace it during the copy: then the addresses
 * mix.
 */
static unsigned copy_variable(u64 *stack, const struct hist_field *f,
			      const struct hist_event *event)
{
	const u64 *from = (const u64 *)(uintptr_t)hist_value(f, event);
	unsigned count;

	if (!from)
		return 0;
	count = (unsigned)min(READ_ONCE(from[0]), (u64)HIST_STACK_ENTRIES);
	memcpy(stack, from + 1, count * 8);
	return count;
}

unsigned hist_put_stack(u64 *stack, const struct hist_field *f, const struct hist_event *event)
{
	unsigned count;

	if (f->fn == HIST_FN_STACK)
		count = save_callers(stack);
	else if (f->fn == HIST_FN_DYN_STACK)
		count = copy_field(stack, f, event);
	else
		count = copy_variable(stack, f, event);
	memset(stack + count, 0, (HIST_STACK_ENTRIES - count) * 8);
	return count;
}

u64 hist_store_stack(void *private, const struct hist_field *var, const struct hist_field *val,
		     const struct hist_event *event)
{
	u64 *copy = (u64 *)((u8 *)private + var->string_offset);

	WRITE_ONCE(copy[0], 0); /* a reader on another CPU finds an empty stack, or the new one */
	barrier();
	copy[0] = hist_put_stack(copy + 1, val, event);
	return (u64)(uintptr_t)copy;
}
