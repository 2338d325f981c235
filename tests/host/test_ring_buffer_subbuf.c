/*
 * Sub-buffers of several pages: what fits into one, what readers get of it, and what a change of
 * the size does.
 *
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 */
#define _GNU_SOURCE
#include "ring_buffer_events.h"

#define LARGEST (RB_PAGE_SIZE << RB_ORDER_MAX)

static u8 payload_read[LARGEST];

/* A host that stops the test for a while must not make an event longer: a long time since the last event takes 8 bytes more. */
static u64 clock_of_test(void)
{
	static u64 now;

	return now += 100;
}

static void begin(size_t size, unsigned order)
{
	memset(written, 0, sizeof(written));
	rb_host_cpu = 0;
	buffer = ring_buffer_alloc(size, RB_FL_OVERWRITE);
	assert_non_null(buffer);
	ring_buffer_set_clock(buffer, clock_of_test);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, order), 0);
	assert_int_equal(ring_buffer_subbuf_order_get(buffer), order);
	assert_int_equal(ring_buffer_subbuf_size_get(buffer), RB_PAGE_SIZE << order);
}

/* Writes an event of that many equal bytes. False: it is refused. */
static bool write_filled(size_t length, u8 byte)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

	if (!event)
		return false;
	memset(ring_buffer_event_data(event), byte, length);
	ring_buffer_unlock_commit(buffer);
	return true;
}

static void expect_filled(const u8 *data, size_t length, u8 byte)
{
	for (size_t i = 0; i < length; i++)
		assert_int_equal(data[i], byte);
}

static u64 dropped_events(void)
{
	struct ring_buffer_stats stats;

	ring_buffer_cpu_stats(buffer, 0, &stats);
	return stats.dropped_events;
}

static void test_the_largest_event_fits_and_a_larger_one_is_counted_as_dropped(void **state)
{
	u64 ts, lost;

	(void)state;
	for (unsigned order = 0; order <= RB_ORDER_MAX; order++) {
		size_t most;

		begin(1, order);
		most = RB_MAX_EVENT(order);
		assert_int_equal(most, (4096UL << order) - 32);
		for (u8 i = 0; i < 5; i++)
			assert_true(write_filled(most, i));
		assert_int_equal(dropped_events(), 0);
		assert_false(write_filled(most + 1, 9));
		assert_false(write_filled(LARGEST * 2, 9)); /* not counted: no buffer has room for it */
		assert_int_equal(dropped_events(), order == RB_ORDER_MAX ? 0 : 1);
		for (u8 i = 3; i < 5; i++) { /* the buffer has two sub-buffers */
			assert_int_equal(ring_buffer_consume(buffer, 0, payload_read, LARGEST, &ts,
							     &lost),
					 most);
			assert_int_equal(lost, i == 3 ? 3 : 0);
			expect_filled(payload_read, most, i);
		}
		assert_true(ring_buffer_empty_cpu(buffer, 0));
		ring_buffer_free(buffer);
	}
}

/* Small events reach every offset of a sub-buffer. */
static void test_a_sub_buffer_is_filled_to_its_end(void **state)
{
	(void)state;
	for (unsigned order = 0; order <= RB_ORDER_MAX; order++) {
		u32 data_size = (RB_PAGE_SIZE << order) - RB_PAGE_HEADER, fit = data_size / 8;
		struct buffer_data_page *page = calloc(1, RB_PAGE_SIZE << order);
		struct ring_buffer_stats stats;

		begin(1, order);
		for (u32 i = 0; i < 3 * fit; i++)
			assert_true(write_filled(4, (u8)i));
		ring_buffer_cpu_stats(buffer, 0, &stats);
		assert_int_equal(stats.entries, 2 * fit);
		assert_int_equal(stats.overrun, fit);
		assert_int_equal(stats.bytes, 2UL * fit * 8);
		for (u32 pages = 1; pages < 3; pages++) {
			assert_int_equal(ring_buffer_read_page(buffer, 0, page,
							       RB_PAGE_SIZE << order, false),
					 RB_PAGE_SIZE << order);
			assert_int_equal(page->commit & 0xfffff, fit * 8);
			for (u32 i = 0; i < fit; i++)
				expect_filled(page->data + i * 8 + 4, 4, (u8)(pages * fit + i));
		}
		assert_true(ring_buffer_empty_cpu(buffer, 0));
		free(page);
		ring_buffer_free(buffer);
	}
}

