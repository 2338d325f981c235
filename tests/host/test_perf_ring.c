/*
 * The ring of perf's buffers: writers that interrupt each other, here as handlers of signals, a reader, and a reader that lies.
 * sources: trace/perf/buffer.c
 */
#define _GNU_SOURCE
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "trace/perf/buffer.h"

#define LOST_SIZE 32U

struct record {
	struct perf_event_header header;
	u64 writer, number, rest[];
};

/* A ring of `size` bytes, with its data mapped twice and a guard page behind. */
static void make_ring(struct perf_ring *ring, size_t size, bool overwrite, bool backward)
{
	int fd = memfd_create("ring", 0);
	u8 *data = mmap(NULL, 2 * size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	for (int copy = 0; copy < 2; copy++)
		assert_ptr_not_equal(mmap(data + (size_t)copy * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), MAP_FAILED);
	close(fd);
	*ring = (struct perf_ring){ .data = data, .size = size, .overwrite = overwrite, .backward = backward, .watermark = size / 2 };
	ring->user = calloc(1, sizeof(*ring->user));
}

static void free_ring(struct perf_ring *ring)
{
	munmap(ring->data, 2 * ring->size + 4096);
	free(ring->user);
}

static struct perf_ring ring;
static volatile u64 written[3], refused[3], told; /* by depth; records that LOST records have told */

/* A record of this depth, of a size that depends on its number. */
static void write_record(unsigned depth)
{
	u64 number = written[depth] + refused[depth];
	u32 size = 24 + 8 * (u32)(number * 7 % 40);
	struct perf_room room;
	struct record *record;

	if (!perf_ring_begin(&ring, &room, size, LOST_SIZE)) {
		refused[depth]++;
		perf_ring_end(&ring, 0);
		return;
	}
	if (room.lost) {
		struct record *lost = room.lost;

		lost->header = (struct perf_event_header){ .type = PERF_RECORD_LOST, .size = LOST_SIZE };
		lost->number = room.lost_count;
	}
	record = room.record;
	record->header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .misc = (u16)depth, .size = (u16)size };
	record->writer = depth;
	record->number = number;
	for (u32 i = 0; i < size / 8 - 3; i++)
		record->rest[i] = number ^ i;
	written[depth]++;
	perf_ring_end(&ring, 5);
}

static volatile unsigned interrupts;
static volatile bool last_interrupt; /* no other one follows */

