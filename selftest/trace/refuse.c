/*
 * Refuses memory to attempts of the self-tests (selftest/trace/refuse.h).
 *
 * ftrace itself refuses the allocations, as in modules/sample-fail.c: a callback at the allocators
 * makes them return NULL.
 */
#include "selftest/trace/refuse.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/files.h"
#include "selftest/lib/memory.h"
#include "selftest/trace/tracefs.h"
#include "trace/ftrace/internal.h"

#define ALLOCATORS                                                                                 \
	{                                                                                          \
		"alloc_pages", "get_free_pages", "kmem_cache_alloc", "__kmalloc", "kmalloc_trace", \
			"vmalloc", "vzalloc", "text_area_alloc"                                    \
	}
#define MANY_ROUNDS    60U
#define MANY_CPUS_STEP 13U
/* More allocations than any attempt makes. An instance makes some 11,000. */
#define ROUNDS 100000U

/* [V] written by victim only. */
static struct task_struct *victim; /* the task to refuse an allocation; NULL: none */
static unsigned allocations;       /* [V] by victim in this round so far */
static unsigned refused;           /* [V] the number of the allocation to refuse; 0: all */
static bool softirqs_too;          /* [V] */
static unsigned errors;            /* rounds of an attempt that gave -ENOMEM */

static void refuse_one(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	if (current != READ_ONCE(victim) || !(in_task() || (softirqs_too && in_serving_softirq())))
		return;
	if (++allocations != refused && refused)
		return;
	ftrace_regs_set_return_value(fregs, 0);
	ftrace_override_function_with_return(fregs);
}

static struct ftrace_ops refuse_ops = { .func = refuse_one,
					.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS };

void refuse_all(bool on)
{
	refused = 0;
	WRITE_ONCE(victim, on ? current : NULL);
}

void refuse_softirqs(bool on)
{
	softirqs_too = on;
}

bool start_refusing(void)
{
	static const char *const allocators[] = ALLOCATORS;

	for (unsigned i = 0; i < ARRAY_SIZE(allocators); i++)
		if (ftrace_set_filter(&refuse_ops, allocators[i], strlen(allocators[i]), i == 0))
			return false;
	return register_ftrace_function(&refuse_ops) == 0;
}

unsigned refuse_nth(unsigned n)
{
	unsigned count = allocations;

	WRITE_ONCE(victim, NULL);
	allocations = 0;
	refused = n;
	WRITE_ONCE(victim, n ? current : NULL);
	return count;
}

int end_refusing(void)
{
	static const char *const allocators[] = ALLOCATORS;
	int error = unregister_ftrace_function(&refuse_ops);

	ftrace_free_filter(&refuse_ops);
	/* Other tests expect no flags. */
	for (unsigned i = 0; i < ARRAY_SIZE(allocators); i++)
		ftrace_location(kallsyms_lookup_name(allocators[i]))->flags = 0;
	return error;
}

void stop_refusing(struct selftest *test)
{
	EXPECT_EQ(end_refusing(), 0);
}

/* Files that show the state of tracing. */
static const char *const state_files[] = { "enabled_functions",
					   "set_ftrace_filter",
					   "set_ftrace_notrace",
					   "current_tracer",
					   "snapshot",
					   "events/sched/sched_switch/filter",
					   "events/sched/sched_waking/filter",
					   "events/sched/sched_switch/trigger",
					   "events/sched/sched_switch/enable",
					   "events/sched/sched_waking/enable",
					   "set_event_pid",
					   "available_events",
					   "dynamic_events" };
static char *state[ARRAY_SIZE(state_files)];

void note_state(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++) {
		state[i] = kmalloc(TRACE_TEXT_SIZE, GFP_KERNEL);
		if (state[i])
			get_into(state_files[i], state[i], TRACE_TEXT_SIZE);
	}
}

void forget_state(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++)
		kfree(state[i]);
}

static void expect_state(struct selftest *test, const struct attempt *attempt, unsigned round)
{
	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++) {
		if (state[i] && strcmp(get(state_files[i]), state[i]) == 0)
			continue;
		selftest_diag(test, "%s, allocation %u: %s has become %s", attempt->name, round,
			      state_files[i], text);
		EXPECT(!"unchanged");
	}
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(file_exists(TRACING "instances/memory"), -ENOENT);
}

/* Makes the attempt while its allocation number round is refused. Returns how many it made. */
static unsigned try_once(struct selftest *test, const struct attempt *attempt, unsigned round)
{
	unsigned count;
	long error;

	allocations = 0;
	refused = round;
	WRITE_ONCE(victim, current);
	error = attempt->begin();
	WRITE_ONCE(victim, NULL);
	count = allocations;
	if (error && error != -ENOMEM)
		selftest_diag(test, "%s, allocation %u: %ld", attempt->name, round, error);
	EXPECT(error == 0 || error == -ENOMEM);
	errors += error == -ENOMEM;
	if (!error)
		EXPECT_EQ(attempt->end(), 0);
	if (count < round)
		EXPECT_EQ(error, 0); /* nothing was refused */
	expect_state(test, attempt, round);
	return count;
}

/*
 * The first MANY_ROUNDS rounds refuse each allocation. Later allocations of an attempt are mostly
 * those for the next event, file or CPU: the rounds after them refuse only each Nth.
 * selftest_refuse= gives N. Without it N is 1, or MANY_CPUS_STEP on more than 4 CPUs.
 */
static unsigned long step;

static int __init step_setup(const char *value)
{
	return value ? kstrtoul(value, 10, &step) : -EINVAL;
}
__setup("selftest_refuse", step_setup);

static unsigned next_round(unsigned round)
{
	if (round < MANY_ROUNDS)
		return round + 1;
	if (step)
		return round + step;
	return round + (num_online_cpus() <= 4 ? 1 : MANY_CPUS_STEP);
}

void try_all(struct selftest *test, const struct attempt *attempt)
{
	unsigned round = 1, tries = 0;
	u64 objects;

	/* Make the objects that are made once and kept. */
	EXPECT_EQ(attempt->begin(), 0);
	EXPECT_EQ(attempt->end(), 0);
	objects = memory_objects();
	errors = 0;
	for (; try_once(test, attempt, round) >= round && round < ROUNDS; tries++)
		round = next_round(round);
	selftest_diag(test, "%s: up to %u allocations", attempt->name, round - 1);
	EXPECT(tries > 0 && round < ROUNDS);
	EXPECT_EQ(errors, tries); /* each refused allocation gave an error */
	memory_expect_objects(test, objects);
}

void try_each(struct selftest *test, const struct attempt *attempts, size_t count)
{
	note_state();
	for (size_t i = 0; i < count; i++)
		try_all(test, &attempts[i]);
	forget_state();
}
