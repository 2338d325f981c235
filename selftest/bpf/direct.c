/*
 * Self-tests of direct calls: a tracepoint's sites call generated code while a program is the only
 * probe.
 */
#include "trace/bpf/attach/direct.h"

#include "arch/cpu/percpu.h"
#include "kernel/preempt.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "selftest/bpf/programs.h"
#include "selftest/kernel/selftest_events.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"
#include "trace/bpf/attach/run.h"

#define ARGS 6

static u64 seen[ARGS + 1]; /* sums of the arguments, and the number of runs */

#define SEE(i) LOAD(BPF_REG_3, BPF_REG_1, 8 * (i)), ATOMIC_ADD(BPF_REG_2, 8 * (i), BPF_REG_3)

/* Adds the arguments whose bits are in words to seen[]. */
static struct bpf_prog *observer(u32 words)
{
	const struct bpf_insn one[] = {
		LOAD_ADDRESS(BPF_REG_2, seen),        SEE(0), MOV_IMM(BPF_REG_3, 1),
		ATOMIC_ADD(BPF_REG_2, 48, BPF_REG_3), EXIT,
	};
	const struct bpf_insn all[] = {
		LOAD_ADDRESS(BPF_REG_2, seen),
		SEE(0),
		SEE(1),
		SEE(2),
		SEE(3),
		SEE(4),
		SEE(5),
		MOV_IMM(BPF_REG_3, 1),
		ATOMIC_ADD(BPF_REG_2, 48, BPF_REG_3),
		EXIT,
	};
	struct bpf_prog *prog = words == 1 ? test_prog_create(one, ARRAY_SIZE(one))
					   : test_prog_create(all, ARRAY_SIZE(all));

	if (prog)
		prog->ctx_words = words;
	for (unsigned i = 0; i <= ARGS; i++)
		seen[i] = 0;
	return prog;
}

typedef void entry_t(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);

static const u64 masks[ARGS] = { ~0ULL, 0xff, 0xffff, 0xffffffff, ~0ULL, 0xff };

SELFTEST(bpf_direct, a_program_gets_the_bits_of_each_argument)
{
	struct bpf_prog *prog = observer(0x3f);
	struct bpf_direct *direct = prog ? bpf_direct_create(prog, masks, ARGS, "test") : NULL;

	ASSERT(direct);
	((entry_t *)bpf_direct_entry(direct))(~0ULL, 0xffffff81ULL, ~0ULL << 15, ~0ULL << 31,
					      0x123456789abcdefULL, 0xabcULL);
	EXPECT_EQ(seen[0], ~0ULL);
	EXPECT_EQ(seen[1], 0x81);
	EXPECT_EQ(seen[2], 0x8000);
	EXPECT_EQ(seen[3], 0x80000000);
	EXPECT_EQ(seen[4], 0x123456789abcdef);
	EXPECT_EQ(seen[5], 0xbc);
	EXPECT_EQ(seen[6], 1);
	bpf_direct_retire(direct);
	test_prog_free(prog);
}

static unsigned preempt_count_inside;

static u64 note_preempt_count(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused, u64 r4 __unused,
			      u64 r5 __unused)
{
	preempt_count_inside = (unsigned)preempt_count();
	return 0;
}

SELFTEST(bpf_direct, a_program_runs_with_preemption_off)
{
	const struct bpf_insn insns[] = { CALL(note_preempt_count), EXIT };
	struct bpf_prog *prog = test_prog_create(insns, ARRAY_SIZE(insns));
	struct bpf_direct *direct = prog ? bpf_direct_create(prog, NULL, 0, "test") : NULL;

	ASSERT(direct);
	((void (*)(void))bpf_direct_entry(direct))();
	EXPECT_EQ(preempt_count_inside, 1);
	EXPECT_EQ(preempt_count(), 0);
	bpf_direct_retire(direct);
	test_prog_free(prog);
}

SELFTEST(bpf_direct, a_program_that_runs_already_is_missed)
{
	struct bpf_prog *prog = observer(1);
	struct bpf_direct *direct = prog ? bpf_direct_create(prog, masks, 1, "test") : NULL;
	u64 misses = 0;

	ASSERT(direct);
	preempt_disable();
	EXPECT(bpf_prog_enter(prog));
	((void (*)(u64))bpf_direct_entry(direct))(7);
	EXPECT(this_cpu_read(*prog->mark));
	bpf_prog_exit(prog);
	((void (*)(u64))bpf_direct_entry(direct))(7);
	EXPECT(!this_cpu_read(*prog->mark));
	preempt_enable();
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		misses += prog->stats[cpu].misses;
	EXPECT_EQ(misses, 1);
	EXPECT_EQ(seen[0], 7);
	EXPECT_EQ(seen[6], 1);
	bpf_direct_retire(direct);
	test_prog_free(prog);
}

#define LEVELS 40

static struct bpf_direct *nested[LEVELS];
static unsigned level, deepest, runs;

/* What a helper does that is traced by the next program. */
static u64 run_next(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused, u64 r4 __unused,
		    u64 r5 __unused)
{
	runs++;
	level++;
	deepest = max(deepest, level);
	if (level < LEVELS)
		((void (*)(void))bpf_direct_entry(nested[level]))();
	level--;
	return 0;
}

