/*
 * The ring buffer's readers: iterators, reading inside a reader, sub-buffer numbers that wrap, pages
 * as trace_pipe_raw gives them, and readers that sleep.
 *
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 * threads: tsan
 */
#define _GNU_SOURCE
#include "ring_buffer_events.h"

/* One thread writes all events, on CPU 0. */
static void begin_alone(size_t size)
{
	memset(written, 0, sizeof(written));
	rb_host_cpu = 0;
	buffer = ring_buffer_alloc(size, RB_FL_OVERWRITE);
	assert_non_null(buffer);
}

static void write_events(unsigned count)
{
	while (count--)
		write_event(THREAD);
}

/* The iterator returns count events, numbered from first on, and reports so many lost events. */
static void expect_events_and_loss(struct ring_buffer_iter *iter, u64 first, unsigned count,
				   u64 loss)
{
	u64 all_lost = 0;

	for (u64 number = first; number < first + count; number++) {
		u64 ts, lost;
		struct ring_buffer_event *event = ring_buffer_iter_peek(iter, &ts, &lost);
		struct payload p;

		assert_non_null(event);
		memcpy(&p, ring_buffer_event_data(event), offsetof(struct payload, filler));
		assert_int_equal(p.number, number);
		all_lost += lost;
		ring_buffer_iter_advance(iter);
	}
	assert_int_equal(all_lost, loss);
}

static void expect_events(struct ring_buffer_iter *iter, u64 first, unsigned count)
{
	expect_events_and_loss(iter, first, count, 0);
}

static void expect_end(struct ring_buffer_iter *iter)
{
	u64 ts, lost;

	assert_null(ring_buffer_iter_peek(iter, &ts, &lost));
}

