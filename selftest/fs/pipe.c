/* Self-tests of pipes and poll: no byte is lost, no message is torn, no wake-up is missed. */
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "kernel/time/ktime.h"

#define MESSAGES 100000U
#define WRITERS  4U

/* The state that the tasks of one test share. */
struct pipe_test {
	int there[2], back[2];
	unsigned id; /* the next writer's number; the parent waits until the writer has copied it */
	atomic_t errors;
	atomic64_t sum;
};

struct message {
	u32 writer, number;
	u64 check;
};

static u64 message_check(const struct message *m)
{
	return (m->number + 1ULL) * 0x9e3779b97f4a7c15ULL ^ m->writer;
}

/* Waits for a child. Returns its exit status, or -1. */
static int reap(pid_t pid)
{
	int status = -1;

	return pid > 0 && kernel_wait4(pid, &status, 0) == pid ? status : -1;
}

static bool read_all(int fd, void *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = sys_read(fd, (char *)buf + got, size - got);

		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

static int echo_task(void *arg)
{
	struct pipe_test *t = arg;
	struct message m;

	sys_close(t->there[1]);
	sys_close(t->back[0]);
	while (read_all(t->there[0], &m, sizeof(m)))
		if (sys_write(t->back[1], &m, sizeof(m)) != sizeof(m))
			return 1;
	return 0;
}

/* Sends count messages and waits for the answer to each. Returns the number of correct answers. */
static u32 ping_pong(struct pipe_test *t, u32 count)
{
	u32 good = 0;

	for (u32 i = 0; i < count; i++) {
		struct message m = { .number = i }, answer;

		m.check = message_check(&m);
		if (sys_write(t->there[1], &m, sizeof(m)) != sizeof(m) ||
		    !read_all(t->back[0], &answer, sizeof(answer)))
			break;
		good += memcmp(&m, &answer, sizeof(m)) == 0;
	}
	return good;
}

static void echo_test(struct selftest *test, u32 count)
{
	struct pipe_test t = { 0 };
	pid_t child;

	ASSERT(sys_pipe(t.there) == 0 && sys_pipe(t.back) == 0);
	child = kernel_thread(echo_task, &t, "selftest");
	sys_close(t.there[0]);
	sys_close(t.back[1]);
	EXPECT_EQ(ping_pong(&t, count), count);
	sys_close(t.there[1]);
	EXPECT_EQ(reap(child), 0);
	sys_close(t.back[0]);
}

/* Each message needs two context switches, which are cheap on one CPU. */
SELFTEST(pipe, a_hundred_thousand_handoffs_on_one_cpu)
{
	ASSERT(run_on_nth_cpu(0));
	echo_test(test, MESSAGES / 2);
	run_on_any_cpu();
}

/* Fewer messages, because each may have to wake a halted CPU: milliseconds on a busy host. */
SELFTEST(pipe, a_thousand_handoffs_where_the_scheduler_likes)
{
	echo_test(test, MESSAGES / 200);
}

/* Writes a different number of struct message with each write. */
static int writer_task(void *arg)
{
	struct pipe_test *t = arg;
	struct message burst[PAGE_SIZE / sizeof(struct message) / 4];
	u32 id, number = 0;

	id = xchg(&t->id, ~0U);
	sys_close(t->there[0]);
	while (number < MESSAGES / WRITERS) {
		u32 n = min(number % (u32)ARRAY_SIZE(burst) + 1, MESSAGES / WRITERS - number);

		for (u32 i = 0; i < n; i++) {
			burst[i] = (struct message){ .writer = id, .number = number + i };
			burst[i].check = message_check(&burst[i]);
		}
		if (sys_write(t->there[1], burst, n * sizeof(*burst)) !=
		    (ssize_t)(n * sizeof(*burst)))
			return 1;
		number += n;
	}
	return 0;
}

/* The scheduler spreads the writers over the CPUs. */
SELFTEST(pipe, many_writers_lose_and_tear_nothing)
{
	struct pipe_test t = { 0 };
	u32 next[WRITERS] = { 0 };
	struct message m;
	unsigned wrong = 0, count = 0;
	pid_t pids[WRITERS];

	ASSERT(sys_pipe(t.there) == 0);
	for (unsigned i = 0; i < WRITERS; i++) {
		WRITE_ONCE(t.id, i);
		pids[i] = kernel_thread(writer_task, &t, "selftest");
		while (pids[i] > 0 && READ_ONCE(t.id) != ~0U)
			yield();
	}
	sys_close(t.there[1]);
	while (read_all(t.there[0], &m, sizeof(m))) {
		count++;
		if (m.writer >= WRITERS || m.check != message_check(&m) ||
		    m.number != next[m.writer]++)
			wrong++;
	}
	for (unsigned i = 0; i < WRITERS; i++)
		EXPECT_EQ(reap(pids[i]), 0);
	EXPECT_EQ(count, MESSAGES / WRITERS * WRITERS);
	EXPECT_EQ(wrong, 0);
	sys_close(t.there[0]);
}

static int reader_task(void *arg)
{
	struct pipe_test *t = arg;
	u64 value;

	sys_close(t->there[1]);
	while (read_all(t->there[0], &value, sizeof(value)))
		atomic64_add((s64)value, &t->sum);
	return 0;
}

/* Each sleeping reader gets its message, and later its end of file. */
SELFTEST(pipe, many_readers_share_what_is_written)
{
	struct pipe_test t = { 0 };
	pid_t pids[WRITERS];
	u64 expected = 0;

	ASSERT(sys_pipe(t.there) == 0);
	for (unsigned i = 0; i < WRITERS; i++)
		pids[i] = kernel_thread(reader_task, &t, "selftest");
	sys_close(t.there[0]);
	for (u64 i = 1; i <= MESSAGES / 20; i++) {
		EXPECT(sys_write(t.there[1], &i, sizeof(i)) == sizeof(i));
		expected += i;
	}
	sys_close(t.there[1]);
	for (unsigned i = 0; i < WRITERS; i++)
		EXPECT_EQ(reap(pids[i]), 0);
	EXPECT_EQ(atomic64_read(&t.sum), expected);
}

/* Writes pieces of a size that divides neither a page nor the ring. */
static int stream_task(void *arg)
{
	struct pipe_test *t = arg;
	u8 *buf = kmalloc(100003, GFP_KERNEL);
	int ret = 0;

	sys_close(t->there[0]);
	for (size_t i = 0; buf && i < 100003; i++)
		buf[i] = (u8)(i * 13);
	for (unsigned i = 0; i < 20 && !ret; i++)
		ret = !buf || sys_write(t->there[1], buf, 100003) != 100003;
	kfree(buf);
	return ret;
}

SELFTEST(pipe, long_writes_pass_through_in_order)
{
	struct pipe_test t = { 0 };
	u8 *buf = kmalloc(7001, GFP_KERNEL);
	size_t total = 0, wrong = 0;
	pid_t child;
	ssize_t n;

	ASSERT(buf && sys_pipe(t.there) == 0);
	child = kernel_thread(stream_task, &t, "selftest");
	sys_close(t.there[1]);
	while ((n = sys_read(t.there[0], buf, 7001)) > 0) {
		for (ssize_t i = 0; i < n; i++, total++)
			wrong += buf[i] != (u8)(total % 100003 * 13);
	}
	EXPECT_EQ(reap(child), 0);
	EXPECT_EQ(total, 20 * 100003);
	EXPECT_EQ(wrong, 0);
	sys_close(t.there[0]);
	kfree(buf);
}

/* Does not divide a page, so messages cross the ends of pages and of the ring. */
#define ODD_SIZE 100

static void fill_numbered(u32 words[ODD_SIZE / 4], u32 number)
{
	for (unsigned i = 0; i < ODD_SIZE / 4; i++)
		words[i] = number * 31 + i;
}

/* The pipe stays full, so head and tail are always in the same page. */
SELFTEST(pipe, a_full_pipe_wraps_without_a_loss)
{
	u32 message[ODD_SIZE / 4], expected[ODD_SIZE / 4], written = 0, wrong = 0;
	int fds[2];

	ASSERT(sys_pipe2(fds, O_NONBLOCK) == 0);
	for (u32 number = 0; number < 5000; number++) {
		for (;;) {
			fill_numbered(message, written);
			if (sys_write(fds[1], message, ODD_SIZE) != ODD_SIZE)
				break;
			written++;
		}
		fill_numbered(expected, number);
		wrong += sys_read(fds[0], message, ODD_SIZE) != ODD_SIZE ||
			 memcmp(message, expected, ODD_SIZE);
	}
	EXPECT_EQ(wrong, 0);
	EXPECT(written > 5000);
	sys_close(fds[0]);
	sys_close(fds[1]);
}

SELFTEST(pipe, ends_say_eof_epipe_and_eagain)
{
	char page[4096], byte;
	unsigned files = nr_open_files();
	size_t filled = 0;
	int fds[2];

	memset(page, 'x', sizeof(page));
	ASSERT(sys_pipe2(fds, O_NONBLOCK) == 0);
	EXPECT_EQ(sys_read(fds[0], &byte, 1), -EAGAIN);
	EXPECT_EQ(sys_read(fds[1], &byte, 1), -EBADF);
	EXPECT_EQ(sys_write(fds[0], "x", 1), -EBADF);
	EXPECT_EQ(sys_lseek(fds[0], 0, SEEK_SET), -ESPIPE);
	while (sys_write(fds[1], page, sizeof(page)) == sizeof(page))
		filled += sizeof(page);
	EXPECT_EQ(filled, 65536);
	EXPECT_EQ(sys_write(fds[1], "x", 1), -EAGAIN);
	EXPECT_EQ(sys_read(fds[0], &byte, 1), 1);
	EXPECT_EQ(sys_write(fds[1], "xy", 2), -EAGAIN); /* a small write is atomic */
	EXPECT_EQ(sys_write(fds[1], "x", 1), 1);
	sys_close(fds[1]);
	while (filled && sys_read(fds[0], page, sizeof(page)) == sizeof(page))
		filled -= sizeof(page);
	EXPECT_EQ(filled, 0);
	EXPECT_EQ(sys_read(fds[0], &byte, 1), 0);
	sys_close(fds[0]);

	ASSERT(sys_pipe(fds) == 0);
	sys_close(fds[0]);
	EXPECT_EQ(sys_write(fds[1], "x", 1), -EPIPE);
	flush_signals(current);
	sys_close(fds[1]);
	EXPECT_EQ(nr_open_files(), files);
}

static int late_writer(void *arg)
{
	struct pipe_test *t = arg;

	msleep(20);
	return sys_write(t->there[1], "x", 1) != 1;
}

SELFTEST(poll, wakes_when_a_pipe_becomes_readable)
{
	struct pipe_test t = { 0 };
	struct pollfd fds[3];
	pid_t child;

	ASSERT(sys_pipe(t.there) == 0 && sys_pipe(t.back) == 0);
	fds[0] = (struct pollfd){ .fd = t.there[0], .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = t.back[0], .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = -1, .events = POLLIN };
	EXPECT_EQ(sys_poll(fds, 3, 0), 0);
	EXPECT_EQ(sys_poll(fds, 3, 5), 0);
	child = kernel_thread(late_writer, &t, "selftest");
	EXPECT_EQ(sys_poll(fds, 3, -1), 1);
	EXPECT_EQ(fds[0].revents, POLLIN);
	EXPECT_EQ(fds[1].revents, 0);
	EXPECT_EQ(reap(child), 0);

	fds[1] = (struct pollfd){ .fd = t.back[1], .events = POLLOUT };
	fds[2] = (struct pollfd){ .fd = 999, .events = POLLIN };
	EXPECT_EQ(sys_poll(fds, 3, -1), 3);
	EXPECT_EQ(fds[1].revents, POLLOUT);
	EXPECT_EQ(fds[2].revents, POLLNVAL);
	sys_close(t.back[0]);
	EXPECT_EQ(sys_poll(fds + 1, 1, -1), 1);
	EXPECT(fds[1].revents & POLLERR);
	sys_close(t.back[1]);
	sys_close(t.there[1]);
	EXPECT_EQ(sys_poll(fds, 1, -1), 1);
	EXPECT_EQ(fds[0].revents, POLLIN | POLLHUP);
	sys_close(t.there[0]);
}

static bool has_one_entry(const wait_queue_head_t *wq)
{
	return !list_empty(&wq->head) && wq->head.next->next == &wq->head;
}

SELFTEST(poll, a_task_is_in_each_queue_once)
{
	static wait_queue_head_t queues[200];
	struct poll_wqueues pwq;
	struct file *file;
	int fds[2];

	ASSERT(sys_pipe(fds) == 0);
	file = fget((unsigned)fds[0]);
	for (unsigned i = 0; i < ARRAY_SIZE(queues); i++)
		init_waitqueue_head(&queues[i]);
	poll_initwait(&pwq);
	for (unsigned i = 0; i < 3 * ARRAY_SIZE(queues); i++) {
		EXPECT_EQ(vfs_poll(file, &pwq.table), 0);
		poll_wait(file, &queues[i * 7 % ARRAY_SIZE(queues)], &pwq.table);
	}
	EXPECT(has_one_entry(&((struct pipe_inode_info *)file->private_data)->rd_wait));
	for (unsigned i = 0; i < ARRAY_SIZE(queues); i++)
		EXPECT(has_one_entry(&queues[i]));
	EXPECT_EQ(pwq.error, 0);
	poll_freewait(&pwq);
	for (unsigned i = 0; i < ARRAY_SIZE(queues); i++)
		EXPECT(list_empty(&queues[i].head));
	fput(file);
	sys_close(fds[0]);
	sys_close(fds[1]);
}

/* Stands for an epoll with EPOLLET, which looks again only when it is told. */
struct watcher {
	struct wait_queue_entry wait;
	unsigned events;
};

static bool count_event(struct wait_queue_entry *wait, unsigned events)
{
	(void)events;
	container_of(wait, struct watcher, wait)->events++;
	return false;
}

SELFTEST(pipe, bytes_that_splice_leaves_are_told_to_those_who_got_eagain)
{
	struct watcher watcher = { .wait = { .func = count_event, .flags = WQ_FLAG_CALLBACK } };
	struct pipe_inode_info *pipe;
	struct file *file;
	char buf[8];
	int fds[2];

	ASSERT(sys_pipe2(fds, O_NONBLOCK) == 0);
	file = fget((unsigned)fds[0]);
	pipe = file->private_data;
	INIT_LIST_HEAD(&watcher.wait.entry);
	EXPECT_EQ(sys_write(fds[1], "bytes", 5), 5);
	add_wait_queue(&pipe->rd_wait, &watcher.wait);
	EXPECT_EQ(pipe_begin_take(file, buf, sizeof(buf), true), 5);
	EXPECT_EQ(sys_read(fds[0], buf, sizeof(buf)), -EAGAIN);
	EXPECT_EQ(watcher.events, 0);
	pipe_end_take(file, 2);
	EXPECT_EQ(watcher.events, 1);
	EXPECT_EQ(sys_read(fds[0], buf, sizeof(buf)), 3);
	EXPECT(!memcmp(buf, "tes", 3));
	remove_wait_queue(&pipe->rd_wait, &watcher.wait);
	fput(file);
	sys_close(fds[0]);
	sys_close(fds[1]);
}
