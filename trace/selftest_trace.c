/* Self-tests of the trace files: what options show, who gets an event, and what malformed writes
 * leave. */
#include "fs/syscalls.h"
#include "fs/fs.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "kernel/selftest/ftrace_targets.h"
#include "kernel/selftest/selftest.h"
#include "trace/trace.h"

#define TRACING     "/sys/kernel/tracing/"
#define TEXT_SIZE   8192U
#define FUZZ_WRITES 10000U
#define FUZZ_GLOBS  1000U /* to a filter, where each text is matched with every function */
#define FUZZ_MAX    48U

static char text[TEXT_SIZE]; /* what get() has read */

/* Write to a tracing file as `echo -n` does: 0 or the error. */
static long put_mode(const char *name, const char *data, size_t length, int mode)
{
	char path[128];
	long fd, ret;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = sys_open(path, O_WRONLY | mode, 0);
	if (fd < 0)
		return fd;
	ret = sys_write((int)fd, data, length);
	sys_close((int)fd);
	return ret < 0 ? ret : 0;
}

static long put(const char *name, const char *data)
{
	return put_mode(name, data, strlen(data), O_TRUNC);
}

/* Read a tracing file into buf from its start; its length, or the error. */
static long get_into(const char *name, char *buf, size_t size)
{
	char path[128];
	long fd, ret, length = 0;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = sys_open(path, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	while ((size_t)length < size - 1) {
		ret = sys_read((int)fd, buf + length, size - 1 - (size_t)length);
		if (ret <= 0)
			break;
		length += ret;
	}
	sys_close((int)fd);
	buf[length] = '\0';
	return length;
}

static const char *get(const char *name)
{
	text[0] = '\0';
	get_into(name, text, sizeof(text));
	return text;
}

/* One call of a function is in the trace, and tracing is off. */
static noinline bool trace_one_call(void)
{
	bool ok = put("set_ftrace_filter", "ftrace_target_add") == 0 &&
		  put("current_tracer", "function") == 0;

	put("tracing_on", "1");
	ftrace_target_add(1, 2);
	put("tracing_on", "0");
	return ok;
}

static void reset(void)
{
	put("current_tracer", "nop");
	put("set_ftrace_filter", "");
	put("set_ftrace_pid", "");
	put("set_ftrace_notrace_pid", "");
	put("tracing_on", "1");
	put("trace", "");
}

SELFTEST(trace, a_marker_stands_in_the_trace_until_it_is_cleared)
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

SELFTEST(trace, each_option_shows_its_effect)
{
	static const struct {
		const char *option;
		const char *there; /* in the trace while it is set as written here */
		const char *gone;  /* and this not */
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
		if (!strstr(text, options[i].there) ||
		    (options[i].gone && strstr(text, options[i].gone))) {
			selftest_diag(test, "%s: %s", option, text);
			EXPECT(!"the option has its effect");
		}
		snprintf(opposite, sizeof(opposite), "%s%s", strstarts(option, "no") ? "" : "no",
			 strstarts(option, "no") ? option + 2 : option);
		EXPECT_EQ(put("trace_options", opposite), 0);
	}
	reset();
}

SELFTEST(trace, func_stack_trace_adds_the_callers)
{
	reset();
	EXPECT_EQ(put("options/func_stack_trace", "1"), 0);
	ASSERT(trace_one_call());
	EXPECT(strstr(get("trace"),
		      ": <stack trace>\n => ftrace_target_add\n => trace_one_call\n"));
	EXPECT_EQ(put("options/func_stack_trace", "0"), 0);
	reset();
}

SELFTEST(trace, trace_printk_names_its_caller)
{
	reset();
	trace_printk("answer %d\n", 42);
	EXPECT(strstr(get("trace"), "_trace_printk_names_its_caller: answer 42\n"));
	EXPECT_EQ(put("trace_options", "notrace_printk"), 0);
	trace_printk("unseen\n");
	trace_printk("unseen %d\n", 1);
	EXPECT_EQ(put("trace_options", "trace_printk"), 0);
	EXPECT(!strstr(get("trace"), "unseen"));
	EXPECT_EQ(put("trace_options", "nomarkers"), 0);
	EXPECT_EQ(put("trace_marker", "unseen"), -EINVAL);
	EXPECT_EQ(put("trace_options", "markers"), 0);
	reset();
}

/* The type of the only event in the trace, or 0. */
static unsigned type_of_the_event(void)
{
	struct trace_iterator *iter =
		trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	unsigned type = 0;

	if (!iter)
		return 0;
	if (trace_find_next_entry(iter))
		type = iter->ent->type;
	if (trace_find_next_entry(iter))
		type = 0;
	trace_iterator_free(iter);
	return type;
}

/* A constant format is stored by address, with its arguments; a constant text by address alone. */
SELFTEST(trace, trace_printk_stores_addresses_that_printk_formats_knows)
{
	char local[16] = "local %d\n", line[64];
	const char *volatile variable = local;
	const struct bprint_entry *entry;
	struct trace_iterator *iter;

	reset();
	trace_printk("%s has %5d|%-6lx|%c|%hhu|%ps|%*ph|%.2s\n", "text", 7, 0x123456789UL, 'q',
		     (u8)200, (void *)schedule, 3, "\x01\xab\xff", "longer");
	EXPECT_EQ(type_of_the_event(), TRACE_BPRINT);
	EXPECT(strstr(get("trace"), ": text has     7|123456789|q|200|schedule|01 ab ff|lo\n"));
	iter = trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	ASSERT(iter && trace_find_next_entry(iter));
	entry = (const struct bprint_entry *)iter->ent;
	snprintf(line, sizeof(line), "0x%lx : \"%%s has %%5d|", (unsigned long)entry->fmt);
	trace_iterator_free(iter);
	EXPECT(strstr(get("printk_formats"), line));

	reset();
	trace_puts("a \"constant\"\ttext\n");
	EXPECT_EQ(type_of_the_event(), TRACE_BPUTS);
	EXPECT(strstr(get("trace"), "_formats_knows: a \"constant\"\ttext\n"));
	EXPECT(strstr(get("printk_formats"), " : \"a \\\"constant\\\"\\ttext\\n\"\n"));
	reset();
	trace_printk("without arguments\n");
	EXPECT_EQ(type_of_the_event(), TRACE_BPUTS);

	reset();
	trace_printk(variable, 5);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	EXPECT(strstr(get("trace"), "_formats_knows: local 5\n"));
	reset();
	trace_puts(variable);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	EXPECT(strstr(get("trace"), "_formats_knows: local %d\n"));
	reset();
}

SELFTEST(trace, trace_printk_cuts_what_is_too_long_for_an_entry)
{
	char *longer = kmalloc(3000, GFP_KERNEL), *line;

	ASSERT(longer);
	memset(longer, 'x', 3000);
	longer[2999] = '\0';
	reset();
	trace_printk("%s and %d\n", longer, 1);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	line = strstr(get("trace"), ": xxxx");
	ASSERT(line);
	EXPECT_EQ(strspn(line + 2, "x"), TRACE_SCRATCH_SIZE - 1);
	kfree(longer);
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
	EXPECT_EQ(put_mode("set_ftrace_pid", "!1", 2, O_APPEND), 0);
	EXPECT(strcmp(get("set_ftrace_pid"), "32000\n") == 0);
	ASSERT(trace_one_call());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	EXPECT_EQ(put("set_ftrace_pid", ""), 0);
	EXPECT(strcmp(get("set_ftrace_pid"), "no pid\n") == 0);
	EXPECT_EQ(put("set_ftrace_notrace_pid", pid), 0);
	ASSERT(trace_one_call());
	EXPECT(!strstr(get("trace"), "ftrace_target_add <-"));
	reset();
}

/* The commands that explain their errors there are to come; the log itself is here. */
SELFTEST(trace, error_log_keeps_the_last_eight_until_it_is_cleared)
{
	static const char *const errs[] = { "No such thing", "Too much" };
	const char *line;
	char command[16];

	EXPECT_EQ(put("error_log", ""), 0);
	EXPECT(strcmp(get("error_log"), "") == 0);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(command, sizeof(command), "do it %u", i);
		tracing_log_err(&global_trace, "selftest", command, errs, i % 2, 6);
	}
	line = get("error_log");
	for (unsigned i = 2; i < 10; i++) {
		char wanted[96];

		snprintf(wanted, sizeof(wanted),
			 "] selftest: error: %s\n  Command: do it %u\n                 ^\n",
			 errs[i % 2], i);
		EXPECT(*line == '[');
		line = strchr(line, ']');
		ASSERT(line && strncmp(line, wanted, strlen(wanted)) == 0);
		line += strlen(wanted);
	}
	EXPECT_EQ(*line, '\0');
	tracing_log_err(&global_trace, "selftest", "short", errs, 0, 500);
	EXPECT(strstr(get("error_log"), "Command: short\n                ^\n"));
	EXPECT_EQ(put_mode("error_log", "x", 1, O_APPEND), 0);
	EXPECT(strstr(get("error_log"), "short"));
	EXPECT_EQ(put("error_log", ""), 0);
	EXPECT(strcmp(get("error_log"), "") == 0);
}

