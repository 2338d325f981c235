/* Self-tests of poll(2) on trace_pipe and trace_pipe_raw: what wakes it. */
#include "fs/vfs/syscalls.h"
#include "kernel/process/wait.h"
#include "selftest/selftest.h"
#include "selftest/trace/trace_pipe_reader.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/snapshot.h"
#include "trace/core/trace_printk.h"

static short poll_once(long fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = (int)fd, .events = POLLIN };

	return sys_poll(&pfd, 1, timeout_ms) > 0 ? pfd.revents : 0;
}

SELFTEST(trace_pipe, with_buffer_percent_0_any_event_is_enough_for_poll)
{
	static const char *const paths[] = { PIPE, CPU_PIPE, RAW };

	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		long fd;

		ASSERT(trace_pipe_begin(0));
		fd = sys_open(paths[i], O_RDONLY, 0);
		ASSERT(fd >= 0);
		EXPECT_EQ(poll_once(fd, 0), 0);
		EXPECT_EQ(poll_once(fd, 1), 0);
		trace_puts("event\n");
		EXPECT_EQ(poll_once(fd, -1), POLLIN);
		sys_close((int)fd);
	}
	trace_pipe_end();
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
	kernel_wait4(r.task->pid, NULL, 0);
	put_task_struct(r.task);
	EXPECT_EQ(r.result, POLLIN);
}

static const char *const all_files[] = { PIPE, CPU_PIPE, RAW };

SELFTEST(trace_pipe, an_event_wakes_poll)
{
	for (unsigned i = 0; i < ARRAY_SIZE(all_files); i++) {
		ASSERT(trace_pipe_begin(0));
		wake_poll(test, all_files[i], NULL);
	}
	trace_pipe_end();
}

SELFTEST(trace_pipe, an_event_after_a_snapshot_wakes_poll)
{
	for (unsigned i = 0; i < ARRAY_SIZE(all_files); i++) {
		ASSERT(trace_pipe_begin(0) && put("snapshot", "1") == 0);
		wake_poll(test, all_files[i], tracing_snapshot_tr);
	}
	EXPECT_EQ(put("snapshot", "0"), 0);
	trace_pipe_end();
}
