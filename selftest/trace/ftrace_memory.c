/*
 * Self-tests of tracing without memory. An attempt is repeated in rounds: round N refuses the Nth
 * allocation of the attempt. The rounds end when the attempt makes fewer than N allocations. Each
 * refused allocation must give an error and leave the state unchanged.
 *
 * ftrace itself refuses the allocations, as in trace/samples/fail.c: a callback at the allocators
 * makes them return NULL.
 */
#include "fs/fs.h"
#include "fs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/memory.h"
#include "trace/fgraph/fgraph.h"
#include "trace/livepatch/livepatch.h"
#include "selftest/trace/tracefs.h"

#define ALLOCATORS                                                                                 \
	{                                                                                          \
		"alloc_pages", "get_free_pages", "kmem_cache_alloc", "__kmalloc", "kmalloc_trace", \
			"vmalloc", "vzalloc", "text_area_alloc"                                    \
	}
#define MANY_ROUNDS 60U
#define ROUNDS      5000U /* more allocations than any attempt makes */

/* [V] written by victim only. */
static struct task_struct *victim; /* the task to refuse an allocation; NULL: none */
static unsigned allocations;       /* [V] by victim in this round so far */
static unsigned refused;           /* [V] the number of the allocation to refuse */
static unsigned errors;            /* rounds of an attempt that gave -ENOMEM */

static void refuse_one(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	if (current != READ_ONCE(victim) || !in_task() || ++allocations != refused)
		return;
	ftrace_regs_set_return_value(fregs, 0);
	ftrace_override_function_with_return(fregs);
}

static struct ftrace_ops refuse_ops = { .func = refuse_one, .flags = FTRACE_OPS_FL_IPMODIFY };

static bool start_refusing(void)
{
	static const char *const allocators[] = ALLOCATORS;

	for (unsigned i = 0; i < ARRAY_SIZE(allocators); i++)
		if (ftrace_set_filter(&refuse_ops, allocators[i], strlen(allocators[i]), i == 0))
			return false;
	return register_ftrace_function(&refuse_ops) == 0;
}

static void stop_refusing(struct selftest *test)
{
	static const char *const allocators[] = ALLOCATORS;

	EXPECT_EQ(unregister_ftrace_function(&refuse_ops), 0);
	ftrace_free_filter(&refuse_ops);
	/* Other tests expect no flags. */
	for (unsigned i = 0; i < ARRAY_SIZE(allocators); i++)
		ftrace_location(kallsyms_lookup_name(allocators[i]))->flags = 0;
}

/* An operation, and the one that reverses it. Both return 0 or a negative errno. */
struct attempt {
	const char *name;
	long (*begin)(void);
	long (*end)(void);
};

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

static void note_state(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++) {
		state[i] = kmalloc(TRACE_TEXT_SIZE, GFP_KERNEL);
		if (state[i])
			get_into(state_files[i], state[i], TRACE_TEXT_SIZE);
	}
}

static void forget_state(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++)
		kfree(state[i]);
}

static void expect_state(struct selftest *test, const struct attempt *attempt, unsigned round)
{
	struct kstat st;

	for (unsigned i = 0; i < ARRAY_SIZE(state_files); i++) {
		if (state[i] && strcmp(get(state_files[i]), state[i]) == 0)
			continue;
		selftest_diag(test, "%s, allocation %u: %s has become %s", attempt->name, round,
			      state_files[i], text);
		EXPECT(!"unchanged");
	}
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(sys_stat(TRACING "instances/memory", &st), -ENOENT);
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

/* On many CPUs most allocations repeat once per CPU. Then not each allocation is tested. */
static unsigned next_round(unsigned round)
{
	return round + (round < MANY_ROUNDS || num_online_cpus() <= 4 ? 1 : 13);
}

static void try_all(struct selftest *test, const struct attempt *attempt)
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

/* Makes all attempts, with the state of now. */
static void try_each(struct selftest *test, const struct attempt *attempts, size_t count)
{
	note_state();
	for (size_t i = 0; i < count; i++)
		try_all(test, &attempts[i]);
	forget_state();
}

/* ---- the attempts ---- */

static void no_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
			struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static int no_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops __unused,
		    struct ftrace_regs *fregs __unused)
{
	return 0;
}

