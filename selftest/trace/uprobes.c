/*
 * Self-tests of uprobes: a program runs in ring 3 with probes on its instructions. No probe changes
 * what it computes.
 */
#include "kernel/sched/kthread.h"
#include "kernel/sched/mm.h"
#include "kernel/vm/mm.h"
#include "selftest/arch/ring3.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/uprobe_program.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

#define INT3 0xcc

static struct uprobe_program program;

static bool make_file(void)
{
	return uprobe_program_make(&program, 0);
}

static u64 run_program(void)
{
	struct uprobe_run run;

	return uprobe_run_start(&run, &program) ? uprobe_run_end(&run) : ~0UL;
}

static atomic64_t hits;

static void count_hit(struct uprobe_consumer *self __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&hits);
}

static struct uprobe_consumer counters[UPROBE_PROGRAM_INSNS];
static loff_t offsets[UPROBE_PROGRAM_INSNS];

static unsigned find_instructions(void)
{
	unsigned n = uprobe_program_instructions(offsets);

	for (unsigned i = 0; i < n; i++)
		counters[i].handler = count_hit;
	return n;
}

static long count_of(void)
{
	return (long)atomic64_read(&hits);
}

SELFTEST(uprobes, each_instruction_can_be_probed)
{
	unsigned n = find_instructions();
	u64 sum;

	ASSERT(make_file());
	ASSERT(n > 100);
	sum = run_program();
	EXPECT(sum != ~0UL && sum);
	for (unsigned i = 0; i < n; i++) {
		atomic64_set(&hits, 0);
		EXPECT_EQ(uprobe_register(program.file->f_inode, offsets[i], &counters[i]), 0);
		if (run_program() != sum)
			selftest_diag(test, "a probe at offset %#lx changes the sum",
				      (unsigned long)offsets[i]);
		EXPECT_EQ(run_program(), sum);
		uprobe_unregister(program.file->f_inode, offsets[i], &counters[i]);
	}
	atomic64_set(&hits, 0);
	EXPECT_EQ(run_program(), sum);
	EXPECT_EQ(count_of(), 0);
	uprobe_program_remove(&program);
}

SELFTEST(uprobes, all_instructions_can_be_probed_at_once)
{
	unsigned n = find_instructions();
	struct uprobe_run runs[4];
	long once;
	u64 sum;

	ASSERT(make_file());
	sum = run_program();
	for (unsigned i = 0; i < n; i++)
		EXPECT_EQ(uprobe_register(program.file->f_inode, offsets[i], &counters[i]), 0);
	atomic64_set(&hits, 0);
	EXPECT_EQ(run_program(), sum);
	once = count_of();
	EXPECT(once > 100 * UPROBE_PROGRAM_ROUNDS);
	atomic64_set(&hits, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(runs); i++)
		ASSERT(uprobe_run_start(&runs[i], &program));
	for (unsigned i = 0; i < ARRAY_SIZE(runs); i++)
		EXPECT_EQ(uprobe_run_end(&runs[i]), sum);
	EXPECT_EQ(count_of(), once * (long)ARRAY_SIZE(runs));
	for (unsigned i = 0; i < n; i++)
		uprobe_unregister(program.file->f_inode, offsets[i], &counters[i]);
	EXPECT_EQ(run_program(), sum);
	uprobe_program_remove(&program);
}

/* ---- filters: a consumer that wants one of two programs ---- */

static struct uprobe_run two[2];
static atomic64_t other_hits;

static bool wants_first(struct uprobe_consumer *self __unused, struct mm_struct *mm)
{
	return READ_ONCE(two[0].mm) == mm;
}

static void count_other_hit(struct uprobe_consumer *self __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&other_hits);
}

/* Runs two programs. Returns how often both together executed a breakpoint. */
static long run_two(struct selftest *test, u64 sum)
{
	atomic64_set(&hits, 0);
	atomic64_set(&other_hits, 0);
	atomic64_set(&kprobe_hits, 0);
	for (unsigned i = 0; i < 2; i++) {
		EXPECT(uprobe_run_start(&two[i], &program));
		EXPECT_EQ(uprobe_run_end(&two[i]), sum);
	}
	return (long)atomic64_read(&kprobe_hits);
}

