/*
 * The ring of eBPF's ring buffers: its arithmetic, a reader that lies, and writers in threads beside a
 * reader that checks each record.
 * sources:
 * threads: tsan
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>

#include "trace/bpf/maps/ring.h"

#define SIZE 4096U

static u64 reader, producer;
static u64 memory[2 * SIZE / 8];
static struct bpf_ring ring;

static void begin(u64 position)
{
	reader = producer = position;
	memset(memory, 0, sizeof(memory));
	ring = (struct bpf_ring){ (u8 *)memory, SIZE - 1, &reader, &producer, position, 7, position };
}

/* A record, or whether there is none. */
static struct bpf_ring_record *reserve(u32 len)
{
	struct bpf_ring_record *record = bpf_ring_reserve(&ring, len);

	if (record)
		assert_int_equal(record->owner, 7);
	return record;
}

static void test_records_take_a_header_and_whole_words(void **state)
{
	(void)state;
	begin(0);
	assert_ptr_equal(reserve(0), memory);
	assert_ptr_equal(reserve(1), memory + 1);
	assert_ptr_equal(reserve(8), memory + 3);
	assert_int_equal(producer, 40);
	assert_int_equal(bpf_ring_available(&ring), 40);
}

static void test_the_ring_is_never_quite_full(void **state)
{
	(void)state;
	begin(0);
	assert_null(reserve(SIZE));
	assert_null(reserve(SIZE - 8));
	assert_non_null(reserve(SIZE - 16));
	assert_null(reserve(0));
	begin(0);
	for (u32 i = 0; i < SIZE / 16 - 1; i++)
		assert_non_null(reserve(8));
	assert_null(reserve(8));
	assert_null(reserve(0xffffffff / 4));
}

static void test_a_record_over_the_end_is_in_one_piece(void **state)
{
	struct bpf_ring_record *record;

	(void)state;
	begin(SIZE * 3 - 8);
	record = reserve(100);
	assert_ptr_equal(record, memory + SIZE / 8 - 1);
	memset(record->data, 0x55, 100); /* the second copy, which is the first one in the kernel */
	assert_true(bpf_ring_commit(&ring, record, false));
	assert_int_equal(record->len, 100);
}

static void test_the_reader_is_woken_when_it_waits_for_the_record(void **state)
{
	struct bpf_ring_record *a, *b;

	(void)state;
	begin(0);
	a = reserve(8);
	b = reserve(8);
	assert_false(bpf_ring_commit(&ring, b, false));
	assert_true(bpf_ring_commit(&ring, a, true));
	assert_int_equal(a->len, 8 | BPF_RINGBUF_DISCARD_BIT);
	assert_int_equal(b->len, 8);
}

/* The idea of CVE-2024-41009: the reader moves on over a record that is still being written. */
static void test_a_lying_reader_lets_no_writer_overwrite_another_one(void **state)
{
	struct bpf_ring_record *busy;

	(void)state;
	begin(0);
	busy = reserve(2048);
	for (u64 lie = 0; lie < 3 * SIZE; lie += 8) {
		reader = lie;
		while (reserve(1024))
			;
		assert_true(producer <= SIZE);
	}
	reader = producer + 64; /* in front of the producer, and far behind it */
	assert_null(reserve(0));
	reader = producer - 100 * SIZE;
	assert_null(reserve(0));
	assert_int_equal(busy->len, 2048 | BPF_RINGBUF_BUSY_BIT);
	bpf_ring_commit(&ring, busy, false);
	reader = producer;
	assert_null(reserve(3072)); /* the one behind it is still busy */
	assert_non_null(reserve(1024));
}

static void test_positions_may_pass_the_end_of_64_bits(void **state)
{
	(void)state;
	begin(0 - (u64)SIZE / 2);
	for (int i = 0; i < 1000; i++) {
		struct bpf_ring_record *record = reserve(40);

		assert_non_null(record);
		bpf_ring_commit(&ring, record, false);
		reader = producer;
	}
}

static void test_a_record_is_written_at_once(void **state)
{
	u64 start;

	(void)state;
	begin(0);
	assert_true(bpf_ring_write(&ring, "12345678abc", 11, &start));
	assert_true(bpf_ring_reached(&ring, start));
	assert_int_equal(bpf_ring_at(&ring, 0)->len, 11);
	assert_memory_equal(bpf_ring_at(&ring, 0)->data, "12345678abc", 11);
	assert_int_equal(ring.pending, 24);
	assert_int_equal(producer, 24);
	assert_true(bpf_ring_write(&ring, "x", 1, &start));
	assert_int_equal(start, 24);
	assert_false(bpf_ring_reached(&ring, start));
	reader = producer;
	assert_false(bpf_ring_write(&ring, memory, BPF_RING_SHORT + 1, &start));
	assert_int_equal(producer, reader);
}

/* Behind a busy record only bpf_ring_reserve() finds out how far the ring is complete. */
static void test_no_record_is_written_at_once_behind_a_busy_one(void **state)
{
	struct bpf_ring_record *busy;
	u64 start;

	(void)state;
	begin(0);
	busy = reserve(8);
	assert_false(bpf_ring_write(&ring, "x", 1, &start));
	bpf_ring_commit(&ring, busy, false);
	assert_false(bpf_ring_write(&ring, "x", 1, &start));
	bpf_ring_commit(&ring, reserve(8), false);
	assert_int_equal(ring.pending, 16);
}

