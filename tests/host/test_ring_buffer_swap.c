/*
 * Parts that two buffers exchange: ring_buffer_swap_this_cpu(), and the readers of the two buffers.
 *
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c trace/ring_buffer/swap.c
 */
#define _GNU_SOURCE
#include "test.h"

#include "trace/ring_buffer/write.h"

#define SIZE (8 * 4096)

__thread unsigned rb_host_cpu, rb_host_reads;
__thread bool rb_host_irqs_off;

static struct trace_buffer *buffer, *other;

static int allocate(void **state)
{
	(void)state;
	rb_host_cpu = 0;
	buffer = ring_buffer_alloc(SIZE, RB_FL_OVERWRITE);
	other = ring_buffer_alloc(SIZE, RB_FL_OVERWRITE);
	return buffer && other ? 0 : -1;
}

static int release(void **state)
{
	(void)state;
	ring_buffer_free(buffer);
	ring_buffer_free(other);
	return 0;
}

static void write_byte(u8 byte)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, 1);

	assert_non_null(event);
	*(u8 *)ring_buffer_event_data(event) = byte;
	ring_buffer_unlock_commit(buffer);
}

/* The byte of the next event, or -1: there is none. */
static int next_byte(struct ring_buffer_iter *iter)
{
	u64 ts, lost;
	struct ring_buffer_event *event = ring_buffer_iter_peek(iter, &ts, &lost);
	int byte = event ? *(u8 *)ring_buffer_event_data(event) : -1;

	if (event)
		ring_buffer_iter_advance(iter);
	return byte;
}

static void test_events_move_with_their_part(void **state)
{
	(void)state;
	write_byte(1);
	assert_true(ring_buffer_swap_this_cpu(buffer, other));
	assert_true(ring_buffer_empty_cpu(buffer, 0));
	assert_false(ring_buffer_empty_cpu(other, 0));
}

static void test_parts_with_sub_buffers_of_two_sizes_are_not_exchanged(void **state)
{
	(void)state;
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 1), 0);
	write_byte(1);
	assert_false(ring_buffer_swap_this_cpu(buffer, other));
	assert_false(ring_buffer_empty_cpu(buffer, 0));
	assert_int_equal(ring_buffer_subbuf_order_set(other, 1), 0);
	assert_true(ring_buffer_swap_this_cpu(buffer, other));
	assert_true(ring_buffer_empty_cpu(buffer, 0));
}

static void test_a_reset_iterator_reads_what_is_in_its_buffer_now(void **state)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0);

	(void)state;
	assert_non_null(iter);
	write_byte(1);
	assert_true(ring_buffer_swap_this_cpu(buffer, other));
	write_byte(2);
	ring_buffer_iter_reset(iter);
	assert_int_equal(next_byte(iter), 2);
	assert_int_equal(next_byte(iter), -1);
	assert_true(ring_buffer_swap_this_cpu(buffer, other));
	ring_buffer_iter_reset(iter);
	assert_int_equal(next_byte(iter), 1);
	assert_int_equal(next_byte(iter), -1);
	ring_buffer_read_finish(iter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events_move_with_their_part, allocate,
						release),
		cmocka_unit_test_setup_teardown(
			test_parts_with_sub_buffers_of_two_sizes_are_not_exchanged, allocate,
			release),
		cmocka_unit_test_setup_teardown(
			test_a_reset_iterator_reads_what_is_in_its_buffer_now, allocate, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
