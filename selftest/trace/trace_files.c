/* Self-tests of the trace files: the content of the trace, and which reader gets an event. */
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/each_instruction.h"
#include "selftest/lib/files.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/iterator.h"
#include "trace/core/trace_printk.h"
#include "trace/core/write.h"
#include "trace/tracers/function/function.h"

SELFTEST(trace, a_marker_is_in_the_trace_until_it_is_cleared)
{
	reset();
	EXPECT_EQ(put("trace_marker", "hello there"), 0);
	EXPECT(strstr(get("trace"), ": tracing_mark_write: hello there\n"));
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 1/1 "));
	EXPECT_EQ(put_mode("trace", "x", 1, O_APPEND), 0);
	EXPECT(strstr(get("trace"), "hello there"));
	EXPECT_EQ(put("trace", ""), 0);
	EXPECT(!strstr(get("trace"), "hello there"));
}

SELFTEST(trace, an_event_has_the_call_its_caller_and_the_task)
{
	char context[64];

	reset();
	ASSERT(trace_one_call());
	snprintf(context, sizeof(context), "-%-7d [", current->pid);
	EXPECT(strstr(get("trace"), ": ftrace_target_add <-trace_one_call\n"));
	EXPECT(strstr(text, context));
	EXPECT(strstr(text, "# tracer: function\n"));
	reset();
}

SELFTEST(trace, only_the_tasks_of_set_ftrace_pid_are_traced)
{
	char pid[16];

	reset();
	snprintf(pid, sizeof(pid), "%d", current->pid);
	EXPECT_EQ(put("set_ftrace_pid", pid), 0);
	ASSERT(trace_one_call());
	EXPECT(strstr(get("trace"), "ftrace_target_add <-"));
	EXPECT_EQ(put("set_ftrace_pid", "1 32000"), 0);
	EXPECT(strcmp(get("set_ftrace_pid"), "1\n32000\n") == 0);
	EXPECT_EQ(put_mode("set_ftrace_pid", "99999999", 8, O_APPEND), 0);
	EXPECT_EQ(put_mode("set_ftrace_pid", "!1", 2, O_APPEND), -EINVAL);
	EXPECT(strcmp(get("set_ftrace_pid"), "1\n32000\n99999999\n") == 0);
	ASSERT(trace_one_call());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	EXPECT_EQ(put("set_ftrace_pid", ""), 0);
	EXPECT(strcmp(get("set_ftrace_pid"), "no pid\n") == 0);
	EXPECT_EQ(put("set_ftrace_notrace_pid", pid), 0);
	ASSERT(trace_one_call());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	reset();
}

/* ---- consuming readers ---- */

#define PIPE_EVENTS 2000U

static atomic_t lines_read, writer_done;

static int read_pipe(void *data __unused)
{
	char *buf = kmalloc(512, GFP_KERNEL);
	struct file *file = file_open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK);
	long length;

	while (buf && !IS_ERR(file)) {
		bool last = atomic_read(&writer_done);

		length = file_read(file, buf, 512);
		for (long i = 0; i < length; i++)
			if (buf[i] == '\n')
				atomic_inc(&lines_read);
		if (length <= 0 && last)
			break;
		cond_resched();
	}
	if (!IS_ERR(file))
		fput(file);
	kfree(buf);
	return 0;
}

SELFTEST(trace, two_readers_of_trace_pipe_share_the_events)
{
	struct task_struct *reader;

	reset();
	atomic_set(&lines_read, 0);
	atomic_set(&writer_done, 0);
	reader = test_task_start(read_pipe, NULL, "pipe_reader");
	ASSERT(reader);
	for (unsigned i = 0; i < PIPE_EVENTS; i++)
		trace_printk("event %u\n", i);
	atomic_set(&writer_done, 1);
	read_pipe(NULL);
	test_task_end(reader);
	EXPECT_EQ(atomic_read(&lines_read), PIPE_EVENTS);
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 0/0 "));
	reset();
}

/* Returns true if the entry is intact, and not older than the one before it on its CPU. */
static bool entry_is_sound(const struct trace_iterator *iter, u64 *last)
{
	const struct ftrace_entry *entry = (const void *)iter->ent;
	bool sound = entry->ent.type == TRACE_FN && iter->ent_size == sizeof(*entry) &&
		     is_kernel_text(entry->ip) && iter->ts >= last[iter->cpu];

	last[iter->cpu] = iter->ts;
	return sound;
}

/* A read and a seek succeed for each open mode. */
SELFTEST(trace, files_may_be_read_and_sought_however_they_were_opened)
{
	static const char *const files[] = { "set_ftrace_filter",  "set_ftrace_notrace",
					     "set_graph_function", "set_graph_notrace",
					     "set_ftrace_pid",     "max_graph_depth",
					     "tracing_thresh",     "trace",
					     "trace_options",      "current_tracer" };
	static const int modes[] = { O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR, O_RDWR | O_TRUNC };
	char path[64], data[64];

	reset();
	for (unsigned i = 0; i < ARRAY_SIZE(files) * ARRAY_SIZE(modes); i++) {
		int mode = modes[i % ARRAY_SIZE(modes)];
		struct file *file;
		long length;

		snprintf(path, sizeof(path), TRACING "%s", files[i / ARRAY_SIZE(modes)]);
		file = file_open(path, mode);
		ASSERT(!IS_ERR(file));
		EXPECT(file_seek(file, 5, SEEK_SET) > -4096);
		EXPECT(file_seek(file, 0, SEEK_SET) > -4096);
		length = file_read(file, data, sizeof(data));
		EXPECT(mode & O_RDWR ? length >= 0 : length == -EBADF);
		if (strstr(path, "set_graph_function") && mode & O_RDWR)
			EXPECT(strstarts(data, "#### all functions enabled ####\n"));
		fput(file);
	}
	reset();
}

