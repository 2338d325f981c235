/* Self-tests of trace_options: the effect of each option, in the formats of Linux. */
#include "fs/file/poll.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/files.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_array.h"
#include "trace/core/trace_printk.h"

static unsigned count_of(const char *where, const char *what)
{
	unsigned count = 0;

	for (; (where = strstr(where, what)) != NULL; where++)
		count++;
	return count;
}

SELFTEST(trace_options, each_option_shows_its_effect)
{
	static const struct {
		const char *option;
		const char *present; /* the trace contains this while option is written */
		const char *absent;  /* the trace does not contain this */
	} options[] = {
		{ "noprint-parent", ": ftrace_target_add\n", " <-" },
		{ "sym-offset", "ftrace_target_add+0x0/0x", NULL },
		{ "sym-addr", "ftrace_target_add <ffffffff8", NULL },
		{ "noirq-info", "CPU#     TIMESTAMP", "hardirq/softirq" },
		{ "nocontext-info", "\nftrace_target_add <-trace_one_call\n", "TIMESTAMP" },
		{ "latency-format", "# function latency trace v1.1.5", "entries-in-buffer" },
		{ "record-tgid", "TGID", NULL },
		{ "raw", " ffffffff8", "ftrace_target_add" },
		{ "hex", "0000000", "ftrace_target_add" },
		{ "bin", "# tracer: function", "ftrace_target_add" },
	};
	char opposite[32];

	reset();
	ASSERT(trace_one_call());
	for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
		const char *option = options[i].option;

		EXPECT_EQ(put("trace_options", option), 0);
		get("trace");
		if (!strstr(text, options[i].present) ||
		    (options[i].absent && strstr(text, options[i].absent))) {
			selftest_diag(test, "%s: %s", option, text);
			EXPECT(!"the option has its effect");
		}
		snprintf(opposite, sizeof(opposite), "%s%s", strstarts(option, "no") ? "" : "no",
			 strstarts(option, "no") ? option + 2 : option);
		EXPECT_EQ(put("trace_options", opposite), 0);
	}
	reset();
}

SELFTEST(trace_options, func_stack_trace_adds_the_callers)
{
	reset();
	EXPECT_EQ(put("options/func_stack_trace", "1"), 0);
	ASSERT(trace_one_call());
	EXPECT(strstr(get("trace"),
		      ": <stack trace>\n => ftrace_target_add\n => trace_one_call\n"));
	EXPECT_EQ(put("options/func_stack_trace", "0"), 0);
	reset();
}

/*
 * All calls come from one instruction: a compiler cannot unroll a loop whose counter is volatile.
 */
static noinline void call_repeatedly(unsigned (*function)(unsigned a, unsigned b), unsigned times)
{
	for (volatile unsigned i = 0; i < times; i++)
		function(1, 2);
}

SELFTEST(trace_options, func_no_repeats_counts_the_calls_that_follow_one_another)
{
	reset();
	EXPECT_EQ(put("options/func-no-repeats", "1"), 0);
	EXPECT_EQ(put("set_ftrace_filter", "ftrace_target_add ftrace_target_multiply"), 0);
	EXPECT_EQ(put("current_tracer", "function"), 0);
	preempt_disable();
	call_repeatedly(ftrace_target_add, 4);
	call_repeatedly(ftrace_target_multiply, 5);
	call_repeatedly(ftrace_target_add, 1);
	preempt_enable();
	EXPECT_EQ(put("tracing_on", "0"), 0);
	get("trace");
	EXPECT_EQ(count_of(text, ": ftrace_target_add <-"), 3);
	EXPECT_EQ(count_of(text, " (repeats: 3, last_ts:  "), 1);
	EXPECT_EQ(count_of(text, ": ftrace_target_multiply <-"), 2);
	EXPECT_EQ(count_of(text, " (repeats: 4, last_ts:  "), 1);
	EXPECT_EQ(put("options/func-no-repeats", "0"), 0);
	reset();
}

SELFTEST(trace_options, func_args_shows_the_arguments)
{
	const char *shown = btf_vmlinux_size() ? ": ftrace_target_add(a=0x1, b=0x2) <-"
					       : ": ftrace_target_add(0x1, 0x2, 0x";

	reset();
	EXPECT_EQ(put("options/func-args", "1"), 0);
	ASSERT(trace_one_call());
	EXPECT(strstr(get("trace"), shown));
	EXPECT_EQ(put("options/func-args", "0"), 0);
	EXPECT(strstr(get("trace"), shown)); /* as it was recorded */
	reset();
}

