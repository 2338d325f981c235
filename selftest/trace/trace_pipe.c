/*
 * Self-tests of trace_pipe and trace_pipe_raw: when a reader sleeps, what wakes it, and which data
 * it gets. The tests run on CPU 0 and write their events there.
 */
#include "arch/cpu/irqflags.h"
#include "arch/irq/traps.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/signal.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/snapshot.h"
#include "trace/core/trace_array.h"
#include "trace/core/trace_printk.h"

#define PIPE     "/sys/kernel/tracing/trace_pipe"
#define CPU_PIPE "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe"
#define RAW      "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"
#define PAGES    8U /* of CPU 0's buffer */

/* Sets: an empty buffer of PAGES sub-buffers, recording on, this task bound to CPU 0. */
static bool begin(unsigned percent)
{
	struct cpumask here = { { 1 } };
	bool ok;

	mutex_lock(&trace_types_lock);
	ok = tracing_resize(&global_trace, PAGES * PAGE_SIZE, RING_BUFFER_ALL_CPUS) == 0;
	tracing_set_on(&global_trace, true);
	tracing_reset_online_cpus(&global_trace);
	global_trace.buffer_percent = percent;
	mutex_unlock(&trace_types_lock);
	return ok && set_cpus_allowed(current, &here) == 0;
}

static void end(void)
{
	mutex_lock(&trace_types_lock);
	tracing_set_on(&global_trace, true);
	tracing_reset_online_cpus(&global_trace);
	global_trace.buffer_percent = 50;
	mutex_unlock(&trace_types_lock);
	set_cpus_allowed(current, &cpu_possible_mask);
}

static void set_on(bool on)
{
	mutex_lock(&trace_types_lock);
	tracing_set_on(&global_trace, on);
	mutex_unlock(&trace_types_lock);
}

static void unread(struct ring_buffer_stats *stats)
{
	ring_buffer_cpu_stats(global_trace.buffer, 0, stats);
}

/*
 * Writes events until this many whole sub-buffers wait to be read. Each event has 8 bytes or more.
 */
static void fill_pages(unsigned pages)
{
	struct ring_buffer_stats stats;

	do {
		trace_puts("event\n");
		unread(&stats);
	} while (stats.bytes < pages * RB_PAGE_DATA);
}

/* ---- a task that reads once ---- */

struct reader {
	struct task_struct *task;
	const char *path;
	char *buf;
	long result;
	bool done;
};

static int read_once(void *data)
{
	struct reader *r = data;
	long fd = sys_open(r->path, O_RDONLY, 0);

	r->result = fd < 0 ? fd : sys_read((int)fd, r->buf, PAGE_SIZE);
	if (fd >= 0)
		sys_close((int)fd);
	WRITE_ONCE(r->done, true);
	return 0;
}

/* The reader sets its state first. It sleeps when it has left its run queue and its CPU. */
static bool is_asleep(struct reader *r)
{
	return READ_ONCE(r->task->state) == TASK_INTERRUPTIBLE && !READ_ONCE(r->task->on_rq) &&
	       !READ_ONCE(r->task->on_cpu);
}

/* Starts the reader, and waits until it sleeps. */
static bool start_reader(struct reader *r, const char *path)
{
	*r = (struct reader){ .path = path, .buf = get_free_page(GFP_KERNEL | __GFP_ZERO) };
	if (!r->buf)
		return false;
	r->task = find_get_task_by_pid(kernel_thread(read_once, r, "pipe_reader"));
	if (!r->task)
		return false;
	while (!is_asleep(r) && !READ_ONCE(r->done))
		msleep(1);
	return true;
}

/* Waits until the reader ends. Returns the result of its read. The caller frees the page. */
static long join_reader(struct reader *r)
{
	kernel_wait4(r->task->pid, NULL, 0);
	put_task_struct(r->task);
	return r->result;
}

/*
 * Returns true if the reader sleeps without a single wakeup meanwhile. An event of before may have
 * woken it: it sleeps again first.
 */
