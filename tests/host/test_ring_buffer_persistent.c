/*
 * A ring buffer in memory that survives a reboot: a second ring_buffer_alloc_range() of the same
 * area is the next boot. Bits that flip between the boots never crash it, and never change an
 * event of a full sub-buffer without being counted.
 *
 * sources: trace/ring_buffer/persistent.c trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 */
#define _GNU_SOURCE
#include "test.h"

#include "kernel/errno.h"
#include "trace/ring_buffer/internal.h"



#define AREA_SIZE (512UL << 10)
#define KEY       0x1234UL

__thread unsigned rb_host_cpu;
__thread unsigned rb_host_reads;
__thread bool rb_host_irqs_off;

static u8 *area, *copy;
static u64 now;

struct payload {
	u64 number, check;
};

static u64 clock_of_test(void)
{
	return now += 100;
}

static bool any_valid(const void *payload, size_t length)
{
	const u8 *p = payload;
	u8 sum = 0;

	for (size_t i = 0; i < length; i++)
		sum ^= p[i]; /* ASan sees a payload that is not in the area */
	return sum || true;
}

static bool odd_valid(const void *payload, size_t length __unused)
{
	struct payload p;

	memcpy(&p, payload, sizeof(p));
	return p.number % 2;
}

static struct trace_buffer *boot_with(u64 key, size_t size, ring_buffer_valid_t valid,
				      struct ring_buffer_recovery *found)
{
	struct trace_buffer *buffer =
		ring_buffer_alloc_range(area, size, key, RB_FL_OVERWRITE, valid, found);

	assert_non_null(buffer);
	ring_buffer_set_clock(buffer, clock_of_test);
	return buffer;
}

static struct trace_buffer *boot(struct ring_buffer_recovery *found)
{
	return boot_with(KEY, AREA_SIZE, any_valid, found);
}

static void write_events(struct trace_buffer *buffer, unsigned cpu, u64 first, u64 count)
{
	rb_host_cpu = cpu;
	for (u64 i = first; i < first + count; i++) {
		struct payload p = { i, ~i };
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, sizeof(p));

		memcpy(ring_buffer_event_data(event), &p, sizeof(p));
		ring_buffer_unlock_commit(buffer);
	}
}

/* Reads all events of a CPU: they must be whole and rise. Returns their number; *last: the last. */
static u64 read_events(struct trace_buffer *buffer, unsigned cpu, u64 *last, u64 *all_lost)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, cpu);
	struct ring_buffer_event *event;
	u64 ts, lost, count = 0, before = 0;

	*all_lost = 0;
	while ((event = ring_buffer_iter_peek(iter, &ts, &lost))) {
		struct payload p;

		memcpy(&p, ring_buffer_event_data(event), sizeof(p));
		assert_int_equal(p.check, ~p.number);
		assert_true(!count || p.number > before);
		assert_true(!count || p.number - before == lost + 1);
		*all_lost += lost;
		*last = before = p.number;
		count++;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
	return count;
}

static void new_area(void)
{
	free(area);
	area = aligned_alloc(4096, AREA_SIZE);
	memset(area, 0xa5, AREA_SIZE);
}

/* Leaves an area in which CPU 0 has overwritten its ring, and CPU 1 has a few events. */
static void crash(void)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;

	new_area();
	buffer = boot(&found);
	assert_int_equal(found.previous, RB_PREVIOUS_NONE);
	write_events(buffer, 0, 1, 20000);
	write_events(buffer, 1, 1, 10);
	ring_buffer_free(buffer);
}

static void test_the_next_boot_reads_the_events_of_the_last_one(void **state __unused)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;
	u64 last, lost, count;

	crash();
	for (unsigned boots = 0; boots < 3; boots++) {
		buffer = boot(&found);
		assert_int_equal(found.previous, RB_PREVIOUS_KEPT);
		assert_int_equal(found.damaged, 0);
		count = read_events(buffer, 0, &last, &lost);
		assert_int_equal(last, 20000);
		assert_int_equal(lost, 0);
		assert_int_equal(read_events(buffer, 1, &last, &lost), 10);
		assert_int_equal(last, 10);
		assert_int_equal(found.events, count + 10);
		assert_int_equal(read_events(buffer, 2, &last, &lost), 0);
		ring_buffer_free(buffer);
	}
}

static void test_a_page_that_a_reader_holds_is_kept(void **state __unused)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;
	u64 last, lost, ts;
	struct payload p;

	crash();
	buffer = boot(&found);
	assert_int_equal(ring_buffer_consume(buffer, 1, &p, sizeof(p), &ts, &lost), sizeof(p));
	assert_int_equal(ring_buffer_consume(buffer, 0, &p, sizeof(p), &ts, &lost), sizeof(p));
	write_events(buffer, 0, 20001, 3000); /* every slot is full, and the reader has a page */
	ring_buffer_free(buffer);
	buffer = boot(&found);
	assert_int_equal(found.damaged, 0);
	assert_int_equal(read_events(buffer, 1, &last, &lost), 10);
	assert_true(read_events(buffer, 0, &last, &lost) > 1000);
	assert_int_equal(last, 23000);
	write_events(buffer, 0, 23001, 1);
	read_events(buffer, 0, &last, &lost);
	assert_int_equal(last, 23001);
	ring_buffer_free(buffer);
}

