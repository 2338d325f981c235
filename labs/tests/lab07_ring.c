/*
 * The writers of the ring buffer, with an interrupt at each instruction.
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 *
 * lab07_ring MODE says what is wrong in one sentence, and ends with status 1; labs/tests/lab07.py names the rules. A case is
 * executed again and again. Each time the CPU's trap flag stops it one instruction later, and the handler does what an interrupt
 * or a reader on another CPU may do there.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "trace/ring_buffer/write.h"

#define EVENTS    4096U
#define TRAP_FLAG 0x100UL

__thread unsigned rb_host_cpu, rb_host_reads;
__thread bool rb_host_irqs_off;

struct payload {
	u32 id, words;
	u32 filler[1100];
};

/* What became of each try to write an event. */
static struct {
	enum { REFUSED, WRITTEN, READ } state;
	u64 begin, end; /* the clock before and after the reservation */
} events[EVENTS];
static unsigned tries;

static struct trace_buffer *buffer;
static struct ring_buffer_per_cpu *cb;
static u64 now, clock_step, last_stamp, lost, uncounted;
static const char *mode, *what = "";
static unsigned long step, stop_at; /* instructions of the case so far; where the interrupt comes */

static void broken(const char *format, ...)
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

static bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

static u64 ticks(void)
{
	return __atomic_add_fetch(&now, clock_step, __ATOMIC_RELAXED); /* one instruction */
}

/* ---- events ---- */

static unsigned new_try(void)
{
	if (tries == EVENTS)
		broken("a case that never ends");
	return tries++;
}

static void fill(struct ring_buffer_event *event, unsigned id, u32 words)
{
	struct payload *p = ring_buffer_event_data(event);

	p->id = id;
	p->words = words;
	for (u32 i = 0; i < words; i++)
		p->filler[i] = id * 2654435761U + i;
}

static void write_as(unsigned id, u32 words)
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

static void write_one(u32 words)
{
	write_as(new_try(), words);
}

static bool read_one(void)
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
static void settle(void)
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

static void begin(const char *case_name, size_t pages, u32 flags)
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

/* ---- an interrupt at each instruction ---- */

static void (*interrupt)(void);
static void (*inner_interrupt)(void); /* inside the interrupt */
static unsigned long inner_at;

static void set_trap_flag(void)
{
	__asm__ __volatile__("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void clear_trap_flag(void)
{
	__asm__ __volatile__("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void run_interrupt(void (*what_happens)(void))
{
	u32 nest = rb_nest(cb);
	u64 commit = cb->commit;

	what_happens();
	if (nest && cb->commit != commit && (is_mode("commit") || is_mode("quick")))
		broken("a nested writer that publishes, although the writer that it has interrupted is not ready");
}

static void trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	void (*what_happens)(void) = interrupt;

	(void)signal, (void)info;
	if (++step != stop_at || !what_happens)
		return;
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~(long long)TRAP_FLAG;
	interrupt = inner_interrupt;
	inner_interrupt = NULL;
	step = 0;
	if (interrupt) {
		unsigned long outer_at = stop_at;

		stop_at = inner_at;
		set_trap_flag();
		run_interrupt(what_happens);
		clear_trap_flag();
		stop_at = outer_at;
		interrupt = NULL;
	} else {
		run_interrupt(what_happens);
	}
	step = stop_at; /* it has come */
}

/* Executes func(arg, words), with the interrupt at the instruction stop_at. False if there are not so many. */
static bool interrupted(void (*func)(unsigned id, u32 words), unsigned id, u32 words, void (*what_happens)(void))
{
	interrupt = what_happens;
	step = 0;
	set_trap_flag();
	func(id, words);
	clear_trap_flag();
	return step >= stop_at;
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
	begin("a clock that goes back", 4, RB_FL_OVERWRITE);
	clock_step = 0;
	for (unsigned i = 0; i < 10; i++) {
		now = i == 4 ? 100 : 1000 + i;
		write_one(2);
	}
	settle();
	if (last_stamp != 1009)
		broken("the time %lu of the last event, which was written at 1009", last_stamp);
	begin("an event with a time that was read before", 4, RB_FL_OVERWRITE);
	for (unsigned i = 0; i < 3; i++) {
		unsigned id = new_try();
		struct ring_buffer_event *event;

		events[id].begin = now;
		(void)ticks();
		events[id].end = now;
		clock_step = 1000; /* of a clock that is read again */
		event = __rb_lock_reserve(buffer, cb, 8, true, now);
		clock_step = 10;
		if (!event)
			broken("no event");
		fill(event, id, 0);
		events[id].state = WRITTEN;
		ring_buffer_unlock_commit(buffer);
	}
	settle();
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

	events[id].begin = now;
	if (!rb_begin_write(buffer, cb))
		return;
	event = rb_reserve_quick(buffer, cb, base);
	reserved = event;
	if (!event)
		event = rb_reserve_begun(buffer, cb, base, false, 0);
	events[id].end = now;
	if (!event)
		return;
	fill(event, id, words);
	events[id].state = WRITTEN;
	local_add(&cb->written, 1);
	ended = rb_end_write_quick(cb);
	if (!ended)
		rb_end_write(cb);
}

static void interrupt_quickly(void)
{
	bool nested = rb_nest(cb);

	write_quickly(new_try(), 4);
	if (nested && ended)
		broken("rb_end_write_quick() of a nested writer returns true");
}

static void quick(const char *name, bool may_reserve, bool may_end)
{
	what = name;
	write_quickly(new_try(), 4);
	if (reserved != may_reserve)
		broken("rb_reserve_quick() %s an event", reserved ? "reserves" : "does not reserve");
	if (ended != may_end)
		broken("rb_end_write_quick() returns %s", ended ? "true" : "false");
	settle();
}

static void quick_mode(void)
{
	bool more = true;

	begin("", 4, RB_FL_OVERWRITE);
	quick("the first event of a sub-buffer", false, true);
	quick("the usual case", true, true);
	clock_step = RB_DELTA_MAX;
	quick("the longest short time", true, true);
	clock_step = RB_DELTA_MAX + 1;
	quick("a long time after the last event", false, true);
	clock_step = 10;
	quick("the usual case", true, true);
	while (rb_offset(cb, cb->tail.lo) + 28 <= cb->data_size)
		write_one(4);
	quick("no room in the sub-buffer", false, false);
	clock_step = (u64)-5;
	what = "a clock that goes back";
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
	for (unsigned i = 0; i < 2; i++, more = true) {
		for (stop_at = 1; more; stop_at++) {
			begin("an interrupt writes an event", 8, RB_FL_OVERWRITE);
			write_one(1);
			more = interrupted(write_quickly, new_try(), 4, i ? interrupt_quickly : write_short);
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
	struct sigaction action = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	mode = argc > 1 ? argv[1] : "";
	sigaction(SIGTRAP, &action, NULL);
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
	else /* nest, commit */
		nest_mode();
	return 0;
}