static bool stays_asleep(struct reader *r)
{
	u64 switches;

	do
		msleep(20);
	while (!is_asleep(r) && !READ_ONCE(r->done));
	switches = READ_ONCE(r->task->nvcsw);
	msleep(100);
	return is_asleep(r) && !READ_ONCE(r->done) && READ_ONCE(r->task->nvcsw) == switches;
}

SELFTEST(trace_pipe, a_reader_sleeps_until_an_event_wakes_it)
{
	static const char *const paths[] = { PIPE, CPU_PIPE };
	struct reader r;

	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		ASSERT(begin(50) && start_reader(&r, paths[i]));
		EXPECT(stays_asleep(&r));
		trace_puts("wake up\n");
		EXPECT(join_reader(&r) > 0);
		EXPECT(strstr(r.buf, "wake up\n"));
		free_page(r.buf);
	}
	end();
}

SELFTEST(trace_pipe, an_event_of_an_nmi_with_interrupts_off_wakes_the_reader)
{
	unsigned long flags;
	struct reader r;

	ASSERT(begin(50) && start_reader(&r, PIPE));
	local_irq_save(flags);
	nmi_enter();
	trace_puts("from an NMI\n");
	nmi_exit();
	EXPECT(!READ_ONCE(r.done));
	local_irq_restore(flags);
	EXPECT(join_reader(&r) > 0);
	EXPECT(strstr(r.buf, "from an NMI\n"));
	free_page(r.buf);
	end();
}

SELFTEST(trace_pipe, a_signal_ends_the_wait)
{
	struct reader r;

	ASSERT(begin(50) && start_reader(&r, PIPE));
	send_signal(SIGINT, r.task);
	EXPECT_EQ(join_reader(&r), -EINTR);
	free_page(r.buf);
	ASSERT(start_reader(&r, RAW));
	send_signal(SIGINT, r.task);
	EXPECT_EQ(join_reader(&r), -EINTR);
	free_page(r.buf);
	end();
}

SELFTEST(trace_pipe, an_empty_pipe_is_eagain_with_o_nonblock)
{
	static const char *const paths[] = { PIPE, CPU_PIPE, RAW };
	char byte;

	ASSERT(begin(50));
	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		long fd = sys_open(paths[i], O_RDONLY | O_NONBLOCK, 0);

		ASSERT(fd >= 0);
		EXPECT_EQ(sys_read((int)fd, &byte, 1), -EAGAIN);
		sys_close((int)fd);
	}
	end();
}

/* Readers that read until the end of the file, and count lines. */
struct line_reader {
	atomic_t lines, opened;
};

static int read_to_the_end(void *arg)
{
	struct line_reader *r = arg;
	char buf[256];
	long fd = sys_open(PIPE, O_RDONLY, 0), length;

	atomic_inc(&r->opened);
	while (fd >= 0 && (length = sys_read((int)fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < length; i++)
			if (buf[i] == '\n')
				atomic_inc(&r->lines);
	if (fd >= 0)
		sys_close((int)fd);
	return 0;
}

/* A child, because a kernel thread would ignore signals. */
static struct task_struct *start_line_reader(struct line_reader *r)
{
	return find_get_task_by_pid(kernel_thread(read_to_the_end, r, "line_reader"));
}

static void join_line_reader(struct task_struct *task)
{
	kernel_wait4(task->pid, NULL, 0);
	put_task_struct(task);
}

SELFTEST(trace_pipe, readers_that_wait_share_the_events_and_end_with_tracing_on)
{
	struct task_struct *readers[3];
	struct line_reader r = { 0 };
	unsigned lines = 0;

	ASSERT(begin(50));
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = start_line_reader(&r);
		ASSERT(readers[i]);
	}
	while (atomic_read(&r.opened) < (int)ARRAY_SIZE(readers))
		msleep(1);
	/* Each turn waits until all lines are read, so a lost wakeup hangs the test. Each turn
	 * writes three lines for three readers, so that each reader can read one and reach the end.
	 */
	for (unsigned i = 0; i < 500; i++) {
		trace_puts("one\n");
		trace_puts("two\n");
		trace_puts("three\n");
		lines += 3;
		while ((unsigned)atomic_read(&r.lines) < lines)
			msleep(1);
	}
	msleep(10);
	EXPECT_EQ(atomic_read(&r.lines), lines);
	set_on(false);
	/* A reader that has read nothing still waits: the host may have stopped its CPU. */
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++)
		send_signal(SIGINT, readers[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++)
		join_line_reader(readers[i]);
	end();
}

/* What the trigger and the probe of that name do. */
static void traceoff(void)
{
	tracing_record_off_tr(&global_trace);
}

SELFTEST(trace_pipe, tracing_off_and_traceoff_end_a_reader_that_has_read)
{
	static void (*const turn_off[])(void) = { tracing_off, traceoff };

	for (unsigned i = 0; i < ARRAY_SIZE(turn_off); i++) {
		struct line_reader r = { 0 };
		struct task_struct *reader;

		ASSERT(begin(50));
		reader = start_line_reader(&r);
		ASSERT(reader);
		trace_puts("the only line\n");
		while (!atomic_read(&r.lines))
			msleep(1);
		while (READ_ONCE(reader->state) != TASK_INTERRUPTIBLE)
			msleep(1);
		turn_off[i]();
		join_line_reader(reader);
		EXPECT_EQ(atomic_read(&r.lines), 1);
		end();
	}
}

/* ---- buffer_percent ---- */

static short poll_once(long fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = (int)fd, .events = POLLIN };

	return sys_poll(&pfd, 1, timeout_ms) > 0 ? pfd.revents : 0;
}

