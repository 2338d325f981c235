/*
 * The ring buffer under threads and signals: every event is read intact and in order, or counted as
 * lost. RB_EVENTS=n sets how many events the threads of all storms together try to write (default
 * 300,000; `make soak` takes 100,000,000). Signals and the clock write several more for each.
 *
 * sources: trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 * threads: tsan
 */
#define _GNU_SOURCE
#include "ring_buffer_events.h"

static u64 target_events = 300000, all_events;
#define STORMS  7
#define WRITERS 2

static u64 interrupting_clock(void)
{
	static __thread unsigned count;

	if (running == THREAD && ++count % 4 == 0)
		write_event(CLOCK_IN_THREAD);
	else if (running == CLOCK_IN_THREAD && ++count % 4 == 0)
		write_event(CLOCK_IN_CLOCK);
	return rb_default_clock();
}

static bool stop_readers;
static unsigned writers_running;
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

/*
 * Two timers interrupt each writer, at any instruction. Each handler may interrupt the other one,
 * and starts its timer again at its end. So the writer goes on however slow the machine is.
 */
static const struct {
	int signal;
	long delay_ns;
} interrupts[] = { { SIGUSR1, 10000 }, { SIGUSR2, 17000 } };
static __thread timer_t timers[ARRAY_SIZE(interrupts)];

static void start_timer(unsigned i)
{
	const struct itimerspec once = { .it_value = { .tv_nsec = interrupts[i].delay_ns } };

	timer_settime(timers[i], 0, &once, NULL);
}

static void nested_writer(int sig)
{
	unsigned i = sig == SIGUSR1 ? 0 : 1;

	write_event(i ? HANDLER2 : HANDLER1);
	start_timer(i);
}

/* Makes the timers of this thread. */
static void start_interrupts(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(interrupts); i++) {
		struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
					  .sigev_signo = interrupts[i].signal };

		event._sigev_un._tid = gettid();
		assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timers[i]), 0);
		start_timer(i);
	}
}

/* No handler runs on this thread any more. */
static void stop_interrupts(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	for (unsigned i = 0; i < ARRAY_SIZE(interrupts); i++)
		sigaddset(&mask, interrupts[i].signal);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(interrupts); i++)
		timer_delete(timers[i]);
}

/* Calm and storm in turn: in calm the readers keep up, in a storm most events are overwritten. */
static bool is_calm(u64 number)
{
	return number >> 14 & 1 && !(number & 63);
}

static void *writer_thread(void *arg)
{
	u64 count = target_events / STORMS / WRITERS;

	rb_host_cpu = (unsigned)(uintptr_t)arg;
	start_interrupts();
	for (u64 i = 0; i < count; i++) {
		write_event(THREAD);
		if (is_calm(i))
			sched_yield();
	}
	stop_interrupts();
	__atomic_fetch_sub(&writers_running, 1, __ATOMIC_RELEASE);
	return NULL;
}

struct storm {
	u32 flags;
	size_t size;
	unsigned order; /* of the sub-buffers */
	bool iterate;
	bool resize;	   /* all the time */
	bool change_order; /* all the time; this removes events without counting them */
};

/* Reads were checked. If the ring was never emptied, each event was read or counted. */
static void check_account(const struct storm *s, unsigned cpu)
{
	struct tally *t = &tallies[cpu];
	u64 total = 0, none = 0, tail = 0;
	struct ring_buffer_stats stats;

	ring_buffer_cpu_stats(buffer, cpu, &stats);
	for (unsigned level = 0; level < LEVELS; level++) {
		total += written[cpu][level];
		none += refused[cpu][level];
		tail += written[cpu][level] - t->next[level];
	}
	print_message("cpu%u: %lu written (%lu nested), %lu read, %lu lost, %lu refused\n", cpu,
		      total, total - written[cpu][THREAD], t->read, t->lost, none);
	all_events += total + none;
	assert_int_equal(stats.entries, 0);
	if (s->change_order) {
		assert_true(t->read > 0 && t->read <= total);
		return;
	}
	assert_int_equal(stats.written, total);
	assert_int_equal(t->gaps + tail, t->lost);
	assert_int_equal(t->read + t->lost, total);
	assert_int_equal(stats.overrun, t->lost);
	assert_int_equal(stats.read_events, t->read);
	assert_int_equal(stats.dropped_events + stats.commit_overrun, none);
}

