/*
 * Self-tests of monitors (trace/rv/). The model is a ring of three states, which the event `step`
 * goes round. Each step is recorded once, so a third of all steps begins in each state: a lost or a
 * doubled transition would show.
 */
#include "trace/rv/internal.h"

#include "arch/irq/ipi.h"
#include "arch/irq/nmi_events.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define STEPS 3000U /* by each thread; divisible by 3 */

RV_DECLARE(test_kernel);
RV_DECLARE(test_cpu);
RV_DECLARE(test_task);
RV_DECLARE(test_task2);

enum states_ring { a_ring = RV_INITIAL_STATE, b_ring, c_ring };
enum events_ring { step_ring, back_ring };

static const struct automaton automaton_ring = {
	.state_names = { [a_ring] = "a", [b_ring] = "b", [c_ring] = "c" },
	.event_names = { [step_ring] = "step", [back_ring] = "back" },
	.function = {
		[a_ring] = { [step_ring] = b_ring },
		[b_ring] = { [step_ring] = c_ring, [back_ring] = a_ring },
		[c_ring] = { [step_ring] = a_ring },
	},
	.final_states = { [a_ring] = true },
};
#define automaton_test_kernel automaton_ring
#define automaton_test_cpu    automaton_ring
#define automaton_test_task   automaton_ring
#define automaton_test_task2  automaton_ring

static bool steps_in_nmi; /* whether NMIs are steps */
static atomic64_t nmi_steps;

static void handle_nmi(void *data __unused, void *handler __unused, s64 delta_ns __unused,
		       int handled __unused)
{
	if (READ_ONCE(steps_in_nmi)) {
		da_handle_event(&rv_test_cpu, step_ring);
		atomic64_inc(&nmi_steps);
	}
}

static const struct rv_probe no_probes[] = { { .tp = NULL } };
static const struct rv_probe probes_test_cpu[] = {
	RV_PROBE(nmi_handler, handle_nmi),
	{ .tp = NULL },
};
#define probes_test_kernel no_probes
#define probes_test_task   no_probes
#define probes_test_task2  no_probes
RV_MONITOR_GLOBAL(test_kernel, "a ring of the kernel.");
RV_MONITOR_PER_CPU(test_cpu, "a ring of each CPU.");
RV_MONITOR_PER_TASK(test_task, "a ring of each task.");
RV_MONITOR_PER_TASK(test_task2, "another ring of each task.");

/* ---- what the monitors report ---- */

static atomic64_t from[3], errors, reactions; /* steps from a, b, c */
static char last_text[160];

static void count_event(void *data __unused, const char *state, const char *event __unused,
			const char *next __unused, bool final __unused)
{
	atomic64_inc(&from[*state - 'a']);
}

static void count_event_id(void *data, int id __unused, const char *state, const char *event,
			   const char *next, bool final)
{
	count_event(data, state, event, next, final);
}

static void count_error(void *data __unused, const char *state __unused, const char *event __unused)
{
	atomic64_inc(&errors);
}

static void react(const char *text)
{
	atomic64_inc(&reactions);
	strscpy(last_text, text, sizeof(last_text));
}

static const struct rv_reactor counting = { "counting", react };

static void *event_probe(const struct rv_monitor *mon)
{
	return mon->type == RV_PER_TASK ? (void *)count_event_id : (void *)count_event;
}

static bool begin(struct rv_monitor *mon)
{
	for (unsigned i = 0; i < 3; i++)
		atomic64_set(&from[i], 0);
	atomic64_set(&errors, 0);
	atomic64_set(&reactions, 0);
	return !tracepoint_probe_register(mon->event, event_probe(mon), NULL, 10) &&
	       !rv_switch_monitor(mon, true);
}

static void end(struct rv_monitor *mon)
{
	(void)rv_switch_monitor(mon, false);
	tracepoint_probe_unregister(mon->event, event_probe(mon), NULL);
}

static void step(struct rv_monitor *mon, unsigned event, enum rv_start start)
{
	preempt_disable();
	rv_handle_event(mon, mon->type == RV_PER_TASK ? current : NULL, event, start);
	preempt_enable();
}

static s64 steps(void)
{
	return atomic64_read(&from[0]) + atomic64_read(&from[1]) + atomic64_read(&from[2]);
}

/* ---- one at a time ---- */

SELFTEST(rv, events_before_the_state_is_known_are_ignored)
{
	ASSERT(begin(&rv_test_kernel));
	step(&rv_test_kernel, step_ring, RV_START_NOT);
	step(&rv_test_kernel, back_ring, RV_START_NOT);
	EXPECT_EQ(steps(), 0);
	step(&rv_test_kernel, back_ring, RV_START_AFTER); /* leads to a, and is no step */
	EXPECT_EQ(steps(), 0);
	step(&rv_test_kernel, step_ring, RV_START_NOT);
	EXPECT_EQ(atomic64_read(&from[0]), 1);
	step(&rv_test_kernel, back_ring, RV_START_AFTER); /* known: a step as any other */
	EXPECT_EQ(atomic64_read(&from[1]), 1);
	end(&rv_test_kernel);

	ASSERT(begin(&rv_test_kernel));
	step(&rv_test_kernel, step_ring, RV_START_RUN); /* it is in a, and the step counts */
	EXPECT_EQ(atomic64_read(&from[0]), 1);
	end(&rv_test_kernel);
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	EXPECT_EQ(steps(), 1);
}

