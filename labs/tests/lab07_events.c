/* Events for lab07_ring: each has contents of its own, and settle() accounts for all of them. */
#include "labs/tests/lab07.h"

struct payload {
	u32 id, words;
	u32 filler[1100];
};

struct written events[EVENTS];
unsigned tries;
struct trace_buffer *buffer;
struct ring_buffer_per_cpu *cb;
u64 now, clock_step, last_stamp, uncounted;
static u64 lost;

u64 ticks(void)
{
	return __atomic_add_fetch(&now, clock_step, __ATOMIC_RELAXED); /* one instruction */
}

unsigned new_try(void)
{
	if (tries == EVENTS)
		broken("a case that never ends");
	return tries++;
}

void fill(struct ring_buffer_event *event, unsigned id, u32 words)
{
	struct payload *p = ring_buffer_event_data(event);

	p->id = id;
	p->words = words;
	for (u32 i = 0; i < words; i++)
		p->filler[i] = id * 2654435761U + i;
}

void write_as(unsigned id, u32 words)
{
	struct ring_buffer_event *event;

	events[id].begin = now;
	event = ring_buffer_lock_reserve(buffer, 8 + 4 * words);
	events[id].end = now;
	if (!event)
		return;
	fill(event, id, words);
	events[id].state = WRITTEN;
	ring_buffer_unlock_commit(buffer);
}

void write_one(u32 words)
{
	write_as(new_try(), words);
}

bool read_one(void)
{
	struct payload p = { .words = 0 };
	u64 stamp, missed;
	long length = ring_buffer_consume(buffer, 0, &p, sizeof(p), &stamp, &missed);

	if (length < 0)
		return false;
	if (p.id >= tries || p.words > ARRAY_SIZE(p.filler) || (u32)length != 8 + 4 * p.words)
		broken("an event of %ld bytes with contents that nobody has written", length);
	if (events[p.id].state == READ)
		broken("an event that is read twice");
	if (events[p.id].state == REFUSED)
		broken("an event that is read before its writer has filled it, or was refused");
	for (u32 i = 0; i < p.words; i++)
		if (p.filler[i] != p.id * 2654435761U + i)
			broken("an event in which another writer has written");
	if (stamp < last_stamp)
		broken("an event with the time %lu behind one with the time %lu", stamp, last_stamp);
	if (clock_step && (stamp <= events[p.id].begin || stamp > events[p.id].end))
		broken("an event with the time %lu that was reserved between %lu and %lu", stamp, events[p.id].begin, events[p.id].end);
	events[p.id].state = READ;
	last_stamp = stamp;
	lost += missed;
	return true;
}

/* Reads what is there, and compares the counters with what has happened. */
void settle(void)
{
	struct ring_buffer_stats stats;
	u64 count[3] = { 0 };

	if (rb_nest(cb))
		broken("nest is %x after the last writer has ended", rb_nest(cb));
	if (cb->commit != cb->tail.lo)
		broken("events that are not published after the last writer has ended");
	while (read_one())
		;
	for (unsigned id = 0; id < tries; id++)
		count[events[id].state]++;
	ring_buffer_cpu_stats(buffer, 0, &stats);
	if ((s64)stats.entries < 0)
		broken("%ld events that were read, or are counted in `overrun`, but were never written", -(s64)stats.entries);
	if (stats.entries)
		broken("%lu events in the buffer, of which none can be read", (u64)stats.entries);
	if (stats.overrun != count[WRITTEN])
		broken("%lu events that were written and are not in the buffer, of which `overrun` counts %lu", count[WRITTEN], (u64)stats.overrun);
	if (lost != count[WRITTEN])
		broken("%lu lost events, of which the reader was told %lu", count[WRITTEN], lost);
	if (stats.dropped_events + stats.commit_overrun != count[REFUSED] - uncounted)
		broken("%lu events that were refused, of which the counters have %lu", count[REFUSED] - uncounted,
		       (u64)(stats.dropped_events + stats.commit_overrun));
}

void begin(const char *case_name, size_t pages, u32 flags)
{
	if (buffer)
		ring_buffer_free(buffer);
	what = case_name;
	tries = 0;
	memset(events, 0, sizeof(events));
	now = 1000;
	clock_step = 10;
	last_stamp = lost = uncounted = 0;
	buffer = ring_buffer_alloc(pages * 4096, flags);
	cb = buffer->cpus[0];
	ring_buffer_set_clock(buffer, ticks);
}
