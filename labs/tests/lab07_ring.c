/*
 * The writers of the ring buffer, with an interrupt at each instruction.
 * sources: labs/tests/lab07_events.c labs/tests/lab07_interrupt.c trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 *
 * lab07_ring MODE says what is wrong in one sentence, and ends with status 1; labs/tests/lab07.py names the rules. A case is
 * executed again and again. Each time the CPU's trap flag stops it one instruction later, and the handler does what an interrupt
 * or a reader on another CPU may do there.
 */
#include <stdarg.h>

#include "labs/tests/lab07.h"

__thread unsigned rb_host_cpu, rb_host_reads;
__thread bool rb_host_irqs_off;

const char *mode, *what = "";

void broken(const char *format, ...)
{
	va_list args;

	printf("%s: ", what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	if (stop_at)
		printf(" (interrupted at instruction %lu of %s)", stop_at, mode);
	puts("");
	exit(1);
}

bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

static void write_short(void)
{
	write_one(5);
}

static void write_two(void)
{
	write_one(3);
	write_one(30);
}

/* ---- events, one after another ---- */

static void check_time(u64 first, u64 second)
{
	begin("two events", 4, RB_FL_OVERWRITE);
	now = 0;
	clock_step = first;
	write_one(1);
	clock_step = second;
	write_one(1);
	settle();
}

/* Another clock than the default one, which the callers of __rb_lock_reserve() read. */
u64 rb_host_other_clock(void)
{
	return ticks();
}

/* Events whose callers have read the default clock. Another clock of the buffer is far behind it. */
static void timed_events(const char *name, u64 (*clock)(void))
{
	bool other = clock == rb_host_other_clock;

	begin(name, 4, RB_FL_OVERWRITE);
	ring_buffer_set_clock(buffer, clock);
	for (unsigned i = 0; i < 3; i++) {
		unsigned id = new_try();
		struct ring_buffer_event *event;
		u64 time;

		events[id].begin = now;
		time = ticks();
		clock_step = 1000; /* of a clock that is read again */
		event = __rb_lock_reserve(buffer, cb, 8, true, other ? time + 100000 : time);
		clock_step = 10;
		events[id].end = other ? now : time;
		if (!event)
			broken("no event");
		fill(event, id, 0);
		events[id].state = WRITTEN;
		ring_buffer_unlock_commit(buffer);
	}
	settle();
}

static void events_mode(void)
{
	begin("events of all lengths", 4, 0);
	for (u32 words = 0; words < 44; words++)
		write_one(words);
	settle();
	for (u32 words = 900; words <= 1017; words += 117) { /* the last one leaves room for a time extension */
		begin("a long event", 4, 0);
		write_one(words);
		settle();
	}
	begin("an event that no sub-buffer can hold", 4, RB_FL_OVERWRITE);
	write_one(1);
	write_one(1025);
	write_one(1);
	settle();
	for (unsigned bits = 26; bits < 50; bits++)
		check_time(5, (1UL << bits) - 1), check_time(5, 1UL << bits), check_time(1UL << bits, 77);
	begin("a long time after the last event, and room for an event without a time extension", 4, RB_FL_OVERWRITE);
	while (cb->data_size - rb_offset(cb, cb->tail.lo) >= rb_data_size(8) + RB_TIME_EXTEND_SIZE)
		write_one(0);
	clock_step = 1UL << 28;
	write_one(0);
	settle();
	begin("a clock that goes back", 4, RB_FL_OVERWRITE);
	clock_step = 0;
	for (unsigned i = 0; i < 10; i++) {
		now = i == 4 ? 100 : 1000 + i;
		write_one(2);
	}
	settle();
	if (last_stamp != 1009)
		broken("the time %lu of the last event, which was written at 1009", last_stamp);
	timed_events("an event with a time that was read before", ticks);
	timed_events("an event with a time that was read before, in a buffer with another clock", rb_host_other_clock);
}

/* ---- nested writers ---- */

static void nest_case(const char *name, unsigned before, u64 later, void (*what_happens)(void), void (*inner)(void), unsigned long at)
{
	bool more = true;

	for (stop_at = 1; more; stop_at += inner ? 4 : 1) {
		begin(name, 8, RB_FL_OVERWRITE);
		for (unsigned i = 0; i < before; i++)
			write_one(i);
		cb->waiting = 1;
		clock_step = later;
		inner_interrupt = inner;
		inner_at = at;
		more = interrupted(write_as, new_try(), 1, what_happens);
		clock_step = 10;
		if (!is_mode("commit"))
			write_one(2); /* publishes everything */
		else if (cb->waiting)
			broken("a reader that waits for events, and that no writer has woken");
		settle();
	}
	stop_at = 0;
}

static void nest_mode(void)
{
	nest_case("an interrupt writes an event", 3, 10, write_short, NULL, 0);
	nest_case("an interrupt writes two events", 3, 10, write_two, NULL, 0);
	nest_case("an interrupt writes the first event", 0, 10, write_short, NULL, 0);
	nest_case("an interrupt writes after a long time", 3, 1UL << 28, write_short, NULL, 0);
	for (unsigned long at = 5; at < 200; at += 31)
		nest_case("an NMI in an interrupt writes an event", 3, 10, write_short, write_short, at);
}

/* ---- full sub-buffers ---- */

static void fill_ring(u32 words)
{
	u32 size = rb_data_size(8 + 4 * words);

	for (unsigned i = 0; i < 250; i++)
		write_one(words);
	while (rb_offset(cb, cb->tail.lo) + size <= cb->data_size)
		write_one(words);
}

/* All events have this length, and the first ones have been read. Those that came to a full buffer were refused. */
static void check_full(u32 words)
{
	unsigned room = cb->nr_slots * (cb->data_size / rb_data_size(8 + 4 * words)), kept = 0;

	while (kept < tries && events[kept].state == READ)
		kept++;
	if (!kept)
		broken("the oldest event is lost");
	if (kept != room)
		broken("an event that is refused behind %u others, in a buffer with room for %u", kept, room);
}

static void pages_mode(void)
{
	static const u32 flags[] = { 0, RB_FL_OVERWRITE };

	begin("a clock that goes back at the end of a sub-buffer", 4, RB_FL_OVERWRITE);
	fill_ring(10);
	now -= 500;
	clock_step = 0; /* no event has a time of its own */
	write_one(10);
	write_one(10);
	settle();
	for (unsigned i = 0; i < 2; i++)
		for (u32 words = 0; words < 300; words += 37) {
			begin(i ? "a full buffer, with `overwrite`" : "a full buffer, without `overwrite`", 4, flags[i]);
			for (unsigned n = 0; n < 3000; n++)
				write_one(words);
			if (i && events[2999].state != WRITTEN)
				broken("the newest event is refused");
			settle();
			if (!i)
				check_full(words);
			for (unsigned n = 0; n < 900; n++) {
				write_one(words);
				if (n % 3 == 0)
					(void)read_one();
			}
			settle();
		}
}

static void read_all(void)
{
	while (read_one())
		;
}

static void write_many(void)
{
	for (unsigned i = 0; i < 300; i++)
		write_one(10);
}

/* The small one may have room where the large one has not. */
static void write_small_and_large(void)
{
	write_one(0);
	write_one(10);
}

static void read_and_write(void)
{
	read_all();
	write_one(10);
	write_one(10);
}

/* later: events that are written afterwards, before anything is read. */
static void steal_case(const char *name, u32 flags, void (*what_happens)(void), unsigned later)
{
	bool more = true;
	unsigned id;

	for (stop_at = 1; more; stop_at++) {
		begin(name, 2, flags);
		fill_ring(10);
		id = new_try();
		more = interrupted(write_as, id, 10, what_happens);
		if (flags & RB_FL_OVERWRITE && what_happens != write_many && events[id].state == REFUSED)
			broken("an event that is refused, although older ones may be overwritten");
		for (unsigned i = 0; i < later; i++)
			write_one(10);
		settle();
	}
	stop_at = 0;
}

/* An event that an interrupt must not overwrite, because its writer is not ready. */
static void half_written_case(const char *name)
{
	bool more = true;

	for (stop_at = 1; more; stop_at += 5) {
		begin(name, 2, RB_FL_OVERWRITE);
		write_one(10);
		more = interrupted(write_as, new_try(), 10, write_many);
		settle();
	}
	stop_at = 0;
}

static void steal_mode(void)
{
	static const u32 flags[] = { RB_FL_OVERWRITE, 0 };

	steal_case("what an interrupt writes meanwhile is overwritten later", RB_FL_OVERWRITE, write_short, 250);
	for (unsigned i = 0; i < 2; i++) {
		steal_case("an interrupt writes while a writer moves to the next sub-buffer", flags[i], write_small_and_large, 0);
		steal_case("a reader takes all, and an interrupt writes", flags[i], read_and_write, 0);
	}
	half_written_case("an interrupt writes more than the ring can hold, in the middle of a write");
	steal_case("an interrupt writes more than the ring can hold", RB_FL_OVERWRITE, write_many, 0);
	steal_case("a reader takes all while a writer moves to the next sub-buffer", RB_FL_OVERWRITE, read_all, 0);
}

/* ---- the usual case ---- */

static bool reserved, ended; /* the quick functions did it */

static void write_quickly(unsigned id, u32 words)
{
	u32 base = rb_data_size(8 + 4 * words);
	struct ring_buffer_event *event;
	u64 end = 0;
	bool quick;

	events[id].begin = now;
	if (!rb_begin_write(buffer, cb))
		return;
	event = rb_reserve_quick(cb, base, false, 0, &end);
	reserved = quick = event;
	if (!event)
		event = rb_reserve_begun(buffer, cb, base, false, 0);
	events[id].end = now;
	if (!event)
		return;
	fill(event, id, words);
	events[id].state = WRITTEN;
	local_add(&cb->written, 1);
	ended = quick && rb_end_write_quick(cb, end);
	if (!quick)
		rb_end_write(cb);
	else if (!ended)
		rb_end_quick(cb);
}

static void interrupt_quickly(void)
{
	bool nested = rb_nest(cb);

	write_quickly(new_try(), 4);
	if (nested && reserved)
		broken("rb_reserve_quick() of a nested writer reserves an event");
}

static void quick(const char *name, bool may)
{
	what = name;
	reserved = ended = !may;
	write_quickly(new_try(), 4);
	if (reserved != may)
		broken("rb_reserve_quick() %s an event", reserved ? "reserves" : "does not reserve");
	if (ended != may)
		broken("rb_end_write_quick() returns %s", ended ? "true" : "false");
	settle();
}

static void quick_mode(void)
{
	bool more = true;

	begin("", 4, RB_FL_OVERWRITE);
	quick("the first event of a sub-buffer", false);
	quick("the usual case", true);
	clock_step = RB_DELTA_MAX;
	quick("the longest short time", true);
	clock_step = RB_DELTA_MAX + 1;
	quick("a long time after the last event", false);
	clock_step = 10;
	quick("the usual case", true);
	while (rb_offset(cb, cb->tail.lo) + 28 <= cb->data_size)
		write_one(4);
	quick("no room in the sub-buffer", false);
	quick("the second event of the next sub-buffer", true);
	ring_buffer_set_clock(buffer, rb_host_other_clock);
	quick("another clock than the default one", false);
	begin("another clock since the first event", 4, RB_FL_OVERWRITE);
	ring_buffer_set_clock(buffer, rb_host_other_clock);
	write_one(4);
	quick("another clock since the first event", false);
	begin("a clock that goes back", 4, RB_FL_OVERWRITE);
	write_one(4);
	clock_step = (u64)-5;
	write_quickly(new_try(), 4);
	if (reserved)
		broken("rb_reserve_quick() reserves an event");
	begin("recording is disabled", 4, RB_FL_OVERWRITE);
	write_one(1);
	ring_buffer_record_disable_cpu(buffer, 0);
	uncounted = 1;
	write_quickly(new_try(), 4);
	if (reserved)
		broken("rb_reserve_quick() reserves an event");
	ring_buffer_record_enable_cpu(buffer, 0);
	settle();
	for (unsigned i = 0; i < 4; i++, more = true) {
		for (stop_at = 1; more; stop_at++) {
			begin(i & 2 ? "an interrupt writes into the next sub-buffer" : "an interrupt writes an event", 8, RB_FL_OVERWRITE);
			write_one(1);
			while (i & 2 && rb_offset(cb, cb->tail.lo) + 2 * 28 <= cb->data_size)
				write_one(4);
			more = interrupted(write_quickly, new_try(), 4, i & 1 ? interrupt_quickly : write_short);
			settle();
		}
	}
	stop_at = 0;
}

/* ---- refused events ---- */

static void enable_and_write(void)
{
	cb->record_disabled = 0;
	write_one(6);
}

static void refuse_case(const char *name, u32 disabled)
{
	bool more = true;

	for (stop_at = 1; more; stop_at++) {
		begin(name, 4, RB_FL_OVERWRITE);
		write_one(1);
		cb->record_disabled = disabled;
		cb->waiting = 1;
		more = interrupted(write_as, new_try(), 3, enable_and_write);
		cb->record_disabled = 0;
		if (more && cb->waiting)
			broken("a reader that waits for events, and that no writer has woken");
		uncounted = events[1].state == REFUSED && disabled != RB_CHANGING;
		settle();
	}
	stop_at = 0;
}

static void refuse_mode(void)
{
	begin("recording is disabled", 4, RB_FL_OVERWRITE);
	cb->record_disabled = RB_CHANGING;
	cb->tail.lo += 4; /* of a ring that is freed: nobody may read it */
	write_one(3);
	if (cb->commit)
		broken("a writer that publishes, although no nested writer has written: the ring may be freed at this moment");
	refuse_case("recording is enabled while a writer leaves", 1);
	refuse_case("the ring is exchanged while a writer leaves", RB_CHANGING);
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "";
	handle_traps();
	if (is_mode("event"))
		events_mode();
	else if (is_mode("pages"))
		pages_mode();
	else if (is_mode("steal"))
		steal_mode();
	else if (is_mode("quick"))
		quick_mode();
	else if (is_mode("refuse"))
		refuse_mode();
	else if (is_mode("nest") || is_mode("commit"))
		nest_mode();
	else
		return 2;
	return 0;
}
