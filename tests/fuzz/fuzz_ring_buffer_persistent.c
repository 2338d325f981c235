/*
 * A persistent ring buffer whose memory has been damaged between two boots, under libFuzzer. The input is a list of
 * changes: place (3 bytes) and new byte. The next boot and its readers must stay inside the area and come to an end.
 *
 * sources: trace/ring_buffer/persistent.c trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 * runs: 500
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ring_buffer/internal.h"

#define AREA_SIZE (128U << 10)

__thread unsigned rb_host_cpu;
__thread unsigned rb_host_reads;
__thread bool rb_host_irqs_off;
static volatile uint8_t touched;

static bool valid(const void *payload, size_t length)
{
	for (size_t i = 0; i < length; i++)
		touched ^= ((const uint8_t *)payload)[i];
	return length % 8 == 0;
}

static void write_events(struct trace_buffer *buffer, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct ring_buffer_event *event;

		rb_host_cpu = i % RB_HOST_CPUS;
		event = ring_buffer_lock_reserve(buffer, 8 + i % 32);
		if (!event)
			continue;
		memset(ring_buffer_event_data(event), (int)i, 8 + i % 32);
		ring_buffer_unlock_commit(buffer);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t crashed[AREA_SIZE];
	uint8_t *area = aligned_alloc(4096, AREA_SIZE);
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;
	uint64_t ts, lost;

	if (!crashed[0]) {
		memset(area, 0, AREA_SIZE);
		buffer = ring_buffer_alloc_range(area, AREA_SIZE, 1, RB_FL_OVERWRITE, valid, &found);
		write_events(buffer, 6000);
		ring_buffer_free(buffer);
		memcpy(crashed, area, AREA_SIZE);
	}
	memcpy(area, crashed, AREA_SIZE);
	for (; size >= 4; data += 4, size -= 4)
		area[(data[0] | data[1] << 8 | data[2] << 16) % AREA_SIZE] = data[3];
	buffer = ring_buffer_alloc_range(area, AREA_SIZE, 1, RB_FL_OVERWRITE, valid, &found);
	for (unsigned cpu = 0; cpu < RB_HOST_CPUS; cpu++) {
		struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, cpu);
		unsigned count = 0;

		while (ring_buffer_iter_peek(iter, &ts, &lost)) {
			ring_buffer_iter_advance(iter);
			if (++count > AREA_SIZE)
				abort();
		}
		ring_buffer_read_finish(iter);
	}
	write_events(buffer, 1000);
	ring_buffer_free(buffer);
	free(area);
	return 0;
}