SELFTEST(rv, an_error_is_reported_once_and_makes_the_state_unknown)
{
	const struct rv_reactor *reactor = rv_test_kernel.reactor;

	ASSERT(begin(&rv_test_kernel));
	ASSERT(!tracepoint_probe_register(rv_test_kernel.error, (void *)count_error, NULL, 10));
	WRITE_ONCE(rv_test_kernel.reactor, &counting);
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	step(&rv_test_kernel, step_ring, RV_START_NOT);
	step(&rv_test_kernel, back_ring, RV_START_NOT); /* not allowed in c */
	step(&rv_test_kernel, back_ring, RV_START_NOT);
	step(&rv_test_kernel, step_ring, RV_START_NOT);
	EXPECT_EQ(steps(), 2);
	EXPECT_EQ(atomic64_read(&errors), 1);
	EXPECT_EQ(atomic64_read(&reactions), 1);
	EXPECT(!strcmp(last_text,
		       "rv: monitor test_kernel does not allow event back on state c\n"));
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	EXPECT_EQ(steps(), 3);
	WRITE_ONCE(rv_test_kernel.reactor, reactor);
	tracepoint_probe_unregister(rv_test_kernel.error, (void *)count_error, NULL);
	end(&rv_test_kernel);
}

SELFTEST(rv, while_monitoring_is_off_events_are_ignored_and_then_the_state_is_unknown)
{
	ASSERT(begin(&rv_test_kernel));
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	mutex_lock(&rv_interface_lock);
	rv_set_monitoring(false);
	mutex_unlock(&rv_interface_lock);
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	mutex_lock(&rv_interface_lock);
	rv_set_monitoring(true);
	mutex_unlock(&rv_interface_lock);
	step(&rv_test_kernel, step_ring, RV_START_NOT);
	EXPECT_EQ(steps(), 1);
	step(&rv_test_kernel, step_ring, RV_START_RUN);
	EXPECT_EQ(atomic64_read(&from[0]), 2);
	end(&rv_test_kernel);
}

SELFTEST(rv, monitors_of_tasks_are_as_many_as_a_task_has_words)
{
	struct rv_monitor *some[] = { &rv_test_task, &rv_test_task2 };
	struct rv_monitor *all[ARRAY_SIZE(current->rv) + 1];
	unsigned n = 0;

	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		if (mon->type == RV_PER_TASK && n < ARRAY_SIZE(all))
			all[n++] = mon;
	ASSERT(n == ARRAY_SIZE(all));
	for (unsigned i = 0; i < n - 1; i++)
		EXPECT_EQ(rv_switch_monitor(all[i], true), 0);
	EXPECT_EQ(rv_switch_monitor(all[n - 1], true), -EBUSY);
	for (unsigned i = 0; i < n; i++)
		(void)rv_switch_monitor(all[i], false);

	/* The second one gets the word of the first one, and takes nothing out of it. */
	ASSERT(begin(some[0]));
	step(some[0], step_ring, RV_START_RUN);
	EXPECT_EQ(steps(), 1);
	end(some[0]);
	ASSERT(begin(some[1]));
	EXPECT_EQ(some[0]->slot, some[1]->slot);
	step(some[1], step_ring, RV_START_NOT);
	EXPECT_EQ(steps(), 0);
	end(some[1]);
}

/* ---- all CPUs ---- */

static void step_many(void *monitor, unsigned index __unused)
{
	for (unsigned i = 0; i < STEPS; i++)
		step(monitor, step_ring, i ? RV_START_NOT : RV_START_RUN);
}

/* Whether each of n steps was made once, in the order of the ring. n is divisible by 3. */
static bool each_step_was_one(s64 n)
{
	return atomic64_read(&from[0]) == n / 3 && atomic64_read(&from[1]) == n / 3 &&
	       atomic64_read(&from[2]) == n / 3;
}

SELFTEST(rv, all_cpus_step_one_automaton_and_no_step_is_lost)
{
	unsigned n = num_online_cpus();

	ASSERT(begin(&rv_test_kernel));
	ASSERT(run_threads(n, EACH_CPU, step_many, &rv_test_kernel));
	EXPECT(each_step_was_one((s64)n * STEPS));
	end(&rv_test_kernel);
}

SELFTEST(rv, each_task_has_a_state_of_its_own)
{
	unsigned n = 2 * num_online_cpus();

	ASSERT(begin(&rv_test_task));
	ASSERT(run_threads(n, ANY_CPU, step_many, &rv_test_task));
	EXPECT(each_step_was_one((s64)n * STEPS));
	end(&rv_test_task);
}