static void no_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops __unused,
		      struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops ops;
static struct fgraph_ops graph = { .entryfunc = no_entry, .retfunc = no_return };

static long register_ops(void)
{
	return register_ftrace_function(&ops);
}

static long unregister_ops(void)
{
	return unregister_ftrace_function(&ops);
}

static long register_graph(void)
{
	return register_ftrace_graph(&graph);
}

static long unregister_graph(void)
{
	unregister_ftrace_graph(&graph);
	return 0;
}

static long widen_filter(void)
{
	return ftrace_set_filter(&ops, "ftrace_many_*", 13, false);
}

static long narrow_filter(void)
{
	return ftrace_set_filter(&ops, "!ftrace_many_*", 14, false);
}

static long filter_by_file(void)
{
	return put("set_ftrace_filter", "ftrace_many_* vfs_*\n");
}

static long no_filter(void)
{
	return put("set_ftrace_filter", "\n");
}

static long notrace_by_file(void)
{
	return put("set_ftrace_notrace", "ftrace_many_*\n");
}

static long no_notrace(void)
{
	return put("set_ftrace_notrace", "\n");
}

static long start_function(void)
{
	return put("current_tracer", "function");
}

static long start_graph(void)
{
	return put("current_tracer", "function_graph");
}

static long stop_tracer(void)
{
	return put("current_tracer", "nop");
}

static long add_probe(void)
{
	const char *probe = "ftrace_many_*:traceon:3\n";

	return put_mode("set_ftrace_filter", probe, strlen(probe), O_APPEND);
}

static long remove_probe(void)
{
	const char *probe = "!ftrace_many_*:traceon:3\n";

	return put_mode("set_ftrace_filter", probe, strlen(probe), O_APPEND);
}

static long take_snapshot(void)
{
	return put("snapshot", "1");
}

static long free_snapshot(void)
{
	return put("snapshot", "0");
}

static long make_instance(void)
{
	return sys_mkdir(TRACING "instances/memory", 0755);
}

static long remove_instance(void)
{
	return sys_rmdir(TRACING "instances/memory");
}

#define EVENT_FILTER  "events/sched/sched_switch/filter"
#define SYSTEM_FILTER "events/sched/filter"

static long filter_event(void)
{
	return put(EVENT_FILTER, "prev_pid == 1 && (prev_comm ~ 'a*' || next_prio < 0)");
}

static long filter_event_as_before(void)
{
	return put(EVENT_FILTER, "common_pid == 7");
}

static long filter_system(void)
{
	return put(SYSTEM_FILTER, "comm == 'a'");
}

static long filter_system_as_before(void)
{
	return put(SYSTEM_FILTER, "common_pid == 7");
}

static noinline unsigned new_add(unsigned a, unsigned b)
{
	return a * b;
}

static struct klp_func replaced[] = {
	{ .old_name = "ftrace_target_add", .new_func = new_add },
	{ .old_name = "ftrace_target_multiply", .new_func = new_add },
	{},
};
static struct klp_patch patch = { .name = "memory", .funcs = replaced };

static long enable_patch(void)
{
	long error = klp_enable_patch(&patch);

	return error ? klp_release_patch(&patch) ?: error : 0;
}

static long disable_patch(void)
{
	long error = ftrace_target_add(20, 3) == 60 ? 0 : -EIO;

	klp_wait_for_transition();
	if (!error)
		error = klp_disable_patch(&patch);
	klp_wait_for_transition();
	return error ?: klp_release_patch(&patch);
}