/* ---- consuming readers ---- */

#define PIPE_EVENTS 2000U

static atomic_t lines_read, writer_done;

static int read_pipe(void *data __unused)
{
	char *buf = kmalloc(512, GFP_KERNEL);
	long fd = sys_open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK, 0), length;

	while (buf && fd >= 0) {
		bool last = atomic_read(&writer_done);

		length = sys_read((int)fd, buf, 512);
		for (long i = 0; i < length; i++)
			if (buf[i] == '\n')
				atomic_inc(&lines_read);
		if (length <= 0 && last)
			break;
		cond_resched();
	}
	if (fd >= 0)
		sys_close((int)fd);
	kfree(buf);
	return 0;
}

SELFTEST(trace, two_readers_of_trace_pipe_share_the_events)
{
	struct task_struct *reader;

	reset();
	atomic_set(&lines_read, 0);
	atomic_set(&writer_done, 0);
	reader = kernel_clone(read_pipe, NULL, "pipe_reader");
	ASSERT(!IS_ERR(reader));
	for (unsigned i = 0; i < PIPE_EVENTS; i++)
		trace_printk("event %u\n", i);
	atomic_set(&writer_done, 1);
	read_pipe(NULL);
	kernel_wait4(reader->pid, NULL, 0);
	put_task_struct(reader);
	EXPECT_EQ(atomic_read(&lines_read), PIPE_EVENTS);
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 0/0 "));
	reset();
}