static void test_a_record_that_is_written_at_once_finds_the_ring_full(void **state)
{
	u64 start, written = 0;

	(void)state;
	begin(0 - (u64)SIZE / 2);
	while (bpf_ring_write(&ring, "12345678", 8, &start))
		written++;
	assert_int_equal(written, SIZE / 16 - 1); /* a full ring would look like an empty one */
	reader += 16;
	assert_true(bpf_ring_write(&ring, "12345678", 8, &start));
	assert_false(bpf_ring_write(&ring, "12345678", 8, &start));
}

/* The reader is looked at when what it had left before is used up. */
static void test_a_reader_that_goes_on_gives_room_without_being_looked_at(void **state)
{
	u64 start;

	(void)state;
	begin(0);
	assert_true(bpf_ring_write(&ring, "12345678", 8, &start));
	assert_int_equal(ring.limit, SIZE - 1);
	reader = producer;
	assert_true(bpf_ring_write(&ring, "12345678", 8, &start));
	assert_int_equal(ring.limit, SIZE - 1);
	while (producer + 16 < SIZE)
		assert_true(bpf_ring_write(&ring, "12345678", 8, &start));
	assert_true(bpf_ring_write(&ring, "12345678", 8, &start));
	assert_int_equal(ring.limit, 16 + SIZE - 1);
	assert_false(bpf_ring_write(&ring, "12345678", 8, &start));
}

static void test_records_of_all_lengths_are_written_at_once(void **state)
{
	u8 from[BPF_RING_SHORT], *to;
	u64 start;

	(void)state;
	begin(0);
	for (u32 i = 0; i < sizeof(from); i++)
		from[i] = (u8)(i * 7 + 1);
	for (u32 len = 0; len <= BPF_RING_SHORT; len++) {
		to = bpf_ring_at(&ring, producer)->data;
		memset(to, 0, len);
		to[len] = 0xee; /* nothing behind the record is written */
		assert_true(bpf_ring_write(&ring, from, len, &start));
		assert_memory_equal(to, from, len);
		assert_int_equal(to[len], 0xee);
		reader = producer;
	}
}

/* ---- threads ---- */

#define WRITERS 3
#define RECORDS 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_records(void *arg)
{
	u64 writer = (u64)arg;

	for (u64 n = 0; n < RECORDS;) {
		u32 words = 1 + n % 5;
		struct bpf_ring_record *record;

		pthread_mutex_lock(&lock);
		record = bpf_ring_reserve(&ring, 8 * words);
		pthread_mutex_unlock(&lock);
		if (!record) {
			sched_yield(); /* to the reader: this thread may have its CPU */
			continue;
		}
		for (u32 i = 0; i < words; i++) {
			u64 at = (u64)((u64 *)record->data + i - memory) & (SIZE / 8 - 1);

			memory[at] = writer << 32 | n; /* as if both copies were one */
		}
		bpf_ring_commit(&ring, record, n % 7 == 0);
		n++;
	}
	return NULL;
}

/* Reads until all writers have written all. Returns how many were discarded. */
static u64 read_records(void)
{
	u64 next[WRITERS] = { 0 }, position = 0, discarded = 0;

	for (u64 seen = 0; seen < WRITERS * RECORDS;) {
		const struct bpf_ring_record *record = bpf_ring_at(&ring, position);
		u32 len;

		if (position == smp_load_acquire(&producer)) {
			sched_yield();
			continue;
		}
		len = smp_load_acquire(&record->len);
		if (len & BPF_RINGBUF_BUSY_BIT) {
			sched_yield();
			continue;
		}
		for (u32 i = 0; i < (len & 0xffff) / 8; i++) {
			u64 word = memory[(position / 8 + 1 + i) & (SIZE / 8 - 1)],
			    writer = word >> 32;

			assert_true(writer < WRITERS);
			assert_int_equal((u32)word, next[writer]);
			if (i == (len & 0xffff) / 8 - 1)
				next[writer]++;
		}
		discarded += !!(len & BPF_RINGBUF_DISCARD_BIT);
		position += bpf_ring_record_size(len);
		smp_store_release(&reader, position);
		seen++;
	}
	return discarded;
}

static void test_each_record_of_each_writer_arrives_once_and_whole(void **state)
{
	pthread_t threads[WRITERS];

	(void)state;
	begin(0);
	for (u64 i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_records, (void *)i), 0);
	assert_int_equal(read_records(), WRITERS * ((RECORDS + 6) / 7));
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(reader, producer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_take_a_header_and_whole_words),
		cmocka_unit_test(test_the_ring_is_never_quite_full),
		cmocka_unit_test(test_a_record_over_the_end_is_in_one_piece),
		cmocka_unit_test(test_the_reader_is_woken_when_it_waits_for_the_record),
		cmocka_unit_test(test_a_lying_reader_lets_no_writer_overwrite_another_one),
		cmocka_unit_test(test_a_record_is_written_at_once),
		cmocka_unit_test(test_no_record_is_written_at_once_behind_a_busy_one),
		cmocka_unit_test(test_a_record_that_is_written_at_once_finds_the_ring_full),
		cmocka_unit_test(test_a_reader_that_goes_on_gives_room_without_being_looked_at),
		cmocka_unit_test(test_records_of_all_lengths_are_written_at_once),
		cmocka_unit_test(test_positions_may_pass_the_end_of_64_bits),
		cmocka_unit_test(test_each_record_of_each_writer_arrives_once_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