/* The next interrupt comes after the writer has gone on for a time that differs. */
static void start_timer(void)
{
	struct itimerval once = { .it_value = { 0, 100 + rand() % 100 } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static void interrupt(int signal)
{
	(void)signal;
	interrupts++;
	for (int i = 0; i < 3; i++)
		write_record(1);
	raise(SIGUSR1); /* the NMI in the middle of it */
	write_record(1);
	if (!last_interrupt)
		start_timer();
}

static void nmi(int signal)
{
	(void)signal;
	write_record(2);
}

static volatile bool done;
static u64 seen[3], broken;

/* What a program does: reads all records up to data_head, and gives the room back. */
static void read_all(void)
{
	u64 tail = ring.user->data_tail, head = __atomic_load_n(&ring.user->data_head, __ATOMIC_ACQUIRE);

	while (tail < head) {
		const struct record *record = (const void *)(ring.data + tail % ring.size);
		u32 size = record->header.size;

		if (size < 24 || size % 8 || tail + size > head) {
			broken++;
			break;
		}
		if (record->header.type == PERF_RECORD_LOST) {
			told += record->number;
		} else if (record->writer > 2) {
			broken++;
		} else {
			seen[record->writer]++;
			for (u32 i = 0; i < size / 8 - 3; i++)
				broken += record->rest[i] != (record->number ^ i);
		}
		tail += size;
	}
	__atomic_store_n(&ring.user->data_tail, tail, __ATOMIC_RELEASE);
}

static void *reader(void *unused)
{
	while (!done)
		read_all();
	return unused;
}

static void test_each_record_of_nested_writers_is_whole_or_told_as_lost(void **state)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	sigset_t signals, old;
	pthread_t thread;

	(void)state;
	make_ring(&ring, 8192, false, false);
	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	signal(SIGALRM, interrupt);
	signal(SIGUSR1, nmi);
	pthread_sigmask(SIG_BLOCK, &signals, &old);
	assert_int_equal(pthread_create(&thread, NULL, reader, NULL), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	start_timer();
	while (interrupts < 2000 || refused[0] < 100)
		write_record(0);
	last_interrupt = true; /* one may still come: it does not start the timer again */
	setitimer(ITIMER_REAL, &never, NULL);
	done = true;
	pthread_join(thread, NULL);
	read_all();
	write_record(0); /* tells the last losses */
	read_all();
	assert_int_equal(broken, 0);
	assert_int_equal(ring.nest, 0);
	for (int depth = 0; depth < 3; depth++)
		assert_int_equal(seen[depth], written[depth]);
	assert_int_equal(told, refused[0] + refused[1] + refused[2]);
	assert_int_equal(ring.user->data_head, ring.head);
	free_ring(&ring);
}

/* The ring must write nothing outside of itself, whatever data_tail is: ASan and the guard page watch. */
static void test_no_tail_makes_a_record_leave_the_ring(void **state)
{
	(void)state;
	for (int round = 0; round < 8; round++) {
		make_ring(&ring, 4096, round & 1, round & 2);
		for (u64 n = 0; n < 20000; n++) {
			u64 head = ring.head;
			u32 size = 8 + 8 * (u32)(n * n % 9000);
			struct perf_room room;

			ring.user->data_tail = n % 4 == 0 ? head + size : n % 4 == 1 ? head - size : n % 4 == 2 ? n * 0x9e3779b97f4a7c15 : head;
			if (perf_ring_begin(&ring, &room, size, LOST_SIZE)) {
				assert_true(size <= 4096);
				assert_in_range((u8 *)room.record - ring.data, 0, 2 * 4096 - size);
				memset(room.record, 0xff, size);
				if (room.lost)
					memset(room.lost, 0xff, LOST_SIZE);
			}
			perf_ring_end(&ring, 0);
		}
		assert_int_equal(ring.nest, 0);
		free_ring(&ring);
	}
}

/* The newest record is at data_head, and the older ones follow it. */
static void test_backward_ring_keeps_the_newest_records(void **state)
{
	u64 number;

	(void)state;
	memset((void *)written, 0, sizeof(written));
	memset((void *)refused, 0, sizeof(refused));
	make_ring(&ring, 4096, true, true);
	for (int i = 0; i < 1000; i++)
		write_record(0);
	assert_int_equal(refused[0], 0);
	number = written[0];
	for (u64 at = ring.user->data_head, used = 0;;) {
		const struct record *record = (const void *)(ring.data + at % ring.size);

		used += record->header.size;
		if (used > ring.size)
			break;
		assert_int_equal(record->number, --number);
		at += record->header.size;
	}
	assert_true(number < written[0] - 8);
	free_ring(&ring);
}

static void test_paused_ring_loses_and_tells_it(void **state)
{
	(void)state;
	make_ring(&ring, 4096, false, false);
	write_record(0);
	ring.paused = true;
	write_record(0);
	write_record(0);
	ring.paused = false;
	told = 0;
	write_record(0);
	read_all();
	assert_int_equal(told, 2);
	free_ring(&ring);
}

/* Every fifth sample, or each half of the ring. */
static void test_readers_are_woken_by_number_or_by_bytes(void **state)
{
	struct perf_room room;
	unsigned wakes = 0;

	(void)state;
	make_ring(&ring, 4096, true, false);
	ring.watermark = 1 << 30;
	for (int i = 0; i < 100; i++) {
		assert_true(perf_ring_begin(&ring, &room, 64, LOST_SIZE));
		wakes += perf_ring_end(&ring, 5);
	}
	assert_int_equal(wakes, 20);
	ring.watermark = 2048;
	ring.woken = ring.head;
	wakes = 0;
	for (int i = 0; i < 320; i++) {
		assert_true(perf_ring_begin(&ring, &room, 64, LOST_SIZE));
		wakes += perf_ring_end(&ring, 0);
	}
	assert_int_equal(wakes, 10);
	free_ring(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_record_of_nested_writers_is_whole_or_told_as_lost),
		cmocka_unit_test(test_no_tail_makes_a_record_leave_the_ring),
		cmocka_unit_test(test_backward_ring_keeps_the_newest_records),
		cmocka_unit_test(test_paused_ring_loses_and_tells_it),
		cmocka_unit_test(test_readers_are_woken_by_number_or_by_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