static void test_iterator_goes_on_behind_its_last_event_in_a_resized_ring(void **state)
{
	struct ring_buffer_iter *iter;

	(void)state;
	begin_alone(16 * 4096);
	write_events(300);
	iter = ring_buffer_read_start(buffer, 0);
	expect_events(iter, 0, 100);
	assert_int_equal(ring_buffer_resize(buffer, 32 * 4096, 0), 0);
	expect_events(iter, 100, 100);
	assert_int_equal(ring_buffer_resize(buffer, 16 * 4096, 0), 0);
	write_events(20);
	expect_events(iter, 200, 120);
	expect_end(iter);
	ring_buffer_reset_cpu(buffer, 0);
	write_events(5);
	expect_events(iter, 320, 5);
	expect_end(iter);
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

static void test_iterator_at_the_end_sees_what_is_written_later(void **state)
{
	struct ring_buffer_iter *iter;
	struct tally tally = { 0 };

	(void)state;
	begin_alone(8 * 4096);
	iter = ring_buffer_read_start(buffer, 0);
	expect_end(iter);
	for (unsigned i = 0; i < 60; i++) {
		write_event(THREAD);
		expect_events(iter, i, 1);
		expect_end(iter);
		if (i % 3 == 0) /* takes the iterator's page */
			while (consume_one(0, &tally))
				;
	}
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* An NMI handler, or a tracer that the reader's own code calls, reads the buffer. */
static void test_reading_inside_a_reader_returns_busy_and_not_never(void **state)
{
	struct ring_buffer_iter *iter;
	unsigned long flags;

	(void)state;
	begin_alone(8 * 4096);
	write_events(3);
	iter = ring_buffer_read_start(buffer, 0);
	flags = rb_reader_lock(buffer->cpus[0]);
	expect_end(iter);
	assert_true(ring_buffer_iter_busy(iter));
	rb_reader_unlock(buffer->cpus[0], flags);
	expect_events(iter, 0, 3);
	expect_end(iter);
	assert_false(ring_buffer_iter_busy(iter));
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

static sem_t holder_has_it, holder_may_go;

/* A CPU that panic has stopped inside a reader. */
static void *stopped_holder(void *arg)
{
	unsigned long flags = rb_reader_lock(buffer->cpus[0]);

	(void)arg;
	sem_post(&holder_has_it);
	sem_wait(&holder_may_go);
	rb_reader_unlock(buffer->cpus[0], flags);
	return NULL;
}

static void test_reading_with_interrupts_off_does_not_wait_for_ever_for_a_stopped_cpu(void **state)
{
	struct ring_buffer_iter *iter;
	pthread_t holder;

	(void)state;
	begin_alone(8 * 4096);
	write_events(3);
	iter = ring_buffer_read_start(buffer, 0);
	sem_init(&holder_has_it, 0, 0);
	sem_init(&holder_may_go, 0, 0);
	pthread_create(&holder, NULL, stopped_holder, NULL);
	sem_wait(&holder_has_it);
	rb_host_irqs_off = true;
	expect_end(iter);
	assert_true(ring_buffer_iter_busy(iter));
	sem_post(&holder_may_go);
	pthread_join(holder, NULL);
	expect_events(iter, 0, 3);
	rb_host_irqs_off = false;
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* ---- sub-buffer numbers that wrap ---- */

static void shift_place(struct ring_buffer_per_cpu *cb, u64 *place, u32 n)
{
	u32 seq = rb_seq_add(cb, rb_seq(*place), n);

	*place = (*place & ((1UL << RB_SEQ_SHIFT) - 1)) | (u64)seq << RB_SEQ_SHIFT;
}

/*
 * Makes the ring of CPU 0 look as if writers had filled n more sub-buffers with one event each, and
 * all were lost. n is a multiple of the slots, so all pages stay in their slots. The tail is not
 * in the reader's page.
 */
static void shift_ring(u32 n)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[0];

	assert_int_equal(n % cb->nr_slots, 0);
	for (u32 i = 0; i < cb->nr_slots; i++)
		shift_place(cb, &cb->slots[i], n);
	shift_place(cb, &cb->tail.lo, n);
	shift_place(cb, &cb->commit, n);
	for (u32 i = 0; i <= cb->nr_slots; i++)
		if (i != cb->reader_index)
			cb->pages[i].first += n;
}

/* The same for a ring that is empty and was never read: also the reader's position moves. */
static void begin_near_wrap(size_t size, u32 sub_buffers_left)
{
	struct ring_buffer_per_cpu *cb;
	u32 n;

	begin_alone(size);
	cb = buffer->cpus[0];
	n = (u32)(cb->seq_limit - sub_buffers_left) / cb->nr_slots * cb->nr_slots;
	shift_ring(n);
	cb->reader_pos.seq = rb_seq_add(cb, cb->reader_pos.seq, n);
	cb->reader_pos.first = cb->expected = n;
}

static void test_events_stay_in_order_when_sub_buffer_numbers_wrap(void **state)
{
	static const unsigned slots[] = { 2, 3, 5, 7, 11 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(slots); i++) {
		struct ring_buffer_iter *iter;
		struct ring_buffer_stats stats;
		struct tally tally = { 0 };
		u64 past = 0;

		begin_near_wrap(slots[i] * 4096, 2 * slots[i]);
		iter = ring_buffer_read_start(buffer, 0);
		/* A reader and an iterator that keep up lose nothing. */
		while (past < 4 * slots[i]) {
			u32 seq = rb_seq(buffer->cpus[0]->commit);

			write_event(THREAD);
			expect_events(iter, written[0][THREAD] - 1, 1);
			assert_true(consume_one(0, &tally));
			past += seq != rb_seq(buffer->cpus[0]->commit);
		}
		expect_end(iter);
		assert_false(consume_one(0, &tally));
		assert_int_equal(tally.lost, 0);
		ring_buffer_read_finish(iter);

		/* A full ring at the wrap: the newest events are kept, the others counted. */
		ring_buffer_free(buffer);
		begin_near_wrap(slots[i] * 4096, slots[i]);
		memset(&tally, 0, sizeof(tally));
		past = rb_seq(buffer->cpus[0]->commit);
		while (rb_seq(buffer->cpus[0]->commit) >= past ||
		       rb_seq(buffer->cpus[0]->commit) < slots[i] / 2)
			write_event(THREAD);
		ring_buffer_cpu_stats(buffer, 0, &stats);
		assert_int_equal(stats.written, written[0][THREAD]);
		while (consume_one(0, &tally))
			;
		assert_int_equal(tally.read + tally.lost, written[0][THREAD]);
		assert_int_equal(tally.next[THREAD], written[0][THREAD]);
		assert_int_equal(tally.lost, stats.overrun);
		ring_buffer_free(buffer);
	}
}

static void test_reader_finds_the_ring_after_half_of_all_sub_buffer_numbers(void **state)
{
	static const u32 distances[] = { 1U << 29, 1U << 30, 1U << 31, 3U << 30 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(distances); i++)
		for (unsigned reads = 0; reads < 2; reads++) {
			struct ring_buffer_iter *iter;
			struct tally tally = { 0 };

			begin_alone(8 * 4096);
			iter = ring_buffer_read_start(buffer, 0);
			if (reads) {
				write_events(200); /* several sub-buffers */
				expect_events(iter, 0, 200);
				while (consume_one(0, &tally))
					;
			}
			expect_end(iter);
			write_events(60); /* the tail leaves the reader's page */
			shift_ring(distances[i]);
			write_events(5);
			expect_events_and_loss(iter, reads ? 200 : 0, 65, reads ? distances[i] : 0);
			expect_end(iter);
			while (consume_one(0, &tally))
				;
			assert_int_equal(tally.read, written[0][THREAD]);
			assert_int_equal(tally.lost, distances[i]);
			ring_buffer_read_finish(iter);
			ring_buffer_free(buffer);
		}
}

static void test_reader_is_woken_when_sub_buffer_numbers_wrap(void **state)
{
	struct ring_buffer_per_cpu *cb;

	(void)state;
	begin_near_wrap(5 * 4096, 5);
	cb = buffer->cpus[0];
	assert_false(rb_want_wake(cb, 100));
	while (rb_seq(cb->commit) != 0) {
		assert_int_equal(sem_trywait(&cb->waker.raised), -1);
		write_event(THREAD);
	}
	assert_int_equal(sem_trywait(&cb->waker.raised), 0);
	ring_buffer_free(buffer);
}

/* ---- pages as trace_pipe_raw gives them ---- */

static u64 steady_time;

static u64 steady_clock(void)
{
	return steady_time;
}

/* A buffer of two pages with events 10 units of time apart, the first at 10. */
static void begin_steadily(void)
{
	begin_alone(2 * 4096);
	steady_time = 0;
	ring_buffer_set_clock(buffer, steady_clock);
}

static void write_bytes(size_t length, unsigned count)
{
	while (count--) {
		struct ring_buffer_event *event;

		steady_time += 10;
		event = ring_buffer_lock_reserve(buffer, length);
		assert_non_null(event);
		memset(ring_buffer_event_data(event), 0, length);
		ring_buffer_unlock_commit(buffer);
	}
}

/* A page may be full, or may have room for the count of events lost before it. */
static void expect_lost_page(size_t length, u32 in_page, bool stored)
{
	struct buffer_data_page page;
	struct ring_buffer_stats stats;
	u64 told = 0, flags = RB_MISSED_EVENTS | (stored ? RB_MISSED_STORED : 0);
	u32 used = in_page * (u32)(length + 4);

	begin_steadily();
	write_bytes(length, 10 * in_page);
	ring_buffer_cpu_stats(buffer, 0, &stats);
	assert_int_equal(stats.overrun, 8 * in_page);
	assert_int_equal(stats.entries, 2 * in_page);
	assert_int_equal(stats.bytes, 2 * used);
	assert_int_equal(stats.oldest_event_ts, (stats.overrun + 1) * 10);
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), false),
			 (int)sizeof(page));
	assert_int_equal(page.commit, flags | used);
	assert_int_equal(page.time_stamp, (stats.overrun + 1) * 10);
	if (stored)
		memcpy(&told, page.data + used, sizeof(told));
	assert_int_equal(told, stored ? stats.overrun : 0);
	/* The next page follows without a gap. */
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), false),
			 (int)sizeof(page));
	assert_int_equal(page.commit, used);
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), false), -EAGAIN);
	ring_buffer_cpu_stats(buffer, 0, &stats);
	assert_int_equal(stats.read_events, 2 * in_page);
	assert_int_equal(stats.entries, 0);
	ring_buffer_free(buffer);
}