SELFTEST(trace_pipe, poll_is_ready_when_the_buffer_is_buffer_percent_full)
{
	static const struct {
		const char *path;
		unsigned percent,
			pages; /* not ready with this many whole sub-buffers, ready with one more */
	} cases[] = {
		{ RAW, 50, PAGES / 2 - 1 },
		{ CPU_PIPE, 50, PAGES / 2 - 1 },
		{ RAW, 100, PAGES - 1 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		long fd;

		ASSERT(begin(cases[i].percent));
		fd = sys_open(cases[i].path, O_RDONLY | O_NONBLOCK, 0);
		ASSERT(fd >= 0);
		EXPECT_EQ(poll_once(fd, 0), 0);
		fill_pages(cases[i].pages);
		EXPECT_EQ(poll_once(fd, 0), 0);
		fill_pages(cases[i].pages + 1);
		EXPECT_EQ(poll_once(fd, 0), POLLIN);
		sys_close((int)fd);
	}
	end();
}

SELFTEST(trace_pipe, with_buffer_percent_0_any_event_is_enough_for_poll)
{
	static const char *const paths[] = { PIPE, CPU_PIPE, RAW };

	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		long fd;

		ASSERT(begin(0));
		fd = sys_open(paths[i], O_RDONLY, 0);
		ASSERT(fd >= 0);
		EXPECT_EQ(poll_once(fd, 0), 0);
		EXPECT_EQ(poll_once(fd, 1), 0);
		trace_puts("event\n");
		EXPECT_EQ(poll_once(fd, -1), POLLIN);
		sys_close((int)fd);
	}
	end();
}

static int poll_in_task(void *data)
{
	struct reader *r = data;
	long fd = sys_open(r->path, O_RDONLY, 0);

	r->result = poll_once(fd, -1);
	sys_close((int)fd);
	WRITE_ONCE(r->done, true);
	return 0;
}

/* Lets a task poll the file, then calls change (or nothing), then writes an event. */
static void wake_poll(struct selftest *test, const char *path, void (*change)(struct trace_array *))
{
	struct reader r = { .path = path };

	r.task = find_get_task_by_pid(kernel_thread(poll_in_task, &r, "poller"));
	ASSERT(r.task);
	while (!is_asleep(&r))
		msleep(1);
	if (change)
		change(&global_trace);
	EXPECT(stays_asleep(&r));
	trace_puts("event\n");
	EXPECT_EQ(join_reader(&r), POLLIN);
}

static const char *const all_files[] = { PIPE, CPU_PIPE, RAW };

