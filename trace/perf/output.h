/* Writing a record into the buffer of an event: output.c. Preemption off, any context. */
#pragma once

#include "kernel/bug.h"
#include "trace/perf/internal.h"
#include "trace/perf/wakeup.h"

/* A record between begin and end. */
struct perf_handle {
	struct perf_buffer *buffer;
	void *record; /* size bytes in one piece */
};

/* The bytes of a record's ids: 0 without attr.sample_id_all. */
u32 perf_ids_size(const struct perf_event *event);
/* Writes the ids of a record, for task. */
void perf_write_ids(const struct perf_event *event, const struct task_struct *task, void *to);

/* Of perf_output_begin(): writes the LOST record that is due; counts a record without room. */
void perf_write_lost(const struct perf_event *event, const struct perf_room *room);
void perf_drop_record(struct perf_event *event, struct perf_buffer *buffer);

/* The size of a LOST record of event. */
static __always_inline u32 perf_lost_size(const struct perf_event *event)
{
	return (u32)sizeof(struct perf_event_header) + 2 * (u32)sizeof(u64) + event->id_size;
}

/*
 * Reserves size bytes in the buffer of event's original, and fills in a LOST record if one is due.
 * False: no buffer, or no room; then the loss is counted.
 */
static __always_inline bool perf_output_begin(struct perf_handle *handle, struct perf_event *event,
					      u32 size)
{
	const struct perf_event *parent = event->parent;
	struct perf_buffer *buffer =
		parent ? rcu_dereference(parent->buffer) : rcu_dereference(event->buffer);
	struct perf_room room;

	if (unlikely(!buffer))
		return false;
	DEBUG_BUG_ON(buffer->cpu >= 0 && buffer->cpu != (int)smp_processor_id());
	if (parent && unlikely(buffer->cpu < 0)) {
		local_add(&event->lost, 1);
		return false;
	}
	if (unlikely(!perf_ring_begin(&buffer->ring, &room, size, perf_lost_size(event)))) {
		perf_drop_record(event, buffer);
		return false;
	}
	if (unlikely(room.lost != NULL))
		perf_write_lost(event, &room);
	handle->buffer = buffer;
	handle->record = room.record;
	return true;
}

/* wakeup_events: the record is a sample, and that many wake readers; 0: no. */
static __always_inline void perf_output_end(const struct perf_handle *handle, u32 wakeup_events)
{
	if (unlikely(perf_ring_end(&handle->buffer->ring, wakeup_events)))
		perf_buffer_wake(handle->buffer);
}
