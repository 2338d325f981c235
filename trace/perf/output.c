/*
 * A record in the buffer of an event, with the LOST record that may be due before it, and with the
 * ids behind it (attr.sample_id_all).
 *
 * The buffer of an inherited event is that of its original. It has one writing CPU at a time: its
 * events are of one CPU, or of one task. So an inherited event that may be on any CPU gets no
 * buffer (perf_mmap()). If it is led to that of another event, its children lose their records.
 */
#include "trace/perf/output.h"

#define PERF_SAMPLE_IDS                                                                            \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

u32 perf_ids_size(const struct perf_event *event)
{
	u64 ids = event->attr->sample_type & PERF_SAMPLE_IDS;
	u32 size = 0;

	if (event->attr->sample_id_all)
		for (; ids; ids &= ids - 1)
			size += 8;
	return size;
}

void perf_write_ids(const struct perf_event *event, const struct task_struct *task, void *to)
{
	u64 ids = event->attr->sample_id_all ? event->attr->sample_type : 0, *word = to;
	/* A child's records have the id by which the program knows the event. */
	u64 id = perf_known_id(event);

	if (ids & PERF_SAMPLE_TID)
		*word++ = (u64)(u32)task->pid << 32 | (u32)task->tgid;
	if (ids & PERF_SAMPLE_TIME)
		*word++ = event->clock();
	if (ids & PERF_SAMPLE_ID)
		*word++ = id;
	if (ids & PERF_SAMPLE_STREAM_ID)
		*word++ = event->id;
	if (ids & PERF_SAMPLE_CPU)
		*word++ = smp_processor_id();
	if (ids & PERF_SAMPLE_IDENTIFIER)
		*word++ = id;
}

void perf_write_lost(const struct perf_event *event, const struct perf_room *room)
{
	struct {
		struct perf_event_header header;
		u64 id, lost;
	} *record = room->lost;

	record->header = (struct perf_event_header){ .type = PERF_RECORD_LOST,
						     .size = (u16)perf_lost_size(event) };
	record->id = perf_known_id(event);
	record->lost = room->lost_count;
	perf_write_ids(event, current_stable, record + 1);
}

void perf_drop_record(struct perf_event *event, struct perf_buffer *buffer)
{
	if (buffer->ring.size)
		local_add(&event->lost, 1);
	if (perf_ring_end(&buffer->ring, 0))
		perf_buffer_wake(buffer);
}