static void change_ring(const struct storm *s, unsigned n)
{
	if (s->resize)
		assert_int_equal(ring_buffer_resize(buffer, 4096UL * (2 + n * 5 % 17) << s->order,
						    (int)(n % WRITERS)),
				 0);
	if (s->change_order)
		assert_int_equal(ring_buffer_subbuf_order_set(buffer, n * 3 % 4), 0);
	usleep(100);
}

static void run_storm(const struct storm *s)
{
	struct sigaction action = { .sa_handler = nested_writer };
	pthread_t writers[WRITERS], readers[WRITERS], iterators[WRITERS];

	memset(written, 0, sizeof(written));
	memset(refused, 0, sizeof(refused));
	memset(tallies, 0, sizeof(tallies));
	stop_readers = false;
	writers_running = WRITERS;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	buffer = ring_buffer_alloc(s->size, s->flags);
	assert_non_null(buffer);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, s->order), 0);
	ring_buffer_set_clock(buffer, interrupting_clock);
	for (uintptr_t i = 0; i < WRITERS; i++) {
		pthread_create(&writers[i], NULL, writer_thread, (void *)i);
		pthread_create(&readers[i], NULL, consuming_reader, (void *)i);
		if (s->iterate)
			pthread_create(&iterators[i], NULL, iterating_reader, (void *)i);
	}
	for (unsigned n = 0; (s->resize || s->change_order) &&
			     __atomic_load_n(&writers_running, __ATOMIC_ACQUIRE);
	     n++)
		change_ring(s, n);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&stop_readers, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(readers[i], NULL);
		if (s->iterate)
			pthread_join(iterators[i], NULL);
	}
	for (unsigned cpu = 0; cpu < WRITERS; cpu++)
		check_account(s, cpu);
	ring_buffer_free(buffer);
}

static void test_overwrite_storm_accounts_for_every_event(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE, .size = 4 * 4096 });
}

static void test_two_page_buffer_accounts_for_every_event(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE, .size = 4096 });
}

static void test_drop_mode_never_overwrites(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .size = 8 * 4096 });
}

static void test_iterators_see_whole_events_while_writers_run(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE, .size = 16 * 4096, .iterate = true });
}

static void test_resize_under_writers_keeps_the_account(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE, .size = 8 * 4096, .iterate = true, .resize = true });
}

static void test_sub_buffers_of_several_pages_account_for_every_event(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE,
				   .size = 12 * 4096,
				   .order = 2,
				   .iterate = true,
				   .resize = true });
}

static void test_sub_buffers_change_their_size_under_writers_and_readers(void **state)
{
	(void)state;
	run_storm(&(struct storm){ .flags = RB_FL_OVERWRITE,
				   .size = 16 * 4096,
				   .iterate = true,
				   .change_order = true });
}

static int print_total(void **state)
{
	(void)state;
	fprintf(stderr, "# %lu events, each read intact or counted as lost\n", all_events);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overwrite_storm_accounts_for_every_event),
		cmocka_unit_test(test_two_page_buffer_accounts_for_every_event),
		cmocka_unit_test(test_drop_mode_never_overwrites),
		cmocka_unit_test(test_iterators_see_whole_events_while_writers_run),
		cmocka_unit_test(test_resize_under_writers_keeps_the_account),
		cmocka_unit_test(test_sub_buffers_of_several_pages_account_for_every_event),
		cmocka_unit_test(test_sub_buffers_change_their_size_under_writers_and_readers),
	};

	if (getenv("RB_EVENTS"))
		target_events = strtoull(getenv("RB_EVENTS"), NULL, 0);
	return cmocka_run_group_tests(tests, NULL, print_total);
}
