/*
 * Rings that programs map: ids of sub-buffers, what the reader is told, and what cannot change meanwhile.
 *
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c trace/ring_buffer/map.c
 */
#define _GNU_SOURCE
#include "test.h"

#include "kernel/errno.h"
#include "trace/ring_buffer/map.h"
#include "trace/ring_buffer/write.h"

#define SIZE  (3 * 4096)
#define EVENT 1000 /* bytes: four in a sub-buffer */

__thread unsigned rb_host_cpu, rb_host_reads;
__thread bool rb_host_irqs_off;

static struct trace_buffer *buffer;
static struct ring_buffer_per_cpu *cb;

static int allocate(void **state)
{
	(void)state;
	rb_host_cpu = 0;
	buffer = ring_buffer_alloc(SIZE, RB_FL_OVERWRITE);
	cb = ring_buffer_map(buffer, 0, 0, 1);
	return buffer && !IS_ERR(cb) ? 0 : -1;
}

static int release(void **state)
{
	(void)state;
	ring_buffer_unmap(cb);
	ring_buffer_free(buffer);
	return 0;
}

static void write_events(unsigned count)
{
	while (count--) {
		assert_non_null(ring_buffer_lock_reserve(buffer, EVENT));
		ring_buffer_unlock_commit(buffer);
	}
}

static struct trace_buffer_meta *meta(void)
{
	return ring_buffer_mapped_page(cb, 0);
}

/* The reader's sub-buffer, as the program finds it. */
static struct buffer_data_page *reader(void)
{
	return ring_buffer_mapped_page(cb, 1 + meta()->reader.id);
}

static void test_an_area_ends_with_the_last_sub_buffer(void **state)
{
	(void)state;
	assert_int_equal(meta()->nr_subbufs, 4);
	assert_int_equal(PTR_ERR(ring_buffer_map(buffer, 0, 5, 1)), -EINVAL);
	assert_int_equal(PTR_ERR(ring_buffer_map(buffer, 0, 1, 5)), -EINVAL);
	assert_int_equal(PTR_ERR(ring_buffer_map(buffer, 0, ~0UL, 2)), -EINVAL);
	assert_ptr_equal(ring_buffer_map(buffer, 0, 1, 4), cb);
	ring_buffer_unmap(cb);
}

static void test_the_reader_gets_what_is_new(void **state)
{
	(void)state;
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->reader.id, 0);
	write_events(1);
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->reader.id, 1);
	assert_int_equal(meta()->read, 1);
	assert_int_equal(reader()->commit, meta()->reader.read);
	write_events(1);
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->reader.id, 1);
	assert_int_equal(meta()->read, 2);
	assert_int_equal(ring_buffer_map_get_reader(buffer, 1), -ENODEV);
}

static void test_lost_events_are_told_behind_the_data(void **state)
{
	u64 stored;

	(void)state;
	write_events(16); /* one sub-buffer more than the ring has */
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->overrun, 4);
	assert_int_equal(meta()->reader.lost_events, 4);
	assert_int_equal(reader()->commit, meta()->reader.read | RB_MISSED_EVENTS | RB_MISSED_STORED);
	memcpy(&stored, reader()->data + meta()->reader.read, sizeof(stored));
	assert_int_equal(stored, 4);
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->reader.lost_events, 0);
	assert_int_equal(reader()->commit, meta()->reader.read);
}

static void test_a_mapped_ring_keeps_its_size_and_others_do_not(void **state)
{
	(void)state;
	assert_int_equal(ring_buffer_resize(buffer, 2 * SIZE, 0), -EBUSY);
	assert_int_equal(ring_buffer_resize(buffer, 2 * SIZE, RING_BUFFER_ALL_CPUS), -EBUSY);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 1), -EBUSY);
	assert_int_equal(ring_buffer_size(buffer, 1), SIZE);
	assert_int_equal(ring_buffer_resize(buffer, 2 * SIZE, 1), 0);
	ring_buffer_map_dup(cb);
	ring_buffer_unmap(cb);
	assert_int_equal(ring_buffer_resize(buffer, 2 * SIZE, 0), -EBUSY);
	ring_buffer_unmap(cb);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 1), 0);
	assert_int_equal(PTR_ERR(ring_buffer_map(buffer, 0, 1, 1)), -EINVAL); /* half of the page of numbers */
	assert_ptr_equal(ring_buffer_map(buffer, 0, 0, 8), cb);
}

static void test_a_reset_changes_the_numbers(void **state)
{
	(void)state;
	write_events(5);
	assert_int_equal(ring_buffer_map_get_reader(buffer, 0), 0);
	assert_int_equal(meta()->entries, 5);
	ring_buffer_reset(buffer);
	assert_int_equal(meta()->entries, 0);
	assert_int_equal(meta()->read, 0);
	assert_int_equal(meta()->reader.id, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_area_ends_with_the_last_sub_buffer, allocate, release),
		cmocka_unit_test_setup_teardown(test_the_reader_gets_what_is_new, allocate, release),
		cmocka_unit_test_setup_teardown(test_lost_events_are_told_behind_the_data, allocate, release),
		cmocka_unit_test_setup_teardown(test_a_mapped_ring_keeps_its_size_and_others_do_not, allocate, release),
		cmocka_unit_test_setup_teardown(test_a_reset_changes_the_numbers, allocate, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
