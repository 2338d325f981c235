/*
 * Self-test of exact counts. Each CPU calls functions a known number of times. Several ops with
 * random filters count the calls. Meanwhile other ops are registered and unregistered on the same
 * functions, so the sites change between trampolines and the list function. Each ops must count
 * exactly the calls of the functions in its filter.
 */
#include "kernel/mm/slab.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "trace/ftrace/internal.h"

#define OPS     8U
#define ROUNDS  100U /* rounds of calls, at least */
#define TOGGLES 4    /* registrations of other ops meanwhile, at least */

struct counted_ops {
	struct ftrace_ops ops;
	u32 functions;            /* a bit for each of ftrace_many */
	atomic64_t hits[NR_CPUS]; /* by CPU */
	atomic64_t unwanted;      /* calls of functions outside the filter: must be 0 */
};

struct exact {
	struct counted_ops *counted; /* OPS elements */
	u64 (*calls)[FTRACE_MANY];   /* by thread */
	u32 seed;
	bool stop;
	atomic_t toggles;
};

static u32 next_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* The callers are bound to their CPUs, so preemption does not matter. */
static void count_own(unsigned long ip, unsigned long parent_ip __unused, struct ftrace_ops *op,
		      struct ftrace_regs *fregs __unused)
{
	struct counted_ops *counted = container_of(op, struct counted_ops, ops);
	unsigned i = ftrace_many_index(ip);

	if (i < FTRACE_MANY && counted->functions & 1U << i)
		atomic64_inc(&counted->hits[smp_processor_id()]);
	else
		atomic64_inc(&counted->unwanted);
}

static int set_random_filter(struct counted_ops *counted, u32 functions)
{
	int error = 0;

	counted->functions = functions ? functions : 1;
	for (unsigned i = 0; i < FTRACE_MANY && !error; i++)
		if (counted->functions & 1U << i)
			error = ftrace_set_filter_ip(&counted->ops, (unsigned long)ftrace_many[i],
						     false, false);
	return error;
}

static void call_them(void *arg, unsigned index)
{
	struct exact *exact = arg;
	u32 state = exact->seed + index * 7919 + 1;

	for (unsigned round = 0; round < ROUNDS || atomic_read(&exact->toggles) < TOGGLES;
	     round++) {
		for (unsigned n = next_random(&state) % 64; n; n--) {
			unsigned i = next_random(&state) % FTRACE_MANY;

			ftrace_many[i]();
			exact->calls[index][i]++;
		}
		cond_resched();
	}
}

/* Registers and unregisters another ops on some functions. Sometimes it asks for all registers. */
static void toggle_other_ops(void *arg, unsigned index)
{
	struct exact *exact = arg;
	u32 state = exact->seed * 3 + index + 1;

	while (!READ_ONCE(exact->stop)) {
		struct counted_ops *other = kzalloc(sizeof(*other), GFP_KERNEL);
		u32 random = next_random(&state);

		if (!other)
			break;
		other->ops.func = count_own;
		other->ops.flags = random & 1 ? FTRACE_OPS_FL_SAVE_REGS : 0;
		if (set_random_filter(other, random >> 8 & 0xffff) == 0 &&
		    register_ftrace_function(&other->ops) == 0) {
			atomic_inc(&exact->toggles);
			unregister_ftrace_function(&other->ops);
		}
		ftrace_free_filter(&other->ops);
		kfree(other);
	}
}

/* Returns the number of calls that counted must have seen on the CPU of thread index. */
static u64 expected(const struct exact *exact, const struct counted_ops *counted, unsigned index)
{
	u64 sum = 0;

	for (unsigned i = 0; i < FTRACE_MANY; i++)
		if (counted->functions & 1U << i)
			sum += exact->calls[index][i];
	return sum;
}

static int register_all(struct exact *exact)
{
	static const unsigned long flags[] = { 0, FTRACE_OPS_FL_SAVE_REGS,
					       FTRACE_OPS_FL_RECURSION };
	u32 state = exact->seed;
	int error = 0;

	for (unsigned i = 0; i < OPS && !error; i++) {
		struct counted_ops *counted = &exact->counted[i];

		counted->ops.func = count_own;
		counted->ops.flags = flags[i % ARRAY_SIZE(flags)];
		error = set_random_filter(counted, next_random(&state) >> 8 & 0xffff);
		if (!error)
			error = register_ftrace_function(&counted->ops);
	}
	return error;
}

static void unregister_all(struct exact *exact)
{
	for (unsigned i = 0; i < OPS; i++) {
		unregister_ftrace_function(&exact->counted[i].ops);
		ftrace_free_filter(&exact->counted[i].ops);
	}
}

static void check_counts(struct selftest *test, const struct exact *exact)
{
	for (unsigned n = 0; n < num_online_cpus(); n++)
		for (unsigned i = 0; i < OPS; i++)
			EXPECT_EQ(atomic64_read(&exact->counted[i].hits[nth_online_cpu(n)]),
				  expected(exact, &exact->counted[i], n));
	for (unsigned i = 0; i < OPS; i++)
		EXPECT_EQ(atomic64_read(&exact->counted[i].unwanted), 0);
}

static void run_exact(struct selftest *test, struct exact *exact)
{
	struct test_group churn;

	ASSERT(register_all(exact) == 0);
	ASSERT(test_group_start(&churn, 2, ANY_CPU, toggle_other_ops, exact));
	EXPECT(run_threads(num_online_cpus(), EACH_CPU, call_them, exact));
	WRITE_ONCE(exact->stop, true);
	test_group_wait(&churn);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	unregister_all(exact);
	check_counts(test, exact);
	selftest_diag(test, "seed %u: others came and went %d times", exact->seed,
		      atomic_read(&exact->toggles));
}

SELFTEST(ftrace_exact, each_ops_counts_exactly_its_own_calls)
{
	for (u32 seed = 1; seed <= 2; seed++) {
		struct exact exact = { .seed = seed * 2654435761U };

		exact.counted = kcalloc(OPS, sizeof(*exact.counted), GFP_KERNEL);
		exact.calls = kcalloc(num_online_cpus(), sizeof(*exact.calls), GFP_KERNEL);
		if (exact.counted && exact.calls)
			run_exact(test, &exact);
		else
			EXPECT(!"memory");
		kfree(exact.counted);
		kfree(exact.calls);
	}
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}