static void test_page_with_room_tells_how_many_events_were_lost(void **state)
{
	(void)state;
	expect_lost_page(28, 127, true); /* 16 bytes stay free */
	expect_lost_page(112, 35, true);
}

static void test_full_page_tells_only_that_events_were_lost(void **state)
{
	(void)state;
	expect_lost_page(16, 204, false);
	expect_lost_page(20, 170, false);
}

static void test_rest_of_a_page_read_in_part_keeps_its_times(void **state)
{
	struct buffer_data_page page;
	struct ring_buffer_event *event = (void *)page.data;
	u64 ts, lost;
	u8 data[16];

	(void)state;
	begin_steadily();
	write_bytes(16, 10);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(ring_buffer_consume(buffer, 0, data, 16, &ts, &lost), 16);
		assert_int_equal(ts, i * 10);
	}
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), true), -EAGAIN); /* not full */
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), false),
			 (int)sizeof(page));
	assert_int_equal(page.commit, 7 * 20);
	assert_int_equal(page.time_stamp + event->time_delta, 40);
	/* The next read continues after the last one. */
	write_bytes(16, 2);
	assert_int_equal(ring_buffer_read_page(buffer, 0, &page, sizeof(page), false),
			 (int)sizeof(page));
	assert_int_equal(page.commit, 2 * 20);
	assert_int_equal(page.time_stamp + event->time_delta, 110);
	ring_buffer_free(buffer);
}

