/*
 * In-kernel self-tests: one function for each behaviour. The test kernel runs them if `selftest` or
 * `selftest=GLOB` is on its command line, and reports in KTAP on the serial line. QEMU then ends
 * with status 0 if all tests passed, and with 33 if a test failed or if none matched.
 *
 * The host may stop each CPU for a second or two, at any instruction, and kworkers may run
 * meanwhile. So a test waits for a state, not for a time, and expects no order of two tasks that
 * nothing makes certain. Code that keeps its CPU (interrupts or preemption off, a probe handler)
 * waits for no task: that task could be in the run queue of this CPU, or behind another one that
 * waits for an answer of this CPU or has a mutex. If it must, the other task exists already, is
 * bound to another CPU, and needs nothing more.
 */
#pragma once

#include "kernel/linker_table.h"

struct selftest {
	const char *suite; /* "slab", "mutex" */
	const char *name;  /* the behaviour: "free_returns_memory_to_its_cache" */
	void (*fn)(struct selftest *test);
	bool failed; /* set by the runner and by failed expectations */
};

/*
 * Defines and registers a test. The body follows, and is a function with the argument `test`. Task
 * context.
 */
#define SELFTEST(suite_, name_)                                                                    \
	static void selftest_##suite_##_##name_(struct selftest *test);                            \
	static struct selftest __selftest_##suite_##_##name_ LINKER_TABLE_ENTRY(                   \
		data, selftests,                                                                   \
		"") = { .suite = #suite_, .name = #name_, .fn = selftest_##suite_##_##name_ };     \
	static void selftest_##suite_##_##name_(struct selftest *test __unused)

/*
 * How often a test tries what needs luck: `all` times, or as many percent of that as
 * `selftest_rounds=` says, but once at least.
 */
unsigned selftest_rounds(unsigned all);

/*
 * EXPECT and ASSERT report an expression that is false, and mark the test as failed. After that
 * EXPECT continues, and ASSERT returns from the test.
 */
__printf(4, 5) void selftest_fail(struct selftest *test, const char *file, int line,
				  const char *fmt, ...);
__printf(2, 3) void selftest_diag(struct selftest *test, const char *fmt, ...);
#define EXPECT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond))                                                                       \
			selftest_fail(test, __FILE__, __LINE__, "%s", #cond);                      \
	} while (0)
#define ASSERT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			selftest_fail(test, __FILE__, __LINE__, "%s", #cond);                      \
			return;                                                                    \
		}                                                                                  \
	} while (0)
/* Also print the two values if they differ. EXPECT_EQ_HEX is for addresses and bits. */
#define EXPECT_EQ(a, b)     EXPECT_EQ_AS("%ld", a, #a, b, #b)
#define EXPECT_EQ_HEX(a, b) EXPECT_EQ_AS("0x%lx", a, #a, b, #b)
#define EXPECT_EQ_AS(number, a, a_text, b, b_text)                                                 \
	do {                                                                                       \
		long __ea = (long)(a), __eb = (long)(b);                                           \
		if (__ea != __eb)                                                                  \
			selftest_fail(test, __FILE__, __LINE__,                                    \
				      "%s == %s, but they are " number " and " number, a_text,     \
				      b_text, __ea, __eb);                                         \
	} while (0)
