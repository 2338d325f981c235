/*
 * The runner of the in-kernel self-tests. It runs the tests that `selftest` or `selftest=GLOB` on
 * the command line selects, reports in KTAP version 1 (Linux: Documentation/dev-tools/ktap.rst),
 * and ends QEMU.
 */
#include "selftest/selftest.h"
#include "arch/cpu/irqflags.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/panic.h"
#include "kernel/preempt.h"
#include "kernel/printk/printk.h"
#include "kernel/reboot.h"
#include "selftest/lib/file_systems.h"
#include "selftest/lib/start.h"
#include "selftest/lib/threads.h"

DEFINE_LINKER_TABLE(data, struct selftest, selftests);

/* QEMU's exit status is (value << 1) | 1, here 33. */
#define EXIT_TESTS_FAILED 16

static bool wanted;
static char glob[128] = "*";

static int __init setup_selftest(const char *value)
{
	wanted = true;
	if (value && *value)
		strscpy(glob, value, sizeof(glob));
	return 0;
}
__setup("selftest", setup_selftest);

/* `selftest_except=GLOBS` leaves out what it matches. */
static char except[128];
__setup_string("selftest_except", except);

/* `selftest_nonce=WORD` lets each result end with the word: who reads it sees that it is new. */
static char nonce[32];
__setup_string("selftest_nonce", nonce);

static unsigned long percent = 100;

static int __init setup_rounds(const char *value)
{
	return value ? kstrtoul(value, 10, &percent) : -EINVAL;
}
__setup("selftest_rounds", setup_rounds);

unsigned selftest_rounds(unsigned all)
{
	return max((unsigned)(all * percent / 100), 1U);
}

/* Tells if one of the globs, which have commas between them, matches text. */
static bool one_matches(const char *globs, const char *text)
{
	char one[128];

	for (;;) {
		const char *end = strchrnul(globs, ',');
		size_t length = min((size_t)(end - globs), sizeof(one) - 1);

		memcpy(one, globs, length);
		one[length] = '\0';
		if (glob_match(one, text))
			return true;
		if (!*end)
			return false;
		globs = end + 1;
	}
}

/* Tells if one of the globs matches the suite of the test, or suite.name. */
static bool matches(const char *globs, const struct selftest *test)
{
	char full[128];

	strscpy(full, test->suite, sizeof(full));
	if (one_matches(globs, full))
		return true;
	strscat(full, ".", sizeof(full));
	strscat(full, test->name, sizeof(full));
	return one_matches(globs, full);
}

static bool selected(const struct selftest *test)
{
	return matches(glob, test) && !matches(except, test);
}

static bool same_suite(const struct selftest *a, const struct selftest *b)
{
	return !strcmp(a->suite, b->suite);
}

/* Tells if test is the first selected test of its suite. */
static bool first_of_suite(const struct selftest *test)
{
	if (!selected(test))
		return false;
	for (const struct selftest *t = linker_table_start(selftests); t < test; t++)
		if (same_suite(t, test) && selected(t))
			return false;
	return true;
}

static void print_text(const struct selftest *test, const char *prefix, const char *fmt,
		       va_list args)
{
	char text[256];

	vsnprintf(text, sizeof(text), fmt, args);
	pr_info("    # %s: %s%s\n", test->name, prefix, text);
}

void selftest_fail(struct selftest *test, const char *file, int line, const char *fmt, ...)
{
	char place[128];
	va_list args;

	WRITE_ONCE(test->failed, true);
	snprintf(place, sizeof(place), "EXPECTATION FAILED at %s:%d: ", file, line);
	va_start(args, fmt);
	print_text(test, place, fmt, args);
	va_end(args);
}

void selftest_diag(struct selftest *test, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_text(test, "", fmt, args);
	va_end(args);
}

static void run_test(struct selftest *test, unsigned number)
{
	test->fn(test);
	if (in_atomic()) {
		selftest_diag(test, "returned with preempt_count %#x", preempt_count());
		test->failed = true;
		preempt_count_sub(preempt_count());
	}
	if (irqs_disabled()) {
		selftest_diag(test, "returned with interrupts off");
		test->failed = true;
		local_irq_enable();
	}
	pr_info("    %s %u %s%s%s\n", test->failed ? "not ok" : "ok", number, test->name,
		*nonce ? " # " : "", nonce);
}

struct totals {
	unsigned pass, fail;
};

/* Runs all selected tests of first's suite. Returns true if none failed. */
static bool run_suite(struct selftest *first, struct totals *totals)
{
	unsigned count = 0, number = 0, failed = 0;

	for (struct selftest *t = first; t < linker_table_end(selftests); t++)
		count += same_suite(t, first) && selected(t);
	pr_info("    KTAP version 1\n");
	pr_info("    # Subtest: %s\n", first->suite);
	pr_info("    1..%u\n", count);
	for (struct selftest *t = first; t < linker_table_end(selftests); t++) {
		if (!same_suite(t, first) || !selected(t))
			continue;
		run_test(t, ++number);
		failed += t->failed;
	}
	totals->fail += failed;
	totals->pass += count - failed;
	return !failed;
}

/* Runs in a task of its own. Ends QEMU. */
static int run_selftests(void *unused __unused)
{
	struct totals totals = { 0, 0 };
	unsigned suites = 0, number = 0;

	for_each_linker_table_entry (t, selftests)
		suites += first_of_suite(t);
	pr_info("KTAP version 1\n");
	pr_info("1..%u\n", suites);
	for_each_linker_table_entry (t, selftests)
		if (first_of_suite(t))
			pr_info("%s %u %s\n", run_suite(t, &totals) ? "ok" : "not ok", ++number,
				t->suite);
	if (!suites)
		pr_info("# No test matches %s\n", glob);
	pr_info("# Totals: pass:%u fail:%u\n", totals.pass, totals.fail);
	console_flush();
	if (totals.fail || !suites)
		qemu_debug_exit(EXIT_TESTS_FAILED);
	kernel_power_off();
}

static void start_in_thread(int (*fn)(void *unused))
{
	struct task_struct *task = test_task_start(fn, NULL, "init");

	if (!task)
		panic("selftest: no memory");
	test_task_end(task);
}

void (*selftest_start)(int (*fn)(void *unused)) = start_in_thread;

/* PID 1. */
static void start_selftests(void)
{
	mount_file_systems();
	selftest_start(run_selftests);
}

static int __init selftest_init(void)
{
	if (wanted)
		first_program = start_selftests;
	return 0;
}
late_initcall(selftest_init);
