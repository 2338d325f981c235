/*
 * Self-tests of tracing without memory: each attempt gives an error when any of its allocations is
 * refused (selftest/trace/refuse.h), and changes nothing.
 */
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/trace/refuse.h"
#include "selftest/trace/tracefs.h"
#include "trace/fgraph/fgraph.h"
#include "trace/livepatch/livepatch.h"

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

static long no_filter(void)
{
	return put("set_ftrace_filter", "\n");
}

/* A word is refused as a whole. Those before it stay, as on Linux. */
static long filter_by_file(void)
{
	long error = put("set_ftrace_filter", "ftrace_many_* vfs_*\n");

	if (error)
		(void)no_filter();
	return error;
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
static struct klp_patch patch = { .name = "memory",
				  .objs = (struct klp_object[]){ { .funcs = replaced }, {} } };

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
#define SNAPSHOT_HIST "hist:keys=next_pid:x=prev_pid:onchange($x).snapshot()"

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

static long add_snapshot_hist(void)
{
	return write_trigger(SNAPSHOT_HIST);
}

static long remove_snapshot_hist(void)
{
	long error = write_trigger("!" SNAPSHOT_HIST);

	return error ? error : free_snapshot();
}

static long add_snapshot_trigger(void)
{
	return write_trigger("snapshot:0");
}

static long remove_snapshot_trigger(void)
{
	long error = write_trigger("!snapshot");

	return error ? error : free_snapshot();
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
		{ "the trigger snapshot", add_snapshot_trigger, remove_snapshot_trigger },
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
		{ "a histogram with snapshot()", add_snapshot_hist, remove_snapshot_hist },
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
