/*
 * The ring buffer under threads and signals: every event is read intact and in order, or counted as
 * lost. RB_EVENTS=n sets how many events the storms write (default 400,000).
 *
 * sources: trace/ring_buffer.c trace/ring_buffer_manage.c trace/ring_buffer_read.c trace/ring_buffer_iter.c
 * threads: tsan
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "trace/ring_buffer_internal.h"

__thread unsigned rb_host_cpu;

struct payload {
	u32 level; /* 0: the thread, 1: the signal handler nested in it, 2: a handler nested in that */
	u32 words; /* how many follow */
	u64 number; /* of this level on this CPU, from 0 */
	u64 check;
	u32 filler[48];
};

#define LEVELS 3
static struct trace_buffer *buffer;
static u64 written[RB_HOST_CPUS][LEVELS]; /* numbers given; refused events give theirs back */
static u64 target_events = 400000;

static u64 checksum(const struct payload *p)
{
	u64 sum = p->level * 0x9e3779b97f4a7c15ULL + p->number * 31 + p->words;

	for (u32 i = 0; i < p->words; i++)
		sum = sum * 131 + p->filler[i];
	return sum;
}

static bool write_event(unsigned level)
{
	u64 number = written[rb_host_cpu][level];
	struct payload p = { .level = level, .number = number, .words = (u32)(number * 7 % 47) };
	size_t length = offsetof(struct payload, filler) + p.words * 4;
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

	if (!event)
		return false;
	for (u32 i = 0; i < p.words; i++)
		p.filler[i] = (u32)number * 2654435761U + i;
	p.check = checksum(&p);
	memcpy(ring_buffer_event_data(event), &p, length);
	written[rb_host_cpu][level]++;
	ring_buffer_unlock_commit(buffer);
	return true;
}

static void nested_writer(int sig)
{
	write_event(sig == SIGUSR1 ? 1 : 2);
}

struct tally {
	u64 next[LEVELS]; /* number expected of each level */
	u64 gaps;	  /* numbers that never came */
	u64 lost;	  /* as the buffer said */
	u64 read;
	u64 stamp;
};

static void check_payload(struct tally *t, const struct payload *p, long length, u64 ts, u64 lost)
{
	assert_true(p->level < LEVELS);
	assert_int_equal(length, ALIGN(offsetof(struct payload, filler) + p->words * 4, 4));
	assert_true(p->check == checksum(p));
	assert_true(p->number >= t->next[p->level]);
	assert_true(ts >= t->stamp);
	t->gaps += p->number - t->next[p->level];
	t->next[p->level] = p->number + 1;
	t->lost += lost;
	t->stamp = ts;
	t->read++;
}

static bool consume_one(unsigned cpu, struct tally *t)
{
	struct payload p;
	u64 ts, lost;
	long length = ring_buffer_consume(buffer, cpu, &p, sizeof(p), &ts, &lost);

	if (length < 0)
		return false;
	check_payload(t, &p, length, ts, lost);
	return true;
}

static bool stop_readers, stop_signals;

static struct tally tallies[RB_HOST_CPUS];

static void *consuming_reader(void *arg)
{
	unsigned cpu = (unsigned)(uintptr_t)arg;

	for (;;) {
		bool last = __atomic_load_n(&stop_readers, __ATOMIC_ACQUIRE);

		while (consume_one(cpu, &tallies[cpu]))
			;
		if (last)
			return NULL;
		sched_yield();
	}
}

static void *iterating_reader(void *arg)
{
	unsigned cpu = (unsigned)(uintptr_t)arg;

	while (!__atomic_load_n(&stop_readers, __ATOMIC_ACQUIRE)) {
		struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, cpu);
		struct ring_buffer_event *event;
		struct tally t = { 0 };
		u64 ts, lost, first = 1;

		while ((event = ring_buffer_iter_peek(iter, &ts, &lost))) {
			struct payload p;
			long length = (long)ring_buffer_event_length(event);

			memcpy(&p, ring_buffer_event_data(event), (size_t)length);
			check_payload(&t, &p, length, ts, first ? 0 : lost);
			first = 0;
			ring_buffer_iter_advance(iter);
		}
		ring_buffer_read_finish(iter);
		sched_yield();
	}
	return NULL;
}

struct writer {
	pthread_t thread;
	unsigned cpu;
	bool done;
};