static void test_a_change_removes_events_and_keeps_the_size(void **state)
{
	static const unsigned orders[] = { 3, 1, 7, 0 };
	size_t size = 33 * 4096;

	(void)state;
	begin(size, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(orders); i++) {
		size_t one = 4096UL << orders[i];
		struct ring_buffer_stats stats;

		for (unsigned n = 0; n < 100000; n++)
			assert_true(write_filled(4, 0));
		assert_int_equal(ring_buffer_subbuf_order_set(buffer, orders[i]), 0);
		size = max((size + one - 1) / one * one, 2 * one);
		for (unsigned cpu = 0; cpu < RB_HOST_CPUS; cpu++)
			assert_int_equal(ring_buffer_size(buffer, cpu), size);
		ring_buffer_cpu_stats(buffer, 0, &stats);
		assert_int_equal(stats.entries | stats.overrun | stats.written | stats.bytes, 0);
		assert_true(ring_buffer_empty_cpu(buffer, 0));
	}
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, RB_ORDER_MAX + 1), -EINVAL);
	assert_int_equal(ring_buffer_subbuf_order_get(buffer), 0);
	assert_int_equal(ring_buffer_shrink(buffer), 0);
	assert_int_equal(ring_buffer_size(buffer, 0), 2 * 4096);
	ring_buffer_free(buffer);
}

static void test_a_resize_keeps_the_events_of_sub_buffers_of_several_pages(void **state)
{
	static const unsigned pages[] = { 64, 12, 100, 8 };
	struct tally tally = { 0 };

	(void)state;
	begin(16 * 4096, 2);
	for (unsigned i = 0; i < ARRAY_SIZE(pages); i++) {
		for (unsigned n = 0; n < 500; n++)
			write_event(THREAD);
		for (unsigned n = 0; n < 100; n++)
			assert_true(consume_one(0, &tally));
		assert_int_equal(ring_buffer_resize(buffer, pages[i] * 4096, 0), 0);
		assert_int_equal(ring_buffer_size(buffer, 0), pages[i] * 4096);
	}
	while (consume_one(0, &tally))
		;
	assert_int_equal(tally.next[THREAD], ARRAY_SIZE(pages) * 500);
	assert_int_equal(tally.read + tally.lost, ARRAY_SIZE(pages) * 500);
	assert_true(tally.read > ARRAY_SIZE(pages) * 100 && tally.lost > 0);
	ring_buffer_free(buffer);
}

static void test_an_iterator_ends_at_a_change_until_its_memory_fits(void **state)
{
	struct ring_buffer_iter *iter;
	struct ring_buffer_event *event;
	u64 ts, lost;

	(void)state;
	begin(8 * 4096, 0);
	iter = ring_buffer_read_start(buffer, 0);
	for (u8 i = 0; i < 10; i++)
		assert_true(write_filled(1000, i));
	assert_non_null(ring_buffer_iter_peek(iter, &ts, &lost));
	ring_buffer_iter_advance(iter);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 1), 0);
	assert_true(write_filled(8000, 77));
	for (u8 i = 1; i < 4; i++) { /* the rest of its copy */
		assert_non_null(ring_buffer_iter_peek(iter, &ts, &lost));
		ring_buffer_iter_advance(iter);
	}
	assert_null(ring_buffer_iter_peek(iter, &ts, &lost));
	assert_int_equal(ring_buffer_iter_fit(iter), 1);
	event = ring_buffer_iter_peek(iter, &ts, &lost);
	assert_non_null(event);
	assert_int_equal(ring_buffer_event_length(event), 8000);
	expect_filled(ring_buffer_event_data(event), 8000, 77);
	assert_int_equal(lost, 0);
	ring_buffer_iter_advance(iter);
	assert_null(ring_buffer_iter_peek(iter, &ts, &lost));
	/* Smaller sub-buffers fit. */
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 0), 0);
	assert_true(write_filled(100, 78));
	assert_non_null(ring_buffer_iter_peek(iter, &ts, &lost));
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

static void test_a_page_that_is_too_small_consumes_nothing(void **state)
{
	struct buffer_data_page *page = malloc(4 * 4096);

	(void)state;
	begin(8 * 4096, 2);
	assert_true(write_filled(9000, 5));
	assert_int_equal(ring_buffer_read_page(buffer, 0, page, 2 * 4096, false), -EMSGSIZE);
	assert_int_equal(ring_buffer_read_page(buffer, 0, page, 4 * 4096, false), 4 * 4096);
	assert_int_equal(page->commit, 9008);
	expect_filled(page->data + 8, 9000, 5);
	expect_filled(page->data + 9008, 4 * 4096 - RB_PAGE_HEADER - 9008, 0);
	assert_int_equal(ring_buffer_read_page(buffer, 0, page, 4 * 4096, false), -EAGAIN);
	free(page);
	ring_buffer_free(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_the_largest_event_fits_and_a_larger_one_is_counted_as_dropped),
		cmocka_unit_test(test_a_sub_buffer_is_filled_to_its_end),
		cmocka_unit_test(test_a_change_removes_events_and_keeps_the_size),
		cmocka_unit_test(
			test_a_resize_keeps_the_events_of_sub_buffers_of_several_pages),
		cmocka_unit_test(test_an_iterator_ends_at_a_change_until_its_memory_fits),
		cmocka_unit_test(test_a_page_that_is_too_small_consumes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
