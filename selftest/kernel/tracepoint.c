/* Self-tests of tracepoints. */
#include "kernel/tracepoint.h"

#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "arch/irq/traps.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "selftest/kernel/selftest_events.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"

static int refuse_registration;
static unsigned registrations, unregistrations;

static int note_registration(void)
{
	if (!refuse_registration)
		registrations++;
	return refuse_registration;
}

static void note_unregistration(void)
{
	unregistrations++;
}

static unsigned conditions;

static bool is_even(unsigned long number)
{
	conditions++;
	return number % 2 == 0;
}

TRACEPOINT_DEFINE(selftest_number, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE_CONDITION(selftest_even, TP_PROTO(unsigned long number), TP_ARGS(number),
			    TP_CONDITION(is_even(number)))
TRACEPOINT_DEFINE_FN(selftest_fn, TP_PROTO(unsigned long number, const char *text),
		     TP_ARGS(number, text), note_registration, note_unregistration)
TRACEPOINT_DEFINE(selftest_many_0, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE(selftest_many_1, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE(selftest_many_2, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE(selftest_many_3, TP_PROTO(unsigned long number), TP_ARGS(number))

/* What a probe was called with, and in which order. */
struct calls {
	unsigned count;
	unsigned long last;
	u32 order; /* of the last call among all probes */
	bool preemption_was_on;
};

static u32 order;

static void note(void *data, unsigned long number)
{
	struct calls *calls = data;

	calls->count++;
	calls->last = number;
	calls->order = ++order;
	if (!preempt_count())
		calls->preemption_was_on = true;
}

static void note_text(void *data, unsigned long number, const char *text)
{
	note(data, number + strlen(text));
}

static unsigned computed;

static noinline unsigned long compute(void)
{
	return ++computed;
}

struct sample {
	unsigned long number;
	const char *text;
};
void selftest_trace_sample(const struct sample *sample);

/* tests/boot/test_static_branches.py reads the instructions of this function. */
noinline void selftest_trace_sample(const struct sample *sample)
{
	trace_selftest_fn(sample->number, sample->text);
}

SELFTEST(tracepoint, arguments_come_from_the_code_behind_the_branch)
{
	const struct sample sample = { 40, "ab" };
	struct calls calls = { 0 };

	selftest_trace_sample(NULL);
	ASSERT(register_trace_selftest_fn(note_text, &calls) == 0);
	selftest_trace_sample(&sample);
	EXPECT_EQ(calls.last, 42);
	EXPECT_EQ(unregister_trace_selftest_fn(note_text, &calls), 0);
}

SELFTEST(tracepoint, arguments_are_computed_only_for_a_probe)
{
	struct calls calls = { 0 };

	computed = 0;
	trace_selftest_number(compute());
	EXPECT_EQ(computed, 0);
	EXPECT(!trace_selftest_number_enabled());
	ASSERT(register_trace_selftest_number(note, &calls) == 0);
	EXPECT(trace_selftest_number_enabled());
	trace_selftest_number(compute());
	EXPECT_EQ(computed, 1);
	EXPECT_EQ(calls.count, 1);
	EXPECT_EQ(calls.last, 1);
	EXPECT(!calls.preemption_was_on);
	EXPECT_EQ(unregister_trace_selftest_number(note, &calls), 0);
	trace_selftest_number(compute());
	EXPECT_EQ(computed, 1);
	EXPECT_EQ(calls.count, 1);
	EXPECT(!trace_selftest_number_enabled());
}

SELFTEST(tracepoint, probes_are_called_by_priority_and_then_by_age)
{
	static const int prios[] = { 10, 5, 20, 10, -3 };
	static const unsigned expected[] = { 2, 4, 1, 3, 5 };
	struct calls calls[ARRAY_SIZE(prios)] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(prios); i++)
		ASSERT(register_trace_prio_selftest_number(note, &calls[i], prios[i]) == 0);
	order = 0;
	trace_selftest_number(77);
	for (size_t i = 0; i < ARRAY_SIZE(prios); i++) {
		EXPECT_EQ(calls[i].order, expected[i]);
		EXPECT_EQ(calls[i].last, 77);
	}
	EXPECT_EQ(unregister_trace_selftest_number(note, &calls[0]), 0);
	order = 0;
	trace_selftest_number(78);
	EXPECT_EQ(calls[2].order, 1);
	EXPECT_EQ(calls[3].order, 2);
	EXPECT_EQ(calls[1].order, 3);
	EXPECT_EQ(calls[4].order, 4);
	EXPECT_EQ(calls[0].count, 1);
	for (size_t i = 1; i < ARRAY_SIZE(prios); i++)
		EXPECT_EQ(unregister_trace_selftest_number(note, &calls[i]), 0);
	EXPECT(!trace_selftest_number_enabled());
}

SELFTEST(tracepoint, a_probe_is_attached_once_with_the_same_data)
{
	struct calls one = { 0 }, two = { 0 };

	EXPECT_EQ(unregister_trace_selftest_number(note, &one), -ENOENT);
	ASSERT(register_trace_selftest_number(note, &one) == 0);
	EXPECT_EQ(register_trace_selftest_number(note, &one), -EEXIST);
	EXPECT_EQ(register_trace_prio_selftest_number(note, &one, 99), -EEXIST);
	EXPECT_EQ(register_trace_selftest_number(note, &two), 0);
	trace_selftest_number(1);
	EXPECT_EQ(one.count, 1);
	EXPECT_EQ(two.count, 1);
	EXPECT_EQ(unregister_trace_selftest_number(note, &one), 0);
	EXPECT_EQ(unregister_trace_selftest_number(note, &one), -ENOENT);
	EXPECT_EQ(unregister_trace_selftest_number(note, &two), 0);
}

SELFTEST(tracepoint, a_condition_is_evaluated_only_while_a_probe_is_attached)
{
	struct calls calls = { 0 };

	conditions = 0;
	trace_selftest_even(2);
	EXPECT_EQ(conditions, 0);
	ASSERT(register_trace_selftest_even(note, &calls) == 0);
	for (unsigned long i = 0; i < 5; i++)
		trace_selftest_even(i);
	EXPECT_EQ(conditions, 5);
	EXPECT_EQ(calls.count, 3);
	EXPECT_EQ(unregister_trace_selftest_even(note, &calls), 0);
}

SELFTEST(tracepoint, regfunc_comes_before_the_first_probe_and_unregfunc_after_the_last)
{
	struct calls one = { 0 }, two = { 0 };

	registrations = unregistrations = 0;
	refuse_registration = -EBUSY;
	EXPECT_EQ(register_trace_selftest_fn(note_text, &one), -EBUSY);
	EXPECT(!trace_selftest_fn_enabled());
	refuse_registration = 0;
	ASSERT(register_trace_selftest_fn(note_text, &one) == 0);
	ASSERT(register_trace_selftest_fn(note_text, &two) == 0);
	EXPECT_EQ(registrations, 1);
	trace_selftest_fn(40, "ab");
	EXPECT_EQ(one.last, 42);
	EXPECT_EQ(two.last, 42);
	EXPECT_EQ(unregister_trace_selftest_fn(note_text, &one), 0);
	EXPECT_EQ(unregistrations, 0);
	EXPECT_EQ(unregister_trace_selftest_fn(note_text, &two), 0);
	EXPECT_EQ(registrations, 1);
	EXPECT_EQ(unregistrations, 1);
}

static struct tracepoint *const many[] = {
	&__tracepoint_selftest_many_0,
	&__tracepoint_selftest_many_1,
	&__tracepoint_selftest_many_2,
	&__tracepoint_selftest_many_3,
};

static noinline void trace_many(unsigned long number)
{
	trace_selftest_many_0(number);
	trace_selftest_many_1(number);
	trace_selftest_many_2(number);
	trace_selftest_many_3(number);
}

SELFTEST(tracepoint, a_batch_is_one_change_of_text)
{
	struct calls calls = { 0 }, other = { 0 };
	struct text_patch_stats before, after;

	text_patch_stats_read(&before);
	tracepoint_batch_begin();
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		EXPECT_EQ(tracepoint_probe_register(many[i], (void *)note, &calls, 0), 0);
	EXPECT_EQ(tracepoint_batch_end(), 0);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.batches, before.batches + 1);
	EXPECT_EQ(after.sites, before.sites + ARRAY_SIZE(many));
	trace_many(1);
	EXPECT_EQ(calls.count, ARRAY_SIZE(many));

	/* Inside a batch a probe may be replaced by another one. The branch stays on. */
	tracepoint_batch_begin();
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		EXPECT_EQ(tracepoint_probe_unregister(many[i], (void *)note, &calls), 0);
		EXPECT_EQ(tracepoint_probe_register(many[i], (void *)note, &other, 0), 0);
	}
	EXPECT_EQ(tracepoint_batch_end(), 0);
	text_patch_stats_read(&before);
	EXPECT_EQ(before.batches, after.batches);
	trace_many(2);
	EXPECT_EQ(calls.count, ARRAY_SIZE(many));
	EXPECT_EQ(other.count, ARRAY_SIZE(many));

	tracepoint_batch_begin();
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		EXPECT_EQ(tracepoint_probe_unregister(many[i], (void *)note, &other), 0);
	EXPECT_EQ(tracepoint_batch_end(), 0);
	text_patch_stats_read(&after);
	EXPECT_EQ(after.batches, before.batches + 1);
	trace_many(3);
	EXPECT_EQ(other.count, ARRAY_SIZE(many));
}

static void count_selftests(struct tracepoint *tp, void *data)
{
	if (!strncmp(tp->name, "selftest_", 9))
		++*(unsigned *)data;
}

SELFTEST(tracepoint, all_tracepoints_of_the_kernel_can_be_walked)
{
	unsigned found = 0;

	for_each_kernel_tracepoint(count_selftests, &found);
	EXPECT_EQ(found, 3 + ARRAY_SIZE(many));
}

static unsigned direct_calls;

static void call_direct(unsigned long number)
{
	direct_calls += (unsigned)number;
}

SELFTEST(tracepoint, the_only_probe_is_called_directly)
{
	struct tracepoint *tp = &__tracepoint_selftest_number, *even = &__tracepoint_selftest_even;
	struct calls calls = { 0 }, other = { 0 };

	direct_calls = 0;
	ASSERT(tracepoint_probe_register_direct(tp, (void *)note, &calls, 0, (void *)call_direct) ==
	       0);
	trace_selftest_number(5);
	EXPECT_EQ(direct_calls, 5);
	EXPECT_EQ(calls.count, 0);
	ASSERT(register_trace_selftest_number(note, &other) == 0);
	trace_selftest_number(6);
	EXPECT_EQ(direct_calls, 5);
	EXPECT_EQ(calls.count, 1);
	EXPECT_EQ(other.count, 1);
	EXPECT_EQ(unregister_trace_selftest_number(note, &other), 0);
	trace_selftest_number(7);
	EXPECT_EQ(direct_calls, 12);
	EXPECT_EQ(unregister_trace_selftest_number(note, &calls), 0);
	EXPECT_EQ(tp->iter, tp->traceiter);
	EXPECT_EQ(calls.count, 1);

	ASSERT(tracepoint_probe_register_direct(even, (void *)note, &calls, 0,
						(void *)call_direct) == 0);
	trace_selftest_even(8);
	trace_selftest_even(9);
	EXPECT_EQ(direct_calls, 12);
	EXPECT_EQ(calls.count, 2);
	EXPECT_EQ(unregister_trace_selftest_even(note, &calls), 0);
}

SELFTEST(tracepoint, a_probe_is_called_in_nmi_context)
{
	struct calls calls = { 0 };

	ASSERT(register_trace_selftest_number(note, &calls) == 0);
	preempt_disable();
	nmi_enter();
	trace_selftest_number(5);
	nmi_exit();
	preempt_enable();
	EXPECT_EQ(calls.last, 5);
	EXPECT_EQ(unregister_trace_selftest_number(note, &calls), 0);
}

/*
 * One CPU attaches and removes probes with data that it allocates and poisons; the others call them
 * all the time. A probe that is called with data that was freed finds the poison.
 */
#define ROUNDS     selftest_rounds(300U)
#define TIME_LIMIT (3 * NSEC_PER_SEC)
#define ALIVE      0x600dU

static u32 runners, finished, dead_calls, live_calls;

static void check_alive(void *data, unsigned long number)
{
	if (READ_ONCE(*(u32 *)data) != ALIVE || number != ALIVE)
		__atomic_fetch_add(&dead_calls, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&live_calls, 1, __ATOMIC_RELAXED);
}

static void attach_and_remove(void)
{
	u32 *data[3];

	for (size_t i = 0; i < ARRAY_SIZE(data); i++) {
		data[i] = kmalloc(sizeof(u32), GFP_KERNEL);
		if (!data[i] || (*data[i] = ALIVE,
				 register_trace_prio_selftest_number(check_alive, data[i], (int)i)))
			__atomic_fetch_add(&dead_calls, 1, __ATOMIC_RELAXED);
	}
	for (size_t i = 0; i < ARRAY_SIZE(data); i++) {
		if (unregister_trace_selftest_number(check_alive, data[i]))
			__atomic_fetch_add(&dead_calls, 1, __ATOMIC_RELAXED);
		if (data[i])
			WRITE_ONCE(*data[i], 0);
		kfree(data[i]);
	}
}

static void attach_or_call(void *unused __unused)
{
	u64 end = ktime_get() + TIME_LIMIT;

	if (__atomic_fetch_add(&runners, 1, __ATOMIC_RELAXED)) {
		while (!smp_load_acquire(&finished))
			trace_selftest_number(ALIVE);
		return;
	}
	for (unsigned i = 0; i < ROUNDS && ktime_get() < end; i++)
		attach_and_remove();
	smp_store_release(&finished, 1);
}

SELFTEST(tracepoint, probes_are_removed_while_all_cpus_call_them)
{
	runners = finished = dead_calls = live_calls = 0;
	ASSERT(run_on_cpus(attach_or_call, NULL) == 0);
	EXPECT_EQ(dead_calls, 0);
	EXPECT(live_calls > 0 || runners == 1);
	EXPECT(!trace_selftest_number_enabled());
}