SELFTEST(uprobes, a_filter_keeps_breakpoints_out_of_other_programs)
{
	/* The end of a slot is a breakpoint, too, so the number of traps depends on the place. */
	static struct kprobe traps = { .symbol_name = "uprobe_int3", .pre_handler = kprobe_count };
	struct uprobe_consumer first = { .handler = count_hit, .filter = wants_first },
			       all = { .handler = count_other_hit };
	struct inode *inode;
	long once, trapped;
	u64 sum;

	ASSERT(find_instructions() && make_file());
	inode = program.file->f_inode;
	sum = run_program();
	ASSERT(register_kprobe(&traps) == 0);
	EXPECT_EQ(uprobe_register(inode, offsets[5], &first), 0);
	trapped = run_two(test, sum);
	once = count_of();
	EXPECT(once > 0 && trapped >= once);
	EXPECT_EQ(uprobe_register(inode, offsets[5], &all), 0);
	EXPECT_EQ(run_two(test, sum), 2 * trapped);
	EXPECT_EQ(count_of(), once);
	EXPECT_EQ(atomic64_read(&other_hits), 2 * once);
	uprobe_unregister(inode, offsets[5], &all);
	EXPECT_EQ(run_two(test, sum), trapped);
	EXPECT_EQ(count_of(), once);
	uprobe_unregister(inode, offsets[5], &first);
	EXPECT_EQ(run_two(test, sum), 0);
	unregister_kprobe(&traps);
	uprobe_program_remove(&program);
}

/* ---- filters after a fork: both programs show the same page ---- */

struct filter_of_one {
	struct uprobe_consumer uc;
	struct mm_struct *mm; /* the one that it wants */
};

static bool wants_its_own(struct uprobe_consumer *self, struct mm_struct *mm)
{
	return container_of(self, struct filter_of_one, uc)->mm == mm;
}

/* The first byte of the probed instruction, as the program sees it. */
static int byte_in(struct mm_struct *mm)
{
	int byte;

	kthread_use_mm(mm);
	byte = user_peek(RING3_CODE + (unsigned long)offsets[5]);
	kthread_unuse_mm(mm);
	return byte;
}

/* Returns a program that shows the page with the breakpoint, or NULL. */
static struct mm_struct *make_parent(void)
{
	struct mm_struct *mm = test_mm_begin();
	bool mapped = mm && vm_mmap(program.file, RING3_CODE, PAGE_SIZE, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_FIXED, 0) == RING3_CODE;

	if (mm)
		kthread_unuse_mm(mm);
	if (mapped && byte_in(mm) == INT3)
		return mm;
	if (mm)
		mmput(mm);
	return NULL;
}

SELFTEST(uprobes, a_filter_keeps_the_breakpoint_of_one_of_two_programs_after_a_fork)
{
	struct uprobe_consumer all = { .handler = count_hit };
	struct filter_of_one one = { .uc = { .handler = count_hit, .filter = wants_its_own } };
	struct mm_struct *mm[2]; /* parent, child */

	ASSERT(find_instructions() && make_file());
	for (unsigned wanted = 0; wanted < 2; wanted++) {
		struct inode *inode = program.file->f_inode;

		EXPECT_EQ(uprobe_register(inode, offsets[5], &all), 0);
		mm[0] = make_parent();
		ASSERT(mm[0] && (mm[1] = dup_mm(mm[0])));
		EXPECT_EQ(byte_in(mm[1]), INT3);
		one.mm = mm[wanted];
		EXPECT_EQ(uprobe_register(inode, offsets[5], &one.uc), 0);
		uprobe_unregister(inode, offsets[5], &all);
		EXPECT_EQ(byte_in(mm[wanted]), INT3);
		EXPECT(byte_in(mm[!wanted]) != INT3);
		EXPECT_EQ(mm[!wanted]->rss[MM_ANONPAGES], 0);
		uprobe_unregister(inode, offsets[5], &one.uc);
		EXPECT(byte_in(mm[wanted]) != INT3);
		mmput(mm[0]);
		mmput(mm[1]);
	}
	uprobe_program_remove(&program);
}