SELFTEST(trace, readers_at_full_speed_see_whole_events_in_order)
{
	u64 *last = kcalloc(nr_cpu_ids, sizeof(*last), GFP_KERNEL);
	struct trace_iterator *iter;
	unsigned unsound = 0, seen = 0;

	ASSERT(last);
	reset();
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	ASSERT(put("current_tracer", "function") == 0);
	for (unsigned round = 0; round < 8; round++) {
		bool consuming = round % 2;

		memset(last, 0, nr_cpu_ids * sizeof(*last));
		iter = trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, consuming);
		ASSERT(iter);
		for (unsigned i = 0; i < 5000 && trace_find_next_entry(iter); i++) {
			unsound += !entry_is_sound(iter, last);
			seen++;
			ftrace_target_other();
		}
		trace_iterator_free(iter);
	}
	EXPECT_EQ(unsound, 0);
	EXPECT(seen > 5000);
	kfree(last);
	reset();
}

static int set_order(unsigned order)
{
	int error;

	mutex_lock(&trace_types_lock);
	error = tracing_set_subbuf_order(&global_trace, order);
	mutex_unlock(&trace_types_lock);
	return error;
}

/* The sub-buffers grow while a reader fits its memory to them, and shrink again. */
SELFTEST(trace, a_reader_has_room_for_whatever_its_iterators_return)
{
	struct trace_iterator *iter;
	char *text = kmalloc(PAGE_SIZE, GFP_KERNEL);

	ASSERT(text);
	memset(text, 'x', PAGE_SIZE);
	reset();
	iter = trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	ASSERT(iter);
	EXPECT_EQ(set_order(1), 0);
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		EXPECT(ring_buffer_iter_fit(iter->iters[cpu]) >= 0);
	EXPECT_EQ(set_order(0), 0);
	EXPECT_EQ(trace_iterator_fit(iter), 0);
	EXPECT_EQ(set_order(1), 0);
	EXPECT_EQ(trace_write_print(&global_trace, 0, text, PAGE_SIZE), 0);
	trace_iterator_reset(iter);
	EXPECT(trace_find_next_entry(iter));
	EXPECT(iter->ent_size > PAGE_SIZE);
	trace_iterator_free(iter);
	EXPECT_EQ(set_order(0), 0);
	kfree(text);
	reset();
}

SELFTEST(trace, a_full_buffer_counts_what_it_loses)
{
	struct ring_buffer_stats stats;
	u64 kept = 0, lost = 0;
	unsigned cpu;

	reset();
	EXPECT_EQ(put("buffer_size_kb", "8"), 0);
	EXPECT_EQ(put("options/overwrite", "0"), 0);
	for (unsigned i = 0; i < PIPE_EVENTS; i++)
		trace_printk("event %u\n", i);
	for_each_possible_cpu (cpu) {
		ring_buffer_cpu_stats(global_trace.buffer, cpu, &stats);
		kept += stats.entries;
		lost += stats.dropped_events;
	}
	EXPECT_EQ(kept + lost, PIPE_EVENTS);
	EXPECT(lost > 0);
	EXPECT(strstr(get("trace"), ": event 0\n"));
	EXPECT_EQ(put("options/overwrite", "1"), 0);
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	EXPECT(strcmp(get("buffer_size_kb"), "64\n") == 0);
	EXPECT_EQ(put("per_cpu/cpu0/buffer_size_kb", "128"), 0);
	EXPECT(strcmp(get("per_cpu/cpu0/buffer_size_kb"), "128\n") == 0);
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	reset();
}

static void call_target(void *arg __unused)
{
	ftrace_target_add(1, 2);
}

/* An interrupt arrives at each instruction while the call that set_graph_function names begins. */
SELFTEST(trace, a_graph_of_one_function_begins_with_that_function)
{
	unsigned i = 0, inside = 0, wrong = 0;
	bool interrupted;

	reset();
	EXPECT_EQ(put("set_ftrace_filter", "ftrace_target_add do_interrupt"), 0);
	EXPECT_EQ(put("set_graph_function", "ftrace_target_add"), 0);
	EXPECT_EQ(put("current_tracer", "function_graph"), 0);
	do {
		const char *call, *interrupt;

		call_target(NULL); /* what it leaves on the shadow stack must not matter */
		put("trace", "");
		interrupted = interrupt_instruction(BY_INTERRUPT, i++, call_target, NULL);
		call = strstr(get("trace"), "ftrace_target_add()");
		interrupt = strstr(text, "do_interrupt()");
		inside += !!interrupt;
		wrong += !call || (interrupt && interrupt < call);
	} while (interrupted);
	EXPECT_EQ(wrong, 0);
	EXPECT(inside > 0);
	selftest_diag(test, "%u of %u interrupts were inside the call", inside, i);
	EXPECT_EQ(put("current_tracer", "nop"), 0);
	EXPECT_EQ(put("set_graph_function", ""), 0);
	reset();
}