SELFTEST(ftrace_memory, registering_changes_nothing_when_any_allocation_is_refused)
{
	static const struct attempt attempts[] = {
		{ "ops", register_ops, unregister_ops },
		{ "graph", register_graph, unregister_graph },
	};
	static const struct attempt of_all = { "ops of all functions", register_ops,
					       unregister_ops };

	ops = (struct ftrace_ops){ .func = no_callback };
	ASSERT(ftrace_set_filter_ip(&ops, (unsigned long)ftrace_target_other, false, true) == 0);
	ASSERT(ftrace_set_filter_ip(&graph.ops, (unsigned long)ftrace_target_other, false, true) ==
	       0);
	ASSERT(start_refusing());
	note_state();
	for (unsigned i = 0; i < ARRAY_SIZE(attempts); i++)
		try_all(test, &attempts[i]);
	ftrace_free_filter(&ops);
	try_all(test, &of_all);
	forget_state();
	stop_refusing(test);
	ftrace_free_filter(&graph.ops);
}

SELFTEST(ftrace_memory, a_live_patch_is_enabled_whole_or_not_at_all)
{
	static const struct attempt attempt = { "live patch", enable_patch, disable_patch };

	ASSERT(start_refusing());
	note_state();
	try_all(test, &attempt);
	forget_state();
	stop_refusing(test);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	ftrace_location((unsigned long)ftrace_target_add)->flags = 0;
	ftrace_location((unsigned long)ftrace_target_multiply)->flags = 0;
}

SELFTEST(ftrace_memory, a_filter_is_unchanged_when_any_allocation_is_refused)
{
	static const struct attempt attempt = { "filter", widen_filter, narrow_filter };

	ops = (struct ftrace_ops){ .func = no_callback };
	ASSERT(ftrace_set_filter_ip(&ops, (unsigned long)ftrace_target_other, false, true) == 0);
	ASSERT(start_refusing());
	note_state();
	try_all(test, &attempt);
	forget_state();
	ASSERT(register_ftrace_function(&ops) == 0);
	note_state(); /* enabled_functions has a new line now */
	try_all(test, &attempt);
	forget_state();
	EXPECT_EQ(unregister_ftrace_function(&ops), 0);
	stop_refusing(test);
	ftrace_free_filter(&ops);
}

SELFTEST(ftrace_memory, a_write_without_memory_is_refused_and_changes_nothing)
{
	static const struct attempt attempts[] = {
		{ "set_ftrace_filter", filter_by_file, no_filter },
		{ "set_ftrace_notrace", notrace_by_file, no_notrace },
		{ "a probe", add_probe, remove_probe },
		{ "function", start_function, stop_tracer },
		{ "function_graph", start_graph, stop_tracer },
		{ "snapshot", take_snapshot, free_snapshot },
		{ "an instance", make_instance, remove_instance },
	};

	reset();
	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	stop_refusing(test);
}

#define SWITCH_TRIGGER "events/sched/sched_switch/trigger"
#define SIMPLE_HIST    "hist:keys=next_pid,prev_comm.hex:vals=prev_prio if prev_pid > 1"
#define TRACKING_HIST                                                                              \
	"hist:keys=next_pid.log2:x=prev_pid,y=$x+prev_prio*2:size=128:onmax($x).save(next_comm)"

static long write_trigger(const char *line)
{
	return put_mode(SWITCH_TRIGGER, line, strlen(line), O_APPEND);
}

static long add_hist(void)
{
	return write_trigger(SIMPLE_HIST);
}

static long remove_hist(void)
{
	return write_trigger("!" SIMPLE_HIST);
}

static long add_tracking_hist(void)
{
	return write_trigger(TRACKING_HIST);
}

static long remove_tracking_hist(void)
{
	return write_trigger("!" TRACKING_HIST);
}

