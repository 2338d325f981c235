/*
 * In-kernel self-tests: one function a behaviour, run by `selftest` on the command line of the test
 * kernel (or `selftest=GLOB`), reported in KTAP on the serial line. QEMU then ends with status 0
 * when all passed, and 33 when one failed or none matched.
 */
#pragma once

#include "kernel/linker_table.h"

struct selftest {
	const char *suite; /* "slab", "mutex" */
	const char *name;  /* the behaviour: "free_returns_memory_to_its_cache" */
	void (*fn)(struct selftest *test);
	/* runtime */
	bool failed;
};

/*
 * Defines and registers a test; the body is its function, with `test` as its argument. Task
 * context.
 */
#define SELFTEST(suite_, name_)                                                                    \
	static void selftest_##suite_##_##name_(struct selftest *test);                            \
	static struct selftest __selftest_##suite_##_##name_ LINKER_TABLE_ENTRY(                   \
		data, selftests,                                                                   \
		"") = { .suite = #suite_, .name = #name_, .fn = selftest_##suite_##_##name_ };     \
	static void selftest_##suite_##_##name_(struct selftest *test __unused)

/* Report the failing expression, mark the test failed, go on (EXPECT) or return (ASSERT). */
void selftest_fail(struct selftest *test, const char *file, int line, const char *what);
__printf(2, 3) void selftest_diag(struct selftest *test, const char *fmt, ...);
#define EXPECT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond))                                                                       \
			selftest_fail(test, __FILE__, __LINE__, #cond);                            \
	} while (0)
#define ASSERT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			selftest_fail(test, __FILE__, __LINE__, #cond);                            \
			return;                                                                    \
		}                                                                                  \
	} while (0)
#define EXPECT_EQ(a, b)                                                                            \
	do {                                                                                       \
		long __ea = (long)(a), __eb = (long)(b);                                           \
		if (__ea != __eb) {                                                                \
			selftest_diag(test, "%s is %ld, %s is %ld", #a, __ea, #b, __eb);           \
			selftest_fail(test, __FILE__, __LINE__, #a " == " #b);                     \
		}                                                                                  \
	} while (0)
