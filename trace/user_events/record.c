/* Recording and printing user events. */
#include "fs/file/uio.h"
#include "kernel/errno.h"
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

/* Prints as the option fields does: the program's own text does not become a format. */
enum print_line_t user_event_print(struct trace_iterator *iter)
{
	const struct trace_event *event = ftrace_find_event(iter->ent->type);

	return event ? trace_print_fields_hook(iter, event) : TRACE_TYPE_UNHANDLED;
}