SELFTEST(bpf_direct, programs_that_run_inside_each_other_are_missed_above_a_limit)
{
	const struct bpf_insn insns[] = { CALL(run_next), EXIT };
	struct bpf_prog *progs[LEVELS];
	u64 misses = 0;

	for (unsigned i = 0; i < LEVELS; i++) {
		progs[i] = test_prog_create(insns, ARRAY_SIZE(insns));
		ASSERT(progs[i]);
		nested[i] = bpf_direct_create(progs[i], NULL, 0, "test");
		ASSERT(nested[i]);
	}
	deepest = runs = 0;
	for (unsigned i = 0; i < 10; i++)
		((void (*)(void))bpf_direct_entry(nested[0]))();
	EXPECT_EQ(deepest, BPF_PROG_NESTING);
	EXPECT_EQ(runs, 10 * BPF_PROG_NESTING);
	preempt_disable();
	EXPECT_EQ(this_cpu_read(bpf_prog_room), BPF_PROG_NESTING);
	for (unsigned i = 0; i < BPF_PROG_NESTING; i++)
		EXPECT(bpf_prog_enter(progs[i]));
	EXPECT(!bpf_prog_enter(progs[BPF_PROG_NESTING]));
	this_cpu_dec(bpf_prog_room); /* as generated code does before it looks */
	EXPECT(!bpf_prog_enter(progs[BPF_PROG_NESTING]));
	this_cpu_inc(bpf_prog_room);
	((void (*)(void))bpf_direct_entry(nested[BPF_PROG_NESTING]))();
	EXPECT(!this_cpu_read(*progs[BPF_PROG_NESTING]->mark));
	for (unsigned i = 0; i < BPF_PROG_NESTING; i++)
		bpf_prog_exit(progs[i]);
	preempt_enable();
	EXPECT_EQ(runs, 10 * BPF_PROG_NESTING);
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		misses += progs[BPF_PROG_NESTING]->stats[cpu].misses;
	EXPECT_EQ(misses, 13);
	for (unsigned i = 0; i < LEVELS; i++) {
		bpf_direct_retire(nested[i]);
		test_prog_free(progs[i]);
	}
}

SELFTEST(bpf_direct, programs_share_a_mark_when_all_have_been_given_out)
{
	static u8 *marks[BPF_PROG_MARKS + 1];
	u8 *again;

	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
		marks[i] = bpf_prog_mark_get();
	EXPECT_EQ(marks[BPF_PROG_MARKS], marks[BPF_PROG_MARKS - 1]);
	EXPECT(marks[0] != marks[1]);
	bpf_prog_mark_put(marks[0]);
	again = bpf_prog_mark_get();
	EXPECT_EQ(again, marks[0]);
	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
		bpf_prog_mark_put(marks[i]);
}

/*
 * One CPU attaches a program with its code, attaches and removes a second probe, and removes the
 * program; all others call the tracepoint all the time. Code that was freed too early is int3.
 */
#define ROUNDS     selftest_rounds(100U)
#define TIME_LIMIT (3 * NSEC_PER_SEC)
#define NUMBER     0x600dU

static u32 runners, finished, wrong;
static u64 probe_calls;
static struct bpf_prog *program;

static void note_call(void *data __unused, unsigned long number)
{
	__atomic_fetch_add(number == NUMBER ? &probe_calls : &seen[1], 1, __ATOMIC_RELAXED);
}

static void change_once(void)
{
	struct tracepoint *tp = &__tracepoint_selftest_number;
	struct bpf_direct *direct = bpf_direct_create(program, masks, 1, "selftest_number");
	int error = !direct;

	error |= tracepoint_probe_register_direct(tp, (void *)note_call, direct, 0,
						  bpf_direct_entry(direct));
	trace_selftest_number(NUMBER);
	error |= register_trace_selftest_number(note_call, NULL);
	trace_selftest_number(NUMBER);
	error |= unregister_trace_selftest_number(note_call, NULL);
	trace_selftest_number(NUMBER);
	error |= tracepoint_probe_unregister(tp, (void *)note_call, direct);
	bpf_direct_retire(direct);
	if (error)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void change_or_call(void *unused __unused)
{
	u64 end = ktime_get() + TIME_LIMIT;

	if (__atomic_fetch_add(&runners, 1, __ATOMIC_RELAXED)) {
		while (!smp_load_acquire(&finished))
			trace_selftest_number(NUMBER);
		return;
	}
	for (unsigned i = 0; i < ROUNDS && ktime_get() < end; i++)
		change_once();
	smp_store_release(&finished, 1);
}

SELFTEST(bpf_direct, sites_change_between_code_and_probes_while_all_cpus_call_them)
{
	u64 runs;

	program = observer(1);
	ASSERT(program);
	runners = finished = wrong = 0;
	probe_calls = 0;
	ASSERT(run_on_cpus(change_or_call, NULL) == 0);
	EXPECT_EQ(wrong, 0);
	EXPECT(!trace_selftest_number_enabled());
	synchronize_rcu_tasks();
	runs = seen[6];
	EXPECT(runs >= 2);
	EXPECT_EQ(seen[0], runs * NUMBER);
	EXPECT_EQ(seen[1], 0);
	EXPECT(probe_calls >= 2);
	trace_selftest_number(NUMBER);
	EXPECT_EQ(seen[6], runs);
	selftest_diag(test, "%lu runs, %lu calls of probes", (unsigned long)runs,
		      (unsigned long)probe_calls);
	test_prog_free(program);
}
