/*
 * Probes at the instructions of the kernel's own text, while all CPUs do work whose results are
 * known. On the command line: selftest_kprobe_step=N probes every Nth instruction, 1 is all;
 * selftest_kprobe_from=N and selftest_kprobe_to=N probe those from index N on, and before index N.
 * Each batch prints where it begins, so that the last line shows where a kernel hangs.
 */
#include "arch/probes/insn.h"
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"
#include "kernel/smp.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/kernel_task.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

#define BATCH 128
#define APART 6 /* so many instructions apart, a jump for a probe rarely covers the next probe */

static unsigned long probe_step = 1009, probe_from, probe_to = ~0UL;

static int __init probe_step_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &probe_step) : -EINVAL;
}
__setup("selftest_kprobe_step", probe_step_setup);

static int __init probe_from_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &probe_from) : -EINVAL;
}
__setup("selftest_kprobe_from", probe_from_setup);

static int __init probe_to_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &probe_to) : -EINVAL;
}
__setup("selftest_kprobe_to", probe_to_setup);

/* ---- the work ---- */

static bool stop_work;
static atomic64_t rounds, wrong;

static void check(bool right, const char *what)
{
	if (right)
		return;
	if (atomic64_inc_return(&wrong) == 1)
		pr_err("kprobes_text: %s has gone wrong\n", what);
}

static void work_on_file(unsigned index, u32 seed)
{
	char path[32], text[200], back[200];
	int fd;

	snprintf(path, sizeof(path), "/tmp/kprobes_text.%u", index);
	fd = (int)sys_open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	check(fd >= 0, "open");
	memory_fill(text, sizeof(text), seed);
	check(sys_write(fd, text, sizeof(text)) == sizeof(text), "write");
	check(sys_lseek(fd, 0, SEEK_SET) == 0, "lseek");
	check(sys_read(fd, back, sizeof(back)) == sizeof(back), "read");
	check(memory_intact(back, sizeof(back), seed), "the content of a file");
	sys_close(fd);
	check(sys_unlink(path) == 0, "unlink");
}

static void work(void *unused __unused, unsigned index)
{
	u32 seed = index;

	while (!READ_ONCE(stop_work)) {
		size_t size = 16 + test_random(&seed) % 3000;
		u32 number = test_random(&seed);
		void *p = kmalloc(size, GFP_KERNEL);
		unsigned long parsed;
		char text[24];

		memory_fill(p, size, number);
		snprintf(text, sizeof(text), "%u", number);
		check(!kstrtoul(text, 10, &parsed) && parsed == number, "a number");
		check(ftrace_target_recurse(number % 9) == number % 9, "a recursive call");
		work_on_file(index, number);
		check(memory_intact(p, size, number), "memory");
		kfree(p);
		atomic64_inc(&rounds);
		if (number % 4 == 0)
			msleep(1);
	}
}

/* ---- the probes ---- */

static struct kprobe probes[BATCH];
static u8 bytes[BATCH];
static unsigned filled;
static u64 instructions, probed, refused, jumps, not_restored;

static unsigned count_jumps(const bool registered[BATCH])
{
	unsigned n = 0;

	for (unsigned i = 0; i < filled; i++)
		n += registered[i] && kprobe_optimized(&probes[i]);
	return n;
}

/* Registers the collected probes, lets each CPU work, and removes them. */
static void probe_batch(struct selftest *test)
{
	struct kprobe *ps[BATCH];
	bool registered[BATCH];
	s64 begin;

	if (!filled)
		return;
	selftest_diag(test, "%llu instructions so far; the next, before index %llu: %pS to %pS",
		      (unsigned long long)probed, (unsigned long long)instructions,
		      (void *)probes[0].addr, (void *)probes[filled - 1].addr);
	for (unsigned i = 0; i < filled; i++) {
		int error;

		bytes[i] = *(const u8 *)probes[i].addr;
		error = register_kprobe(&probes[i]);
		registered[i] = !error;
		ps[i] = &probes[i];
		probed += !error;
		refused += error == -EINVAL || error == -EOPNOTSUPP;
		if (error && error != -EINVAL && error != -EOPNOTSUPP) {
			selftest_diag(test, "%pS: %d", (void *)probes[i].addr, error);
			selftest_fail(test, __FILE__, __LINE__, "register_kprobe()");
		}
	}
	wait_for_kprobe_optimizer();
	jumps += count_jumps(registered);
	begin = atomic64_read(&rounds);
	while (atomic64_read(&rounds) < begin + 2 * (s64)num_online_cpus())
		msleep(1);
	unregister_kprobes(ps, (int)filled); /* leaves out those that are not registered */
	for (unsigned i = 0; i < filled; i++)
		not_restored += registered[i] && *(const u8 *)probes[i].addr != bytes[i] &&
				!ftrace_location(probes[i].addr);
	filled = 0;
}

static unsigned long stride, first; /* of this pass */

static void collect(struct selftest *test, unsigned long addr)
{
	u64 index = instructions++;

	if (index < probe_from || index >= probe_to || (index - probe_from) % stride != first)
		return;
	probes[filled] =
		(struct kprobe){ .addr = addr,
				 .pre_handler = kprobe_count,
				 .post_handler = filled % 4 == 3 ? kprobe_post_nothing : NULL };
	if (++filled == BATCH)
		probe_batch(test);
}

/* Visits the instructions from a function's start to the next symbol. */
static void visit_function(struct selftest *test, unsigned long start, unsigned long end)
{
	struct insn insn;

	for (unsigned long at = start; at < end; at += insn.length) {
		if (insn_decode(&insn, (const u8 *)at, end - at))
			return;
		collect(test, at);
	}
}

static void visit_text(struct selftest *test)
{
	unsigned long start, end;
	char type;

	instructions = 0;
	for (unsigned i = 0; kallsyms_get(i, &start, &type, NULL); i++) {
		if (start < (unsigned long)_stext || start >= (unsigned long)_etext)
			continue;
		if (!kallsyms_get(i + 1, &end, NULL, NULL) || end > (unsigned long)_etext)
			end = (unsigned long)_etext;
		visit_function(test, start, end);
	}
	probe_batch(test);
}

SELFTEST(kprobes_text, probes_at_a_sample_of_all_instructions_change_no_result)
{
	struct test_group group;

	stop_work = false;
	probed = refused = jumps = not_restored = 0;
	atomic64_set(&wrong, 0);
	atomic64_set(&kprobe_hits, 0);
	ASSERT(test_group_start(&group, num_online_cpus(), EACH_CPU, work, NULL));
	stride = max(probe_step, (unsigned long)APART / probe_step * probe_step);
	for (first = 0; first < stride; first += probe_step)
		visit_text(test);
	WRITE_ONCE(stop_work, true);
	test_group_wait(&group);
	selftest_diag(test,
		      "%llu instructions, %llu probed, %llu by jumps, %llu refused, %lld hits",
		      (unsigned long long)instructions, (unsigned long long)probed,
		      (unsigned long long)jumps, (unsigned long long)refused,
		      (long long)atomic64_read(&kprobe_hits));
	EXPECT(probed * probe_step >
	       (min(instructions, probe_to) - min(instructions, probe_from)) / 2);
	EXPECT(jumps > probed / 3); /* measured: 37 to 40%; a quarter has a post_handler */
	EXPECT(atomic64_read(&kprobe_hits) > 0);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(not_restored, 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}