/* The entry is whole, and not older than the one before it on its CPU. */
static bool entry_is_sound(const struct trace_iterator *iter, u64 *last)
{
	const struct ftrace_entry *entry = (const void *)iter->ent;
	bool sound = entry->ent.type == TRACE_FN && iter->ent_size == sizeof(*entry) &&
		     is_kernel_text(entry->ip) && iter->ts >= last[iter->cpu];

	last[iter->cpu] = iter->ts;
	return sound;
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

SELFTEST(trace, a_sub_buffer_leaves_in_linux_format)
{
	struct buffer_data_page *page = get_free_page(GFP_KERNEL);
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
	free_page(page);
	reset();
}

/* ---- malformed writes ---- */

SELFTEST(trace, a_refused_write_says_why_and_changes_nothing)
{
	static const struct {
		const char *file, *data;
		long error;
	} refused[] = {
		{ "current_tracer", "bogus", -EINVAL },
		{ "current_tracer", "\n", -EINVAL },
		{ "trace_clock", "bogus", -EINVAL },
		{ "trace_options", "bogus", -EINVAL },
		{ "trace_options", "no", -EINVAL },
		{ "tracing_on", "x", -EINVAL },
		{ "options/raw", "2", -EINVAL },
		{ "options/test_nop_refuse", "1", -EINVAL },
		{ "buffer_size_kb", "0", -EINVAL },
		{ "buffer_size_kb", "1x", -EINVAL },
		{ "buffer_size_kb", "99999999999", -ENOMEM },
		{ "buffer_percent", "101", -EINVAL },
		{ "saved_cmdlines_size", "0", -EINVAL },
		{ "tracing_cpumask", "zz", -EINVAL },
		{ "set_ftrace_pid", "-1", -EINVAL },
		{ "set_ftrace_pid", "1 2 x", -EINVAL },
		{ "README", "x", -EINVAL },
		{ "available_tracers", "x", -EINVAL },
	};
	char *before = kmalloc(TEXT_SIZE, GFP_KERNEL);

	ASSERT(before);
	reset();
	for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
		long error;

		get_into(refused[i].file, before, TEXT_SIZE);
		error = put_mode(refused[i].file, refused[i].data, strlen(refused[i].data), 0);
		if (error != refused[i].error || strcmp(before, get(refused[i].file)) != 0) {
			selftest_diag(test, "%s to %s: %ld, then %s", refused[i].data,
				      refused[i].file, error, text);
			EXPECT(!"refused as it should be");
		}
	}
	kfree(before);
}