SELFTEST(ftrace_memory, a_filter_of_events_is_unchanged_when_any_allocation_is_refused)
{
	static const struct attempt attempts[] = {
		{ "the filter of an event", filter_event, filter_event_as_before },
		{ "the filter of a system", filter_system, filter_system_as_before },
	};

	EXPECT_EQ(filter_system_as_before(), 0);
	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	stop_refusing(test);
	EXPECT_EQ(put(SYSTEM_FILTER, "0"), 0);
}

static long add_trigger(void)
{
	return write_trigger("stacktrace:0 if prev_pid > 1 && next_comm ~ \"a*\"");
}

static long remove_trigger(void)
{
	return write_trigger("!stacktrace");
}

static long add_enable_trigger(void)
{
	return write_trigger("enable_event:sched:sched_waking:0 if prev_pid == 1");
}

static long remove_enable_trigger(void)
{
	return write_trigger("!enable_event:sched:sched_waking");
}

static long add_event_probe(void)
{
	const char *probe = "ftrace_many_*:enable_event:sched:sched_waking\n";

	return put_mode("set_ftrace_filter", probe, strlen(probe), O_APPEND);
}

static long remove_event_probe(void)
{
	const char *probe = "!ftrace_many_*:enable_event:sched:sched_waking\n";

	return put_mode("set_ftrace_filter", probe, strlen(probe), O_APPEND);
}

static long choose_task(void)
{
	return put_mode("set_event_pid", "1", 1, O_APPEND);
}

static long choose_all_tasks(void)
{
	return put("set_event_pid", "");
}

SELFTEST(ftrace_memory, a_trigger_or_a_list_of_tasks_changes_nothing_when_any_allocation_is_refused)
{
	static const struct attempt attempts[] = {
		{ "a trigger", add_trigger, remove_trigger },
		{ "enable_event", add_enable_trigger, remove_enable_trigger },
		{ "enable_event of functions", add_event_probe, remove_event_probe },
		{ "set_event_pid", choose_task, choose_all_tasks },
	};

	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	stop_refusing(test);
}

SELFTEST(ftrace_memory, a_histogram_is_made_whole_or_not_at_all)
{
	static const struct attempt attempts[] = {
		{ "a histogram", add_hist, remove_hist },
		{ "a histogram with actions", add_tracking_hist, remove_tracking_hist },
	};

	EXPECT_EQ(put("error_log", " "), 0);
	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	EXPECT_EQ(put("error_log", " "), 0); /* its entries are objects, too */
	stop_refusing(test);
}

static long define_synthetic(void)
{
	return put("synthetic_events", "memory u64 a; char b[8]; char c[]; unsigned long d[]");
}

static long define_eprobe(void)
{
	return put("dynamic_events", "e:g/memory sched.sched_switch a=+4($next_pid):u8[2] "
				     "b=$next_comm:string c=\\\"x\" if next_pid > 1");
}

static long remove_dynamic(void)
{
	return put("dynamic_events", "\n");
}

static long enable_eprobe(void)
{
	return put("events/g/memory/enable", "1");
}

static long disable_eprobe(void)
{
	return put("events/g/memory/enable", "0");
}

static long inject(void)
{
	return put("events/g/memory/inject", "b='x'");
}

SELFTEST(ftrace_memory, a_dynamic_event_is_made_whole_or_not_at_all)
{
	static const struct attempt attempts[] = {
		{ "a synthetic event", define_synthetic, remove_dynamic },
		{ "an event probe", define_eprobe, remove_dynamic },
	};
	static const struct attempt of_probe[] = {
		{ "enabling an event probe", enable_eprobe, disable_eprobe },
		{ "inject", inject, disable_eprobe },
		{ "an instance with dynamic events", make_instance, remove_instance },
	};

	EXPECT_EQ(put("buffer_size_kb", "64"), 0);
	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	ASSERT(define_eprobe() == 0);
	try_each(test, of_probe, ARRAY_SIZE(of_probe));
	EXPECT_EQ(remove_dynamic(), 0);
	stop_refusing(test);
}
