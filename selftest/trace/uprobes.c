/*
 * Self-tests of uprobes: a program runs in ring 3 with probes on its instructions. No probe changes
 * what it computes.
 */
#include "selftest/lib/uprobe_program.h"
#include "selftest/selftest.h"

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