/* Sends NMIs to its own CPU and to the next one, which steps at the same time. */
static void step_among_nmis(void *monitor, unsigned index)
{
	for (unsigned i = 0; i < STEPS; i++) {
		if (i % 16 == index % 16)
			arch_send_nmi(smp_processor_id());
		step(monitor, step_ring, RV_START_NOT);
	}
}

static void start_cpu(void *monitor __unused, unsigned index __unused)
{
	step(&rv_test_cpu, back_ring, RV_START_AFTER);
}

/* Makes the steps of a CPU a multiple of 3: the CPU is in the state a again. */
static void finish_cpu(void *monitor __unused, unsigned index __unused)
{
	preempt_disable();
	while ((u32)*this_cpu_ptr(rv_test_cpu.instance) != a_ring)
		da_handle_event(&rv_test_cpu, step_ring);
	preempt_enable();
}

SELFTEST(rv, an_nmi_may_step_between_the_two_halves_of_a_step)
{
	unsigned n = num_online_cpus();
	s64 all;

	ASSERT(begin(&rv_test_cpu));
	ASSERT(run_threads(n, EACH_CPU, start_cpu, NULL));
	atomic64_set(&nmi_steps, 0);
	WRITE_ONCE(steps_in_nmi, true);
	EXPECT(run_threads(n, EACH_CPU, step_among_nmis, &rv_test_cpu));
	WRITE_ONCE(steps_in_nmi, false);
	synchronize_sched();
	all = steps();
	EXPECT_EQ(all, (s64)n * STEPS + atomic64_read(&nmi_steps));
	EXPECT(atomic64_read(&nmi_steps) > 0);
	ASSERT(run_threads(n, EACH_CPU, finish_cpu, NULL));
	EXPECT(each_step_was_one(steps()));
	end(&rv_test_cpu);
}

/* ---- the models of the scheduler, under load ---- */

static void sleep_and_wake(void *unused __unused, unsigned index)
{
	for (unsigned i = 0; i < 50; i++) {
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_timeout(20000U * (index % 4 + 1));
		cond_resched();
	}
}

static void count_scheduler_error(void *data __unused, const char *state __unused,
				  const char *event __unused)
{
	atomic64_inc(&errors);
}

static void count_scheduler_error_id(void *data, int id __unused, const char *state,
				     const char *event)
{
	count_scheduler_error(data, state, event);
}

static void *error_probe(const struct rv_monitor *mon)
{
	return mon->type == RV_PER_TASK ? (void *)count_scheduler_error_id
					: (void *)count_scheduler_error;
}

static struct rv_monitor *monitor_named(const char *name)
{
	struct rv_monitor *mon = rv_next_monitor(NULL);

	while (mon && strcmp(mon->name, name) != 0)
		mon = rv_next_monitor(mon);
	return mon;
}

SELFTEST(rv, the_scheduler_does_what_its_models_say)
{
	struct rv_monitor *sched = monitor_named("sched"), *rql = monitor_named("rql");

	ASSERT(sched && rql);
	atomic64_set(&errors, 0);
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		if (mon->parent == sched || mon == rql)
			EXPECT(!tracepoint_probe_register(mon->error, error_probe(mon), NULL, 10));
	EXPECT_EQ(rv_switch_monitor(sched, true), 0);
	EXPECT_EQ(rv_switch_monitor(rql, true), 0);
	EXPECT(run_threads(3 * num_online_cpus(), ANY_CPU, sleep_and_wake, NULL));
	(void)rv_switch_monitor(rql, false);
	(void)rv_switch_monitor(sched, false);
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		if (mon->parent == sched || mon == rql)
			tracepoint_probe_unregister(mon->error, error_probe(mon), NULL);
	EXPECT_EQ(atomic64_read(&errors), 0);
}

/* It is woken while it runs, which wwnr calls an error. */
SELFTEST(rv, a_task_that_is_woken_while_it_runs_is_an_error_of_wwnr)
{
	struct rv_monitor *wwnr = monitor_named("wwnr");
	u64 sleeps;

	ASSERT(wwnr);
	atomic64_set(&errors, 0);
	ASSERT(!tracepoint_probe_register(wwnr->error, error_probe(wwnr), NULL, 10));
	EXPECT_EQ(rv_switch_monitor(wwnr, true), 0);
	/* Its state becomes known when it sleeps. A slow CPU may find the time over before that. */
	sleeps = current->nvcsw;
	while (current->nvcsw == sleeps) {
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_timeout(NSEC_PER_MSEC);
	}
	preempt_disable();
	set_current_state(TASK_INTERRUPTIBLE);
	wake_up_process(current);
	preempt_enable();
	EXPECT(atomic64_read(&errors) > 0);
	(void)rv_switch_monitor(wwnr, false);
	tracepoint_probe_unregister(wwnr->error, error_probe(wwnr), NULL);
}