/* bin: no text, but PID, CPU, time and the addresses, in binary form. */
SELFTEST(trace_options, bin_gives_the_fields_as_they_are_in_memory)
{
	struct {
		s32 pid, cpu;
		u64 ts;
		unsigned long ip, parent_ip;
	} __packed entry;
	unsigned long target = kallsyms_lookup_name("ftrace_target_add");
	long length;
	u64 before;

	reset();
	before = ring_buffer_time_stamp(global_trace.buffer);
	ASSERT(trace_one_call());
	EXPECT_EQ(put("trace_options", "bin"), 0);
	length = get_into("trace", text, sizeof(text));
	EXPECT_EQ(put("trace_options", "nobin"), 0);
	ASSERT(length > (long)sizeof(entry));
	memcpy(&entry, text + length - sizeof(entry), sizeof(entry));
	EXPECT_EQ(text[length - (long)sizeof(entry) - 1], '\n'); /* the end of the heading */
	EXPECT_EQ(entry.pid, current->pid);
	EXPECT((unsigned)entry.cpu < nr_cpu_ids);
	EXPECT(entry.ts >= before && entry.ts <= ring_buffer_time_stamp(global_trace.buffer));
	EXPECT_EQ(entry.ip, target);
	EXPECT(is_kernel_text(entry.parent_ip));
	reset();
}

SELFTEST(trace_options, pause_on_trace_stops_recording_while_trace_is_open)
{
	struct file *file;

	reset();
	file = file_open(TRACING "trace", O_RDONLY);
	ASSERT(!IS_ERR(file));
	EXPECT_EQ(put("trace_marker", "one"), 0);
	fput(file);
	EXPECT_EQ(put("trace_options", "pause-on-trace"), 0);
	file = file_open(TRACING "trace", O_RDONLY);
	ASSERT(!IS_ERR(file));
	EXPECT_EQ(put("trace_marker", "two"), -EBADF);
	fput(file);
	EXPECT_EQ(put("trace_marker", "three"), 0);
	EXPECT_EQ(put("trace_options", "nopause-on-trace"), 0);
	get("trace");
	EXPECT(strstr(text, "one\n") && !strstr(text, "two\n") && strstr(text, "three\n"));
	reset();
}

SELFTEST(trace_options, with_the_option_block_poll_reports_trace_pipe_as_readable)
{
	struct file *file;

	reset();
	file = file_open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK);
	ASSERT(!IS_ERR(file));
	EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, 0);
	EXPECT_EQ(put("trace_options", "block"), 0);
	EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, POLLIN);
	EXPECT_EQ(put("trace_options", "noblock"), 0);
	EXPECT_EQ(vfs_poll(file, NULL) & POLLIN, 0);
	fput(file);
	reset();
}

SELFTEST(trace_options, disable_on_free_stops_tracing_when_the_buffer_is_given_back)
{
	reset();
	EXPECT_EQ(put("free_buffer", ""), 0);
	EXPECT(strcmp(get("buffer_size_kb"), "8\n") == 0);
	EXPECT(strcmp(get("tracing_on"), "1\n") == 0);
	EXPECT_EQ(put("trace_options", "disable_on_free"), 0);
	EXPECT_EQ(put("free_buffer", ""), 0);
	EXPECT(strcmp(get("tracing_on"), "0\n") == 0);
	EXPECT_EQ(put("trace_options", "nodisable_on_free"), 0);
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	reset();
}

/* trace_printk() gets a stack; a write to trace_marker gets none, as on Linux. */
SELFTEST(trace_options, stacktrace_adds_the_callers_of_trace_printk)
{
	reset();
	EXPECT_EQ(put("trace_options", "stacktrace"), 0);
	trace_printk("with %s\n", "callers");
	EXPECT_EQ(put("trace_marker", "without"), 0);
	EXPECT_EQ(put("trace_options", "nostacktrace"), 0);
	trace_printk("none %d\n", 1);
	get("trace");
	EXPECT(strstr(text, ": with callers\n"));
	EXPECT(strstr(text, ": <stack trace>\n => selftest_trace_options_stacktrace_adds_"));
	EXPECT_EQ(strstr(strstr(text, "<stack trace>") + 1, "<stack trace>"), NULL);
	reset();
}

SELFTEST(trace_options, trace_printk_goes_to_the_instance_with_its_option)
{
	reset();
	EXPECT_EQ(put("options/trace_printk_dest", "0"), -EINVAL);
	ASSERT(do_mkdirat(AT_FDCWD, TRACING "instances/printk", 0755) == 0);
	trace_printk("number %d\n", 1);
	EXPECT_EQ(put("instances/printk/options/trace_printk_dest", "1"), 0);
	EXPECT(strcmp(get("options/trace_printk_dest"), "0\n") == 0);
	trace_printk("number %d\n", 2);
	trace_puts("a text\n");
	EXPECT(count_of(get("trace"), ": number ") == 1 && strstr(text, ": number 1\n"));
	EXPECT(strstr(get("instances/printk/trace"), ": number 2\n"));
	EXPECT(count_of(text, ": number ") == 1 && strstr(text, ": a text\n"));
	/* A removed instance gives it back. */
	EXPECT_EQ(do_rmdirat(AT_FDCWD, TRACING "instances/printk"), 0);
	EXPECT(strcmp(get("options/trace_printk_dest"), "1\n") == 0);
	trace_printk("number %d\n", 3);
	EXPECT(strstr(get("trace"), ": number 3\n"));
	reset();
}