SELFTEST(trace_pipe, an_event_wakes_poll)
{
	for (unsigned i = 0; i < ARRAY_SIZE(all_files); i++) {
		ASSERT(begin(0));
		wake_poll(test, all_files[i], NULL);
	}
	end();
}

SELFTEST(trace_pipe, a_reader_of_raw_pages_sleeps_until_the_buffer_is_buffer_percent_full)
{
	struct reader r;

	ASSERT(begin(50) && start_reader(&r, RAW));
	fill_pages(PAGES / 2 - 1);
	EXPECT(stays_asleep(&r));
	fill_pages(PAGES / 2 + 1);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	EXPECT(((struct buffer_data_page *)r.buf)->commit > RB_PAGE_DATA - 64);
	free_page(r.buf);
	end();
}

SELFTEST(trace_pipe, a_reader_of_raw_pages_gets_the_rest_when_tracing_ends)
{
	struct reader r;

	ASSERT(begin(50) && start_reader(&r, RAW));
	trace_puts("too little\n");
	EXPECT(stays_asleep(&r));
	set_on(false);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	EXPECT(((struct buffer_data_page *)r.buf)->commit > 0);
	free_page(r.buf);
	end();
}

SELFTEST(trace_pipe, a_smaller_buffer_percent_wakes_waiting_readers)
{
	struct reader r;
	long fd;

	ASSERT(begin(100) && start_reader(&r, RAW));
	fill_pages(2);
	EXPECT(stays_asleep(&r));
	fd = sys_open("/sys/kernel/tracing/buffer_percent", O_WRONLY, 0);
	ASSERT(fd >= 0);
	EXPECT_EQ(sys_write((int)fd, "10", 2), 2);
	sys_close((int)fd);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	free_page(r.buf);
	end();
}

SELFTEST(trace_pipe, a_resized_buffer_wakes_its_readers_by_its_new_size)
{
	struct reader r;

	ASSERT(begin(50) && start_reader(&r, RAW));
	fill_pages(2);
	EXPECT(stays_asleep(&r));
	mutex_lock(&trace_types_lock);
	EXPECT_EQ(tracing_resize(&global_trace, 4 * PAGE_SIZE, 0), 0);
	mutex_unlock(&trace_types_lock);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	free_page(r.buf);
	end();
}

/* ---- exchanged buffers ---- */

/* Exchanges CPU 0's parts of the two buffers, as irqsoff does. text: an event before, or NULL. */
static bool swap_parts(const char *text)
{
	unsigned long flags;
	bool swapped;

	local_irq_save(flags);
	if (text)
		__trace_puts(text); /* the reader is woken only when interrupts are on */
	swapped = ring_buffer_swap_this_cpu(global_trace.buffer, global_trace.snapshot);
	local_irq_restore(flags);
	return swapped;
}

SELFTEST(trace_pipe, an_event_after_a_snapshot_wakes_poll)
{
	for (unsigned i = 0; i < ARRAY_SIZE(all_files); i++) {
		ASSERT(begin(0) && put("snapshot", "1") == 0);
		wake_poll(test, all_files[i], tracing_snapshot_tr);
	}
	EXPECT_EQ(put("snapshot", "0"), 0);
	end();
}

SELFTEST(trace_pipe, an_event_wakes_a_reader_after_the_parts_of_its_cpu_were_exchanged)
{
	/* The second event goes to the other part, and so does the interrupt that it has raised. */
	static const char *const texts[] = { NULL, "gone\n" };

	for (unsigned i = 0; i < ARRAY_SIZE(all_files) * ARRAY_SIZE(texts); i++) {
		const char *path = all_files[i % ARRAY_SIZE(all_files)];
		struct reader r;

		ASSERT(begin(0) && put("snapshot", "1") == 0 && start_reader(&r, path));
		EXPECT(swap_parts(texts[i / ARRAY_SIZE(all_files)]));
		EXPECT(stays_asleep(&r));
		trace_puts("wake up\n");
		EXPECT(join_reader(&r) > 0);
		free_page(r.buf);
		EXPECT_EQ(put("snapshot", "0"), 0);
	}
	end();
}

