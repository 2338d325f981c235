/* Recording and printing user events. */
#include "fs/file/uio.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/iterator.h"
#include "trace/core/output.h"
#include "trace/events/record.h"
#include "trace/user_events/internal.h"

#define SHORT_PAYLOAD 64      /* bytes that need no allocation */
#define PAYLOAD_MAX   0xffffU /* no record is longer: its loss is counted */

/* The probe of an event: records a payload in one trace_array, or for perf. Preemption off. */
void user_event_record(void *file, const void *payload, size_t length)
{
	struct trace_event_buffer buffer;
	struct trace_entry *entry;

	if (unlikely(!payload)) {
		trace_event_count_dropped(file);
		return;
	}
	entry = trace_event_buffer_reserve(&buffer, file, sizeof(*entry) + length);
	if (!entry)
		return;
	memcpy(entry + 1, payload, length);
	trace_event_buffer_commit(&buffer);
}

static void call_probes(struct user_event *event, const void *payload, size_t length)
{
	const struct tracepoint_func *probe;

	preempt_disable_notrace();
	for (probe = smp_load_acquire(&event->tp.funcs); probe && probe->func; probe++)
		((void (*)(void *, const void *, size_t))READ_ONCE(probe->func))(probe->data,
										 payload, length);
	preempt_enable_notrace();
}

/* The payload is copied first: a program that changes it meanwhile changes nothing. */
static int copy_and_record(struct user_event *event, struct iov_iter *from, void *payload)
{
	size_t length = from->count;

	if (copy_from_iter(payload, length, from) != length ||
	    !user_event_format_valid(&event->format, payload, length))
		return -EFAULT;
	call_probes(event, payload, length);
	return 0;
}

int user_event_write(struct user_event *event, struct iov_iter *from)
{
	u64 small[SHORT_PAYLOAD / sizeof(u64)];
	void *payload;
	int error;

	if (from->count < event->format.size)
		return -EINVAL;
	if (!READ_ONCE(event->tp.funcs))
		return -EBADF;
	if (likely(from->count <= sizeof(small)))
		return copy_and_record(event, from, small);
	if (from->count > PAYLOAD_MAX) {
		call_probes(event, NULL, 0);
		return 0;
	}
	payload = kmalloc(from->count, GFP_KERNEL);
	error = payload ? copy_and_record(event, from, payload) : -ENOMEM;
	kfree(payload);
	return error;
}

/* ---- printing ---- */

static void print_number(struct trace_seq *s, const struct trace_event_field *field, const u8 *at)
{
	u64 value = 0;

	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8) {
		trace_seq_puts(s, "<INVALID-SIZE>");
		return;
	}
	memcpy(&value, at, field->size); /* little endian */
	if (field->size == 8) {
		trace_seq_printf(s, "0x%llx (%lld)", (unsigned long long)value, (long long)value);
	} else if (field->size > 1) {
		trace_seq_printf(s, "0x%x (%d)", (unsigned)value, (int)value);
	} else {
		if (isprint((char)value))
			trace_seq_printf(s, "'%c'", (char)value);
		trace_seq_printf(s, "(%d)", (int)value);
	}
}

/* The data that a word names. The file `inject` does not check that it lies in the entry. */
static void print_loc(struct trace_iterator *iter, const struct trace_event_field *field)
{
	const u8 *data = (const u8 *)iter->ent;
	struct trace_seq *s = &iter->seq;
	size_t start, size;
	u32 loc;

	memcpy(&loc, data + field->offset, sizeof(loc));
	size = loc >> 16;
	start = loc & 0xffff;
	if (strstarts(field->type, "__rel_loc "))
		start += field->offset + sizeof(loc);
	if (start + size > iter->ent_size) {
		trace_seq_puts(s, "<OVERFLOW>");
		return;
	}
	if (field->filter_type != FILTER_OTHER) {
		trace_seq_printf(s, "%.*s", (int)size, (const char *)data + start);
		return;
	}
	for (size_t i = 0; i < size; i++)
		trace_seq_printf(s, "%s%02x", i ? "," : "", data[start + i]);
}

/* Prints each field as Linux does. The program's own text does not become a format. */
enum print_line_t user_event_print(struct trace_iterator *iter)
{
	const struct trace_event *event = ftrace_find_event(iter->ent->type);
	const struct trace_event_field *field;
	const u8 *entry = (const u8 *)iter->ent;
	struct trace_seq *s = &iter->seq;

	if (!event)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(s, "%s:", event->name);
	if (!event->fields->name)
		trace_seq_puts(s, "No fields found");
	for (field = event->fields; field->name; field++) {
		trace_seq_printf(s, " %s=", field->name);
		if (field->filter_type == FILTER_STATIC_STRING)
			trace_seq_printf(s, "%.*s", field->size,
					 (const char *)entry + field->offset);
		else if (strstarts(field->type, "__data_loc ") ||
			 strstarts(field->type, "__rel_loc "))
			print_loc(iter, field);
		else
			print_number(s, field, entry + field->offset);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}