static void *writer_thread(void *arg)
{
	struct writer *w = arg;

	rb_host_cpu = w->cpu;
	for (u64 i = 0; i < target_events; i++)
		write_event(0);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stop_signals, __ATOMIC_ACQUIRE))
		sched_yield();
	return NULL;
}

static void *signal_thread(void *arg)
{
	struct writer *writers = arg;
	bool running = true;
	unsigned turn = 0;

	while (running) {
		running = false;
		for (unsigned i = 0; i < 2; i++) {
			if (__atomic_load_n(&writers[i].done, __ATOMIC_ACQUIRE))
				continue;
			running = true;
			pthread_kill(writers[i].thread, turn++ % 3 ? SIGUSR1 : SIGUSR2);
		}
	}
	__atomic_store_n(&stop_signals, true, __ATOMIC_RELEASE);
	return NULL;
}

static void run_storm(u32 flags, size_t size, bool iterate, bool resize)
{
	struct writer writers[2] = { { .cpu = 0 }, { .cpu = 1 } };
	struct sigaction action = { .sa_handler = nested_writer };
	pthread_t readers[2], iterators[2], signals;

	memset(written, 0, sizeof(written));
	memset(tallies, 0, sizeof(tallies));
	stop_readers = stop_signals = false;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	buffer = ring_buffer_alloc(size, flags);
	assert_non_null(buffer);
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&writers[i].thread, NULL, writer_thread, &writers[i]);
	for (uintptr_t i = 0; i < 2; i++) {
		pthread_create(&readers[i], NULL, consuming_reader, (void *)i);
		if (iterate)
			pthread_create(&iterators[i], NULL, iterating_reader, (void *)i);
	}
	pthread_create(&signals, NULL, signal_thread, writers);
	for (unsigned n = 0; resize && !__atomic_load_n(&stop_signals, __ATOMIC_ACQUIRE); n++)
		assert_int_equal(ring_buffer_resize(buffer, 4096 * (2 + n * 5 % 17), (int)(n % 2)), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(writers[i].thread, NULL);
	pthread_join(signals, NULL);
	__atomic_store_n(&stop_readers, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(readers[i], NULL);
		if (iterate)
			pthread_join(iterators[i], NULL);
	}
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		struct tally *t = &tallies[cpu];
		u64 total = written[cpu][0] + written[cpu][1] + written[cpu][2], tail = 0;
		struct ring_buffer_stats stats;

		ring_buffer_cpu_stats(buffer, cpu, &stats);
		for (unsigned level = 0; level < LEVELS; level++)
			tail += written[cpu][level] - t->next[level];
		print_message("cpu%u: %lu written (%lu nested), %lu read, %lu lost, %lu dropped\n", cpu,
			      total, written[cpu][1] + written[cpu][2], t->read, t->lost,
			      stats.dropped_events);
		assert_int_equal(stats.written, total);
		assert_int_equal(t->gaps + tail, t->lost);
		assert_int_equal(t->read + t->lost, total);
		assert_int_equal(stats.overrun, t->lost);
		assert_int_equal(stats.read_events, t->read);
		assert_int_equal(stats.entries, 0);
	}
	ring_buffer_free(buffer);
}

static void test_overwrite_storm_accounts_for_every_event(void **state)
{
	(void)state;
	run_storm(RB_FL_OVERWRITE, 4 * 4096, false, false);
}

static void test_two_page_buffer_accounts_for_every_event(void **state)
{
	(void)state;
	run_storm(RB_FL_OVERWRITE, 4096, false, false);
}

static void test_drop_mode_never_overwrites(void **state)
{
	(void)state;
	run_storm(0, 8 * 4096, false, false);
}

static void test_iterators_see_whole_events_while_writers_run(void **state)
{
	(void)state;
	run_storm(RB_FL_OVERWRITE, 16 * 4096, true, false);
}

static void test_resize_under_writers_keeps_the_account(void **state)
{
	(void)state;
	run_storm(RB_FL_OVERWRITE, 8 * 4096, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overwrite_storm_accounts_for_every_event),
		cmocka_unit_test(test_two_page_buffer_accounts_for_every_event),
		cmocka_unit_test(test_drop_mode_never_overwrites),
		cmocka_unit_test(test_iterators_see_whole_events_while_writers_run),
		cmocka_unit_test(test_resize_under_writers_keeps_the_account),
	};

	if (getenv("RB_EVENTS"))
		target_events = strtoull(getenv("RB_EVENTS"), NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
