/*
 * Self-tests of trace_pipe and trace_pipe_raw: when a reader sleeps, what wakes it, and which data
 * it gets. The tests run on CPU 0 and write their events there.
 */
#include "arch/cpu/irqflags.h"
#include "arch/irq/traps.h"
#include "fs/file/poll.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/trace_pipe_reader.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/entries.h"
#include "trace/core/trace_printk.h"

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

SELFTEST(trace_pipe, a_reader_sleeps_until_an_event_wakes_it)
{
	static const char *const paths[] = { PIPE, CPU_PIPE };
	struct reader r;

	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		ASSERT(trace_pipe_begin(50) && start_reader(&r, paths[i]));
		EXPECT(stays_asleep(&r));
		trace_puts("wake up\n");
		EXPECT(join_reader(&r) > 0);
		EXPECT(strstr(r.buf, "wake up\n"));
		free_page(r.buf);
	}
	trace_pipe_end();
}

SELFTEST(trace_pipe, an_event_of_an_nmi_with_interrupts_off_wakes_the_reader)
{
	unsigned long flags;
	struct reader r;

	ASSERT(trace_pipe_begin(50) && start_reader(&r, PIPE));
	local_irq_save(flags);
	nmi_enter();
	trace_puts("from an NMI\n");
	nmi_exit();
	EXPECT(!READ_ONCE(r.done));
	local_irq_restore(flags);
	EXPECT(join_reader(&r) > 0);
	EXPECT(strstr(r.buf, "from an NMI\n"));
	free_page(r.buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, a_signal_ends_the_wait)
{
	struct reader r;

	ASSERT(trace_pipe_begin(50) && start_reader(&r, PIPE));
	test_task_interrupt(r.task);
	EXPECT_EQ(join_reader(&r), -EINTR);
	free_page(r.buf);
	ASSERT(start_reader(&r, RAW));
	test_task_interrupt(r.task);
	EXPECT_EQ(join_reader(&r), -EINTR);
	free_page(r.buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, an_empty_pipe_is_eagain_with_o_nonblock)
{
	static const char *const paths[] = { PIPE, CPU_PIPE, RAW };
	char byte;

	ASSERT(trace_pipe_begin(50));
	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		struct file *file = file_open(paths[i], O_RDONLY | O_NONBLOCK);

		ASSERT(!IS_ERR(file));
		EXPECT_EQ(file_read(file, &byte, 1), -EAGAIN);
		fput(file);
	}
	trace_pipe_end();
}

/* Readers that read until the end of the file, and count lines. */
struct line_reader {
	atomic_t lines, opened;
};

static int read_to_the_end(void *arg)
{
	struct line_reader *r = arg;
	char buf[256];
	struct file *file = file_open(PIPE, O_RDONLY);
	long length;

	atomic_inc(&r->opened);
	while (!IS_ERR(file) && (length = file_read(file, buf, sizeof(buf))) > 0)
		for (long i = 0; i < length; i++)
			if (buf[i] == '\n')
				atomic_inc(&r->lines);
	if (!IS_ERR(file))
		fput(file);
	return 0;
}

SELFTEST(trace_pipe, readers_that_wait_share_the_events_and_end_with_tracing_on)
{
	struct task_struct *readers[3];
	struct line_reader r = { 0 };
	unsigned lines = 0;

	ASSERT(trace_pipe_begin(50));
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = test_task_start(read_to_the_end, &r, "line_reader");
		ASSERT(readers[i]);
	}
	while (atomic_read(&r.opened) < (int)ARRAY_SIZE(readers))
		msleep(1);
	/* Each turn waits until all lines are read, so a lost wakeup hangs the test. Each turn
	 * writes three lines for three readers, so that each reader can read one and reach the end.
	 */
	for (unsigned i = 0; i < selftest_rounds(500); i++) {
		trace_puts("one\n");
		trace_puts("two\n");
		trace_puts("three\n");
		lines += 3;
		while ((unsigned)atomic_read(&r.lines) < lines)
			msleep(1);
	}
	msleep(10);
	EXPECT_EQ(atomic_read(&r.lines), lines);
	trace_pipe_set_on(false);
	/* A reader that has read nothing still waits: the host may have stopped its CPU. */
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++)
		test_task_interrupt(readers[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(readers); i++)
		test_task_end(readers[i]);
	trace_pipe_end();
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

		ASSERT(trace_pipe_begin(50));
		reader = test_task_start(read_to_the_end, &r, "line_reader");
		ASSERT(reader);
		trace_puts("the only line\n");
		while (!atomic_read(&r.lines))
			msleep(1);
		while (READ_ONCE(reader->__state) != TASK_INTERRUPTIBLE)
			msleep(1);
		turn_off[i]();
		test_task_end(reader);
		EXPECT_EQ(atomic_read(&r.lines), 1);
		trace_pipe_end();
	}
}

/* ---- buffer_percent ---- */

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
		struct file *file;

		ASSERT(trace_pipe_begin(cases[i].percent));
		file = file_open(cases[i].path, O_RDONLY | O_NONBLOCK);
		ASSERT(!IS_ERR(file));
		EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, 0);
		fill_pages(cases[i].pages);
		EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, 0);
		fill_pages(cases[i].pages + 1);
		EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, POLLIN);
		fput(file);
	}
	trace_pipe_end();
}