#define WAKE_ROUNDS 20000U
static u64 rounds_read;

/* Reads events, and sleeps when the buffer is empty. */
static void *sleeping_reader(void *arg)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[0];
	struct tally *t = arg;

	while (t->read < WAKE_ROUNDS) {
		if (consume_one(0, t)) {
			__atomic_store_n(&rounds_read, t->read, __ATOMIC_RELEASE);
			continue;
		}
		if (rb_want_wake(cb, 0))
			continue;
		rb_sync_cpu(0);
		if (!rb_is_ready(cb, 0))
			sem_wait(&cb->waker.raised);
	}
	return NULL;
}

/* Writes the next event only after the last has been read, so one lost wake-up stops the test. */
static void test_sleeping_reader_is_woken_for_every_event(void **state)
{
	struct tally t = { 0 };
	pthread_t reader;
	time_t start;

	(void)state;
	begin_alone(2 * 4096);
	rounds_read = 0;
	pthread_create(&reader, NULL, sleeping_reader, &t);
	for (u64 i = 0; i < WAKE_ROUNDS; i++) {
		write_event(THREAD);
		start = time(NULL);
		while (__atomic_load_n(&rounds_read, __ATOMIC_ACQUIRE) <= i) {
			assert_true(time(NULL) - start < 120); /* else the reader sleeps for ever */
			sched_yield();
		}
	}
	pthread_join(reader, NULL);
	assert_int_equal(t.lost, 0);
	ring_buffer_free(buffer);
}

/* Returns how often the CPU's waker was raised since the last call. */
static unsigned times_raised(void)
{
	unsigned count = 0;

	while (sem_trywait(&buffer->cpus[0]->waker.raised) == 0)
		count++;
	return count;
}

static void test_reader_is_woken_when_the_buffer_is_as_full_as_it_wants(void **state)
{
	static const unsigned percents[] = { 1, 10, 50, 99, 100 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++) {
		unsigned pages = (percents[i] * 20 + 99) / 100; /* whole ones */
		struct ring_buffer_per_cpu *cb;

		begin_alone(20 * 4096);
		cb = buffer->cpus[0];
		assert_false(rb_want_wake(cb, percents[i]));
		while (rb_seq(cb->commit) < pages) {
			assert_int_equal(times_raised(), 0);
			assert_false(rb_is_ready(cb, percents[i]));
			write_event(THREAD);
		}
		assert_int_equal(times_raised(), 1);
		assert_true(rb_is_ready(cb, percents[i]));
		assert_true(rb_want_wake(cb, percents[i]));
		write_events(1000);
		assert_int_equal(times_raised(), 0);
		ring_buffer_free(buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iterator_goes_on_behind_its_last_event_in_a_resized_ring),
		cmocka_unit_test(test_iterator_at_the_end_sees_what_is_written_later),
		cmocka_unit_test(test_reading_inside_a_reader_returns_busy_and_not_never),
		cmocka_unit_test(
			test_reading_with_interrupts_off_does_not_wait_for_ever_for_a_stopped_cpu),
		cmocka_unit_test(test_events_stay_in_order_when_sub_buffer_numbers_wrap),
		cmocka_unit_test(test_reader_finds_the_ring_after_half_of_all_sub_buffer_numbers),
		cmocka_unit_test(test_reader_is_woken_when_sub_buffer_numbers_wrap),
		cmocka_unit_test(test_page_with_room_tells_how_many_events_were_lost),
		cmocka_unit_test(test_full_page_tells_only_that_events_were_lost),
		cmocka_unit_test(test_rest_of_a_page_read_in_part_keeps_its_times),
		cmocka_unit_test(test_sleeping_reader_is_woken_for_every_event),
		cmocka_unit_test(test_reader_is_woken_when_the_buffer_is_as_full_as_it_wants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