static void test_a_buffer_of_another_kernel_or_size_is_not_read(void **state __unused)
{
	struct ring_buffer_recovery found;

	crash();
	ring_buffer_free(boot_with(KEY + 1, AREA_SIZE, any_valid, &found));
	assert_int_equal(found.previous, RB_PREVIOUS_OTHER_KEY);
	assert_int_equal(found.events, 0);
	ring_buffer_free(boot_with(KEY + 1, AREA_SIZE / 2, any_valid, &found));
	assert_int_equal(found.previous, RB_PREVIOUS_OTHER_SHAPE);
	assert_null(ring_buffer_alloc_range(area, 4 * 4096, KEY, 0, any_valid, &found));
}

static void test_events_that_are_not_valid_are_hidden(void **state __unused)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;
	u64 ts, lost, count = 0;
	struct payload p;

	crash();
	buffer = boot_with(KEY, AREA_SIZE, odd_valid, &found);
	assert_int_equal(found.damaged, 0);
	while (ring_buffer_consume(buffer, 1, &p, sizeof(p), &ts, &lost) > 0) {
		assert_int_equal(p.number % 2, 1);
		count++;
	}
	assert_int_equal(count, 5);
	assert_true(found.hidden >= 5);
	ring_buffer_free(buffer);
}

static void test_the_size_cannot_change(void **state __unused)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer;

	crash();
	buffer = boot(&found);
	assert_int_equal(ring_buffer_resize(buffer, 1 << 20, RING_BUFFER_ALL_CPUS), -EBUSY);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 1), -EBUSY);
	assert_int_equal(ring_buffer_subbuf_size_get(buffer), 4096);
	ring_buffer_free(buffer);
}

/* Reads and writes what flips have left: events may be any, but readers must come to an end. */
static void use(struct trace_buffer *buffer)
{
	u64 ts, lost;

	for (unsigned cpu = 0; cpu < RB_HOST_CPUS; cpu++) {
		struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, cpu);
		struct ring_buffer_stats stats;
		u64 count = 0;

		while (ring_buffer_iter_peek(iter, &ts, &lost)) {
			ring_buffer_iter_advance(iter);
			assert_true(++count < AREA_SIZE);
		}
		ring_buffer_read_finish(iter);
		ring_buffer_cpu_stats(buffer, cpu, &stats);
		write_events(buffer, cpu, 1, 400);
	}
}

static void test_flipped_bits_never_crash_and_damaged_pages_are_counted(void **state __unused)
{
	struct ring_buffer_recovery clean, found;
	struct trace_buffer *buffer;
	unsigned rounds = tries(3000);
	u64 counted = 0;

	crash();
	copy = malloc(AREA_SIZE);
	memcpy(copy, area, AREA_SIZE);
	ring_buffer_free(boot(&clean));
	srandom(1);
	for (unsigned i = 0; i < rounds; i++) {
		unsigned flips = 1 + (unsigned)random() % 8;

		memcpy(area, copy, AREA_SIZE);
		while (flips--) /* half of them where the numbers are */
			area[(unsigned long)random() % (flips % 2 ? AREA_SIZE : 8192)] ^=
				(u8)(1U << random() % 8);
		buffer = boot(&found);
		assert_true(found.pages <= clean.pages + 1);
		counted += found.previous == RB_PREVIOUS_KEPT && found.damaged;
		use(buffer);
		ring_buffer_free(buffer);
	}
	assert_true(counted > rounds / 4);
	free(copy);
}

static void test_each_flipped_bit_of_a_full_page_is_found(void **state __unused)
{
	struct ring_buffer_recovery clean, found;
	u8 *full;

	crash();
	copy = malloc(AREA_SIZE);
	memcpy(copy, area, AREA_SIZE);
	ring_buffer_free(boot(&clean));
	/* The middle of CPU 0's pages; the sub-buffer of commit is where 20,000 events end. */
	full = area + 64 * 1024;
	for (unsigned bit = 0; bit < 8 * 64; bit++) {
		memcpy(area, copy, AREA_SIZE);
		full[24 + bit / 8] ^= (u8)(1U << bit % 8);
		ring_buffer_free(boot(&found));
		assert_int_equal(found.damaged, 1);
		assert_int_equal(found.pages, clean.pages - 1);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_boot_reads_the_events_of_the_last_one),
		cmocka_unit_test(test_a_page_that_a_reader_holds_is_kept),
		cmocka_unit_test(test_a_buffer_of_another_kernel_or_size_is_not_read),
		cmocka_unit_test(test_events_that_are_not_valid_are_hidden),
		cmocka_unit_test(test_the_size_cannot_change),
		cmocka_unit_test(test_flipped_bits_never_crash_and_damaged_pages_are_counted),
		cmocka_unit_test(test_each_flipped_bit_of_a_full_page_is_found),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(area);
	return failed;
}