/* xorshift: the same texts every time. */
static u64 fuzz_random(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static size_t fuzz_text(char *data)
{
	static const char alphabet[] =
		"0123456789abcdefxXno!*?[]^-,:;. \t\n\\'\"_rawglobalfunction";
	size_t length = fuzz_random() % FUZZ_MAX;

	for (size_t i = 0; i < length; i++) {
		u64 r = fuzz_random();

		data[i] = r % 16 ? alphabet[(r >> 8) % (sizeof(alphabet) - 1)] : (char)(r >> 16);
	}
	return length;
}

SELFTEST(trace, malformed_writes_give_only_errors)
{
	/* stateless: what a good write changes is undone by reset(). Sizes have their own test: a
	 * good one costs memory. */
	static const char *const files[] = {
		"current_tracer",
		"trace_clock",
		"trace_options",
		"set_ftrace_pid",
		"set_ftrace_notrace_pid",
		"trace_marker",
		"tracing_cpumask",
		"buffer_percent",
		"options/raw",
		"set_ftrace_filter",
		"set_ftrace_notrace",
		"error_log",
		"tracing_on",
		"trace",
	};
	char data[FUZZ_MAX], *before = kmalloc(TEXT_SIZE, GFP_KERNEL), mask[80];
	unsigned refused = 0;

	ASSERT(before);
	reset();
	get_into("tracing_cpumask", mask, sizeof(mask));
	for (unsigned f = 0; f < ARRAY_SIZE(files); f++) {
		bool has_state = f < 3 || (f >= 6 && f <= 8);
		unsigned writes = strstr(files[f], "filter") || strstr(files[f], "notrace")
					  ? FUZZ_GLOBS
					  : FUZZ_WRITES;

		for (unsigned i = 0; i < writes; i++) {
			size_t length = fuzz_text(data);
			long error;

			if (has_state && i % 64 == 0)
				get_into(files[f], before, TEXT_SIZE);
			error = put_mode(files[f], data, length, 0);
			refused += error < 0;
			if (error < 0 && has_state && i % 64 == 0)
				EXPECT(strcmp(before, get(files[f])) == 0);
			EXPECT(error <= 0 && error > -4096);
		}
		cond_resched();
	}
	kfree(before);
	selftest_diag(test, "%u writes refused", refused);
	EXPECT(refused > 0);
	put("tracing_cpumask", mask);
	put("trace_clock", "local");
	put("set_ftrace_notrace", "");
	put("options/raw", "0");
	put("buffer_percent", "50");
	reset();
	EXPECT_EQ(put("trace_marker", "alive"), 0);
	EXPECT(strstr(get("trace"), "alive"));
}