SELFTEST(trace_pipe, a_reader_of_raw_pages_sleeps_until_the_buffer_is_buffer_percent_full)
{
	struct reader r;

	ASSERT(trace_pipe_begin(50) && start_reader(&r, RAW));
	fill_pages(PAGES / 2 - 1);
	EXPECT(stays_asleep(&r));
	fill_pages(PAGES / 2 + 1);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	EXPECT(((struct buffer_data_page *)r.buf)->commit > RB_PAGE_DATA - 64);
	free_page(r.buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, a_reader_of_raw_pages_gets_the_rest_when_tracing_ends)
{
	struct reader r;

	ASSERT(trace_pipe_begin(50) && start_reader(&r, RAW));
	trace_puts("too little\n");
	EXPECT(stays_asleep(&r));
	trace_pipe_set_on(false);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	EXPECT(((struct buffer_data_page *)r.buf)->commit > 0);
	free_page(r.buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, a_smaller_buffer_percent_wakes_waiting_readers)
{
	struct reader r;

	ASSERT(trace_pipe_begin(100) && start_reader(&r, RAW));
	fill_pages(2);
	EXPECT(stays_asleep(&r));
	EXPECT_EQ(put("buffer_percent", "10"), 0);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	free_page(r.buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, a_resized_buffer_wakes_its_readers_by_its_new_size)
{
	struct reader r;

	ASSERT(trace_pipe_begin(50) && start_reader(&r, RAW));
	fill_pages(2);
	EXPECT(stays_asleep(&r));
	mutex_lock(&trace_types_lock);
	EXPECT_EQ(tracing_resize(&global_trace, 4 * PAGE_SIZE, 0), 0);
	mutex_unlock(&trace_types_lock);
	EXPECT_EQ(join_reader(&r), PAGE_SIZE);
	free_page(r.buf);
	trace_pipe_end();
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

SELFTEST(trace_pipe, a_sub_buffer_leaves_in_linux_format)
{
	/* One more byte, for the NUL that get_into() adds. */
	struct buffer_data_page *page = kmalloc(PAGE_SIZE + 1, GFP_KERNEL);
	const struct ring_buffer_event *event = (const void *)page->data;
	const struct bputs_entry *entry = (const void *)event->array;
	char path[64];
	long length;

	ASSERT(page);
	reset();
	preempt_disable();
	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", smp_processor_id());
	trace_puts("raw\n");
	preempt_enable();
	length = get_into(path, (char *)page, PAGE_SIZE + 1);
	EXPECT_EQ(length, PAGE_SIZE);
	EXPECT_EQ(page->commit, 4 + sizeof(*entry));
	EXPECT_EQ(event->type_len, sizeof(*entry) / 4);
	EXPECT_EQ(entry->ent.type, TRACE_BPUTS);
	EXPECT_EQ(entry->ent.pid, current->pid);
	EXPECT(strcmp(entry->str, "raw\n") == 0);
	kfree(page);
	reset();
}

SELFTEST(trace_pipe, small_reads_give_whole_raw_pages)
{
	char *buf = get_free_page(GFP_KERNEL);
	struct file *file;
	long length, total = 0;

	ASSERT(buf && trace_pipe_begin(50));
	for (unsigned i = 0; i < 10; i++)
		trace_puts("event\n");
	file = file_open(RAW, O_RDONLY | O_NONBLOCK);
	ASSERT(!IS_ERR(file));
	while ((length = file_read(file, buf + total, min(PAGE_SIZE - (size_t)total, 100UL))) > 0)
		total += length;
	EXPECT_EQ(total, PAGE_SIZE);
	EXPECT_EQ(file_read(file, buf, 100), -EAGAIN);
	EXPECT_EQ(count_events((void *)buf), 10);
	/* The unused part of the page is zero. */
	length = RB_PAGE_HEADER + (long)((struct buffer_data_page *)buf)->commit;
	while (length < (long)PAGE_SIZE && !buf[length])
		length++;
	EXPECT_EQ(length, PAGE_SIZE);
	fput(file);
	free_page(buf);
	trace_pipe_end();
}

SELFTEST(trace_pipe, raw_pages_and_stats_account_for_every_event)
{
	struct buffer_data_page *page = get_free_page(GFP_KERNEL);
	struct ring_buffer_stats before, after;
	u64 events = 0, lost = 0, told, bytes = 0;
	unsigned flagged = 0;
	struct file *file;

	ASSERT(page && trace_pipe_begin(50));
	for (unsigned i = 0; i < 5000; i++)
		trace_puts("event\n");
	trace_pipe_set_on(false);
	unread(&before);
	EXPECT_EQ(before.entries + before.overrun, 5000);
	EXPECT(before.overrun > 0);
	EXPECT_EQ(before.read_events, 0);
	EXPECT_EQ(before.commit_overrun + before.dropped_events, 0);
	file = file_open(RAW, O_RDONLY | O_NONBLOCK);
	ASSERT(!IS_ERR(file));
	while (file_read(file, page, PAGE_SIZE) == (ssize_t)PAGE_SIZE) {
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
	fput(file);
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
	trace_pipe_end();
}
