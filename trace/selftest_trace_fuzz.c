/* Self-tests of the trace files: what malformed writes leave. */
#include "fs/fs.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/selftest/selftest.h"
#include "trace/selftest_tracefs.h"
#include "trace/trace.h"

#define TEXT_SIZE   TRACE_TEXT_SIZE
#define FUZZ_WRITES 10000U
#define FUZZ_GLOBS  1000U /* to a filter, where each text is matched with every function */
#define FUZZ_MAX    48U

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
