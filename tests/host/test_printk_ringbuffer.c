/*
 * The ring of kernel messages: readers get whole records in order, also with several writing threads.
 * sources: kernel/printk/printk_ringbuffer.c
 */
#include <pthread.h>

#include "test.h"

#include "kernel/printk/printk_ringbuffer.h"

static struct printk_ringbuffer *rb;

static int setup(void **state)
{
	(void)state;
	rb = calloc(1, sizeof(*rb));
	return !rb;
}

static int teardown(void **state)
{
	(void)state;
	free(rb);
	return 0;
}

/* Text number n. n determines its length and bytes. */
static size_t make_text(unsigned n, char text[PRB_TEXT_MAX])
{
	size_t len = (n * 37U) % (PRB_TEXT_MAX + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + (n + i) % 26);
	return len;
}

static void test_records_come_back_in_order_with_all_they_had(void **state)
{
	char text[PRB_TEXT_MAX];
	struct printk_record r;
	u64 seq = 0, lost = 0;

	(void)state;
	for (unsigned n = 0; n < 200; n++)
		assert_true(prb_write(rb, n * 10, n * 1000, n % 5, text, make_text(n, text)));
	for (unsigned n = 0; n < 200; n++) {
		assert_true(prb_read_next(rb, &seq, &r, &lost));
		assert_int_equal(r.len, make_text(n, text));
		assert_memory_equal(r.text, text, r.len);
		assert_int_equal(r.prio, n * 10);
		assert_int_equal(r.ts_nsec, n * 1000);
		assert_int_equal(r.cpu, n % 5);
		seq = r.next_seq;
	}
	assert_false(prb_read_next(rb, &seq, &r, &lost));
	assert_int_equal(lost, 0);
}

static void test_a_reader_that_falls_behind_goes_on_at_a_whole_record(void **state)
{
	char text[PRB_TEXT_MAX];
	struct printk_record r;
	u64 seq = 0, lost = 0;
	unsigned n = 0;

	(void)state;
	for (; n < 5000; n++)
		assert_true(prb_write(rb, 6, n, 0, text, make_text(n, text)));
	assert_true(prb_read_next(rb, &seq, &r, &lost));
	assert_true(lost > 0);
	for (n = (unsigned)r.ts_nsec; n < 5000; n++) {
		assert_true(prb_read_next(rb, &seq, &r, NULL));
		assert_int_equal(r.ts_nsec, n);
		assert_int_equal(r.len, make_text(n, text));
		assert_memory_equal(r.text, text, r.len);
		seq = r.next_seq;
	}
	assert_int_equal(seq, prb_next_seq(rb));
}

static void test_a_slot_still_being_written_is_never_taken(void **state)
{
	struct printk_record r;
	u64 seq = 3;

	(void)state;
	for (unsigned n = 0; n < PRB_SLOTS; n++)
		assert_true(prb_write(rb, 6, n, 0, "x", 1));
	/* The writer of number PRB_SLOTS + 3 has been stopped before it commits. */
	for (unsigned n = 0; n < 3; n++)
		assert_true(prb_write(rb, 6, n, 0, "y", 1));
	rb->slots[3].state = (PRB_SLOTS + 3 + 1) * 2;
	rb->next++;
	for (unsigned n = 4; n < PRB_SLOTS + 3; n++)
		assert_true(prb_write(rb, 6, n, 0, "z", 1));
	assert_false(prb_write(rb, 6, 0, 0, "dropped", 7));
	assert_int_equal(rb->dropped, 1);
	seq = PRB_SLOTS + 3;
	assert_int_equal(prb_read(rb, seq, &r), PRB_EMPTY);
	assert_int_equal(prb_read(rb, seq + 1, &r), PRB_OK);
}

#define WRITERS  4
#define MESSAGES 20000U

static bool writers_done;

static void *writer(void *arg)
{
	unsigned cpu = (unsigned)(uintptr_t)arg;
	char text[PRB_TEXT_MAX];

	for (unsigned n = 0; n < MESSAGES; n++)
		while (!prb_write(rb, 6, n, cpu, text, make_text(n * WRITERS + cpu, text)))
			;
	return NULL;
}

static void *reader(void *unused)
{
	unsigned next[WRITERS] = { 0 };
	char text[PRB_TEXT_MAX];
	struct printk_record r;
	u64 seq = 0, lost = 0;
	long bad = 0;

	(void)unused;
	while (!bad) {
		bool done = __atomic_load_n(&writers_done, __ATOMIC_ACQUIRE);

		if (!prb_read_next(rb, &seq, &r, &lost)) {
			if (done)
				break;
			continue;
		}
		seq = r.next_seq;
		bad += r.cpu >= WRITERS || r.ts_nsec < next[r.cpu % WRITERS];
		bad += r.len != make_text((unsigned)r.ts_nsec * WRITERS + r.cpu, text) ||
		       memcmp(r.text, text, r.len);
		next[r.cpu % WRITERS] = (unsigned)r.ts_nsec + 1;
	}
	return (void *)(intptr_t)bad;
}

static void test_threads_write_and_read_and_no_record_is_torn(void **state)
{
	pthread_t writers[WRITERS], readers[2];
	void *bad;

	(void)state;
	for (uintptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, reader, NULL), 0);
	for (uintptr_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&writers[i], NULL, writer, (void *)i), 0);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&writers_done, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(readers[i], &bad);
		assert_null(bad);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_records_come_back_in_order_with_all_they_had),
		TEST(test_a_reader_that_falls_behind_goes_on_at_a_whole_record),
		TEST(test_a_slot_still_being_written_is_never_taken),
		TEST(test_threads_write_and_read_and_no_record_is_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