/* ---- the data of trace_pipe_raw ---- */

/* Returns the number of data events in a page, or -1 if the page is not valid. */
static int count_events(const struct buffer_data_page *page)
{
	u32 length = (u32)page->commit & 0xfffff, offset = 0;
	int events = 0;

	while (offset < length) {
		const struct ring_buffer_event *event = (const void *)(page->data + offset);

		if (event->type_len == 0)
			offset += event->array[0] + 4;
		else if (event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
			offset += event->type_len * 4U + 4;
		else if (event->type_len == RINGBUF_TYPE_TIME_EXTEND)
			offset += 8;
		else
			return -1;
		events += event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
	}
	return offset == length ? events : -1;
}

SELFTEST(trace_pipe, small_reads_give_whole_raw_pages)
{
	char *buf = get_free_page(GFP_KERNEL);
	long fd, length, total = 0;

	ASSERT(buf && begin(50));
	for (unsigned i = 0; i < 10; i++)
		trace_puts("event\n");
	fd = sys_open(RAW, O_RDONLY | O_NONBLOCK, 0);
	ASSERT(fd >= 0);
	while ((length = sys_read((int)fd, buf + total, min(PAGE_SIZE - (size_t)total, 100UL))) > 0)
		total += length;
	EXPECT_EQ(total, PAGE_SIZE);
	EXPECT_EQ(sys_read((int)fd, buf, 100), -EAGAIN);
	EXPECT_EQ(count_events((void *)buf), 10);
	/* The unused part of the page is zero. */
	length = RB_PAGE_HEADER + (long)((struct buffer_data_page *)buf)->commit;
	while (length < (long)PAGE_SIZE && !buf[length])
		length++;
	EXPECT_EQ(length, PAGE_SIZE);
	sys_close((int)fd);
	free_page(buf);
	end();
}

SELFTEST(trace_pipe, raw_pages_and_stats_account_for_every_event)
{
	struct buffer_data_page *page = get_free_page(GFP_KERNEL);
	struct ring_buffer_stats before, after;
	u64 events = 0, lost = 0, told, bytes = 0;
	unsigned flagged = 0;
	long fd;

	ASSERT(page && begin(50));
	for (unsigned i = 0; i < 5000; i++)
		trace_puts("event\n");
	set_on(false);
	unread(&before);
	EXPECT_EQ(before.entries + before.overrun, 5000);
	EXPECT(before.overrun > 0);
	EXPECT_EQ(before.read_events, 0);
	EXPECT_EQ(before.commit_overrun + before.dropped_events, 0);
	fd = sys_open(RAW, O_RDONLY | O_NONBLOCK, 0);
	ASSERT(fd >= 0);
	while (sys_read((int)fd, page, PAGE_SIZE) == (ssize_t)PAGE_SIZE) {
		u32 length = (u32)page->commit & 0xfffff;
		int count = count_events(page);

		ASSERT(count >= 0);
		if (!bytes)
			EXPECT_EQ(page->time_stamp, before.oldest_event_ts);
		events += (unsigned)count;
		bytes += length;
		if (!(page->commit & RB_MISSED_EVENTS))
			continue;
		flagged++;
		/* The count follows the data, if the page has space for it. */
		EXPECT_EQ(!!(page->commit & RB_MISSED_STORED), length + 8 <= RB_PAGE_DATA);
		memcpy(&told, page->data + length, sizeof(told));
		if (page->commit & RB_MISSED_STORED)
			lost += told;
	}
	sys_close((int)fd);
	EXPECT_EQ(events, before.entries);
	EXPECT_EQ(bytes, before.bytes);
	EXPECT_EQ(flagged, 1);
	EXPECT_EQ(lost, before.overrun);
	unread(&after);
	EXPECT_EQ(after.entries, 0);
	EXPECT_EQ(after.bytes, 0);
	EXPECT_EQ(after.read_events, before.entries);
	EXPECT_EQ(after.overrun, before.overrun);
	free_page(page);
	end();
}
