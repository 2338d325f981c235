/* Recording and printing synthetic events. Any context. */
#include "kernel/lib/string.h"
#include "trace/events/print.h"
#include "trace/events/record.h"
#include "trace/synth/synth.h"

/* The record has this form; programs know it from the format file. */
struct synth_entry {
	struct trace_entry ent;
	u64 slots[]; /* a static string takes SYNTH_STRING_MAX bytes, another field one slot */
};

#define STATIC_STRING_SLOTS (SYNTH_STRING_MAX / sizeof(u64))

typedef void (*synth_probe_t)(void *file, struct synth_event *event, const u64 *values);

/*
 * A histogram of a synthetic event may make synthetic events, also the same one again, so they
 * nest. Each takes 0.7 KB of the stack of 16 KB. NMIs have a stack of their own.
 */
#define SYNTH_DEPTH_MAX 8
static DEFINE_PER_CPU(u8, synth_depth[2]); /* in NMI; else */

/* The event has a tracepoint without a site: its callers have the address of the event. */
void trace_synth(struct synth_event *event, const u64 *values)
{
	const struct tracepoint_func *probe;
	u8 *depth;

	preempt_disable_notrace();
	depth = this_cpu_ptr(&synth_depth[!in_nmi()]);
	++*depth;
	barrier();
	for (probe = smp_load_acquire(&event->tp.funcs); probe && probe->func; probe++)
		if (values && *depth <= SYNTH_DEPTH_MAX)
			((synth_probe_t)READ_ONCE(probe->func))(probe->data, event, values);
		else
			trace_event_count_dropped(probe->data);
	barrier();
	--*depth;
	preempt_enable_notrace();
}

/* ---- recording ---- */

/* The bytes that a string or a stack takes at the end of the record. */
static size_t data_size(const struct synth_field *field, u64 value)
{
	const unsigned long *stack = (const unsigned long *)value;

	if (field->kind == SYNTH_DYNAMIC_STRING)
		return value ? strnlen((const char *)value, SYNTH_STRING_MAX - 1) + 1 : 1;
	if (field->kind == SYNTH_STACK)
		return stack ? min(stack[0], (unsigned long)SYNTH_STACK_MAX) * sizeof(*stack) : 0;
	return 0;
}

/* Copies text. It may have changed since its length was measured: then it is cut. */
static void copy_text(char *to, u64 value, size_t size)
{
	strscpy(to, value ? (const char *)value : "", size);
}

/* locs: for each field with data at the end of the record, its __data_loc word. */
static void fill(const struct synth_event *event, struct synth_entry *entry, const u64 *values,
		 const u32 *locs)
{
	u64 *slot = entry->slots;

	for (unsigned i = 0; i < event->definition.nr_fields; i++) {
		const struct synth_field *field = &event->definition.fields[i];
		void *data = (u8 *)entry + (locs[i] & 0xffff);
		size_t size = locs[i] >> 16;

		switch (field->kind) {
		case SYNTH_INTEGER:
			*slot++ = values[i];
			break;
		case SYNTH_STRING:
			memset(slot, 0, SYNTH_STRING_MAX);
			copy_text((char *)slot, values[i], field->size);
			slot += STATIC_STRING_SLOTS;
			break;
		case SYNTH_DYNAMIC_STRING:
			copy_text(data, values[i], size);
			*slot++ = locs[i];
			break;
		case SYNTH_STACK:
			memcpy(data, (const unsigned long *)values[i] + 1, size);
			*slot++ = locs[i];
			break;
		}
	}
}

/* The probe of the event: records it in one trace_array. Preemption off. */
void synth_event_record(void *file, struct synth_event *event, const u64 *values)
{
	struct trace_event_buffer buffer;
	struct synth_entry *entry;
	size_t length = event->static_size;
	u32 *locs = trace_event_scratch_get(event->definition.nr_fields * sizeof(u32));

	if (!locs) {
		trace_event_count_dropped(file);
		return;
	}
	for (unsigned i = 0; i < event->definition.nr_fields; i++) {
		size_t size = data_size(&event->definition.fields[i], values[i]);

		if (event->definition.fields[i].kind == SYNTH_STACK)
			length = ALIGN(length, sizeof(unsigned long));
		locs[i] = (u32)(length | size << 16);
		length += size;
	}
	entry = trace_event_buffer_reserve(&buffer, file, length);
	if (entry) {
		fill(event, entry, values, locs);
		trace_event_buffer_commit(&buffer);
	}
	trace_event_scratch_put(locs);
}

/* ---- printing ---- */

static void print_integer(struct trace_seq *s, const struct synth_field *field, u64 value)
{
	switch (field->size) {
	case 1:
		trace_seq_printf(s, field->fmt, field->is_signed ? (s8)value : (u8)value);
		break;
	case 2:
		trace_seq_printf(s, field->fmt, field->is_signed ? (s16)value : (u16)value);
		break;
	case 4:
		trace_seq_printf(s, field->fmt, (u32)value);
		break;
	default:
		trace_seq_printf(s, field->fmt, value);
		break;
	}
}

static void print_stack(struct trace_seq *s, const unsigned long *callers, size_t count)
{
	trace_seq_puts(s, "STACK:\n");
	for (size_t i = 0; i < count; i++)
		trace_seq_printf(s, "=> %pS\n", (void *)callers[i]);
}

/* Prints a field and returns the slot of the next one. */
static const u64 *print_field(struct trace_iterator *iter, const struct synth_field *field,
			      const u64 *slot)
{
	const char *data = (const char *)iter->ent + (*slot & 0xffff);
	size_t size = *slot >> 16 & 0xffff;

	switch (field->kind) {
	case SYNTH_INTEGER:
		print_integer(&iter->seq, field, *slot);
		break;
	case SYNTH_STRING:
		trace_seq_puts_max(&iter->seq, (const char *)slot, SYNTH_STRING_MAX);
		return slot + STATIC_STRING_SLOTS;
	case SYNTH_DYNAMIC_STRING:
		trace_seq_puts_max(&iter->seq, data, size);
		break;
	case SYNTH_STACK:
		print_stack(&iter->seq, (const unsigned long *)data, size / sizeof(unsigned long));
		break;
	}
	return slot + 1;
}

enum print_line_t synth_event_print(struct trace_iterator *iter)
{
	const struct synth_entry *entry = (const struct synth_entry *)iter->ent;
	const struct trace_event *trace_event = ftrace_find_event(entry->ent.type);
	const struct synth_event *event;
	const u64 *slot = entry->slots;

	if (!trace_event)
		return TRACE_TYPE_UNHANDLED;
	event = container_of(trace_event, struct synth_event, call.event);
	trace_seq_printf(&iter->seq, "%s: ", event->definition.name);
	for (unsigned i = 0; i < event->definition.nr_fields; i++) {
		const struct synth_field *field = &event->definition.fields[i];

		trace_seq_printf(&iter->seq, "%s=", field->name);
		slot = print_field(iter, field, slot);
		if (i + 1 < event->definition.nr_fields)
			trace_seq_putc(&iter->seq, ' ');
	}
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}
