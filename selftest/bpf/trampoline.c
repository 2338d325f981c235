/*
 * Self-tests of programs at functions: they see arguments and results, whatever else is attached to
 * the function, and whatever changes while CPUs call it.
 */
#include "arch/patch/text_area.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/bpf/programs.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/fgraph/fgraph.h"
#include "trace/ftrace/ftrace.h"

/* What programs have seen. */
static u64 seen[4];

#define ADD_NAME "ftrace_target_add"

/* Adds the arguments and the word behind them to seen[], counts in seen[3], gives `result`. */
static struct bpf_prog *observer(enum bpf_attach_type type, s32 result)
{
	const struct bpf_insn insns[] = {
		LOAD_ADDRESS(BPF_REG_2, seen),
		LOAD_W(BPF_REG_3, BPF_REG_1, 0),
		ATOMIC_ADD(BPF_REG_2, 0, BPF_REG_3),
		LOAD_W(BPF_REG_3, BPF_REG_1, 8),
		ATOMIC_ADD(BPF_REG_2, 8, BPF_REG_3),
		LOAD_W(BPF_REG_3, BPF_REG_1, 16),
		ATOMIC_ADD(BPF_REG_2, 16, BPF_REG_3),
		MOV_IMM(BPF_REG_3, 1),
		ATOMIC_ADD(BPF_REG_2, 24, BPF_REG_3),
		MOV_IMM(BPF_REG_0, result),
		EXIT,
	};
	struct bpf_prog *prog = test_prog_create(insns, ARRAY_SIZE(insns));

	if (prog && !test_prog_aim(prog, type, ADD_NAME)) {
		test_prog_free(prog);
		return NULL;
	}
	memset(seen, 0, sizeof(seen));
	return prog;
}

SELFTEST(bpf_trampoline, programs_at_the_entry_see_the_arguments)
{
	struct bpf_prog *prog = observer(BPF_TRACE_FENTRY, 99), *second;
	struct bpf_tramp_link link = { .prog = prog }, other;

	ASSERT(prog);
	ASSERT(bpf_trampoline_attach(&link) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(seen[0], 20);
	EXPECT_EQ(seen[1], 3);
	EXPECT_EQ(seen[3], 1);
	other = (struct bpf_tramp_link){ .prog = prog };
	EXPECT_EQ(bpf_trampoline_attach(&other), -EBUSY);
	second = observer(BPF_TRACE_FENTRY, 0);
	ASSERT(second);
	other.prog = second;
	EXPECT_EQ(bpf_trampoline_attach(&other), 0);
	EXPECT_EQ(ftrace_target_add(5, 6), 11);
	EXPECT_EQ(seen[3], 2);
	bpf_trampoline_detach(&link);
	EXPECT_EQ(ftrace_target_add(5, 6), 11);
	EXPECT_EQ(seen[3], 3);
	bpf_trampoline_detach(&other);
	EXPECT_EQ(ftrace_target_add(5, 6), 11);
	EXPECT_EQ(seen[3], 3);
	test_prog_free(prog);
	test_prog_free(second);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(bpf_trampoline, programs_at_the_return_see_the_result)
{
	struct bpf_prog *prog = observer(BPF_TRACE_FEXIT, 99);
	struct bpf_tramp_link link = { .prog = prog };

	ASSERT(prog);
	ASSERT(bpf_trampoline_attach(&link) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(seen[0], 20);
	EXPECT_EQ(seen[1], 3);
	EXPECT_EQ(seen[2], 23);
	bpf_trampoline_detach(&link);
	test_prog_free(prog);
}

SELFTEST(bpf_trampoline, a_program_takes_the_place_of_the_function)
{
	struct bpf_prog *modify = observer(BPF_MODIFY_RETURN, -22), *exit;
	struct bpf_tramp_link links[2] = { { .prog = modify }, { .prog = NULL } };

	ASSERT(modify);
	ASSERT(bpf_trampoline_attach(&links[0]) == 0);
	EXPECT_EQ((int)ftrace_target_add(20, 3), -22);
	EXPECT_EQ(seen[3], 1);
	exit = observer(BPF_TRACE_FEXIT, 0);
	ASSERT(exit);
	links[1].prog = exit;
	ASSERT(bpf_trampoline_attach(&links[1]) == 0);
	EXPECT_EQ((int)ftrace_target_add(20, 3), -22);
	EXPECT_EQ((u32)seen[2], (u32)-22); /* fmod_ret saw 0 there, fexit the result */
	EXPECT_EQ(seen[3], 2);
	bpf_trampoline_detach(&links[0]);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	bpf_trampoline_detach(&links[1]);
	test_prog_free(modify);
	test_prog_free(exit);
}

static void replace(unsigned long ip __unused, unsigned long parent_ip __unused,
		    struct ftrace_ops *ops __unused, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ftrace_target_multiply);
}

static void override(unsigned long ip __unused, unsigned long parent_ip __unused,
		     struct ftrace_ops *ops __unused, struct ftrace_regs *fregs)
{
	ftrace_regs_set_return_value(fregs, 4711);
	ftrace_override_function_with_return(fregs);
}

/* ops changes where add(6, 7) continues: the result is then `result`. */
static void check_with(struct selftest *test, struct ftrace_ops *ops, unsigned result)
{
	struct bpf_prog *progs[2] = { observer(BPF_TRACE_FENTRY, 0), observer(BPF_TRACE_FEXIT, 0) };
	struct bpf_tramp_link links[2] = { { .prog = progs[0] }, { .prog = progs[1] } };

	ASSERT(progs[0] && progs[1]);
	ASSERT(ftrace_set_filter_ip(ops, (unsigned long)ftrace_target_add, false, true) == 0);
	for (unsigned first = 0; first < 2; first++) {
		EXPECT(!first || !register_ftrace_function(ops));
		EXPECT_EQ(bpf_trampoline_attach(&links[0]), 0);
		EXPECT(first || !register_ftrace_function(ops));
		EXPECT_EQ(ftrace_target_add(6, 7), result);
		EXPECT_EQ(bpf_trampoline_attach(&links[1]), 0);
		memset(seen, 0, sizeof(seen));
		EXPECT_EQ(ftrace_target_add(6, 7), result);
		EXPECT_EQ(seen[0], 12);
		EXPECT_EQ(seen[3], 2);
		bpf_trampoline_detach(&links[0]);
		EXPECT_EQ(ftrace_target_add(6, 7), result);
		EXPECT(unregister_ftrace_function(ops) == 0);
		EXPECT_EQ(ftrace_target_add(6, 7), 13);
		bpf_trampoline_detach(&links[1]);
	}
	ftrace_free_filter(ops);
	test_prog_free(progs[0]);
	test_prog_free(progs[1]);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	ftrace_location((unsigned long)ftrace_target_add)->flags = 0;
}

SELFTEST(bpf_trampoline, a_function_that_another_one_replaces_has_programs)
{
	struct ftrace_ops ops = { .func = replace, .flags = FTRACE_OPS_FL_IPMODIFY };

	check_with(test, &ops, 42);
	ops = (struct ftrace_ops){ .func = replace,
				   .flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS };
	check_with(test, &ops, 42);
}

SELFTEST(bpf_trampoline, a_function_whose_result_is_overridden_has_programs)
{
	struct ftrace_ops ops = { .func = override,
				  .flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS };

	check_with(test, &ops, 4711);
}

/* ---- stacks ---- */

static char trace[6][KSYM_SYMBOL_LEN];

static u64 note_stack(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused, u64 r4 __unused,
		      u64 r5 __unused)
{
	unsigned long entries[ARRAY_SIZE(trace)] = { 0 };

	stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(trace); i++)
		sprint_symbol_no_offset(trace[i], entries[i]);
	return 0;
}

static bool trace_has(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(trace); i++)
		if (!strncmp(trace[i], name, strlen(name)))
			return true;
	return false;
}

static void call_add(struct selftest *test)
{
	EXPECT_EQ(ftrace_target_add(6, 7), 13);
}

SELFTEST(bpf_trampoline, a_stack_trace_of_a_program_has_the_function)
{
	const struct bpf_insn insns[] = { CALL(note_stack), EXIT };
	const enum bpf_attach_type types[] = { BPF_TRACE_FENTRY, BPF_TRACE_FEXIT };

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		struct bpf_prog *prog = test_prog_create(insns, ARRAY_SIZE(insns));
		struct bpf_tramp_link link = { .prog = prog };

		ASSERT(prog && test_prog_aim(prog, types[i], ADD_NAME));
		prog->has_callchain_buf = true;
		ASSERT(bpf_trampoline_attach(&link) == 0);
		call_add(test);
		EXPECT(trace_has("bpf_prog_0000000000000000_test [bpf]"));
		EXPECT(trace_has("bpf_trampoline_"));
		EXPECT(trace_has(ADD_NAME));
		EXPECT(trace_has("call_add") || trace_has("selftest_bpf_trampoline"));
		bpf_trampoline_detach(&link);
		test_prog_free(prog);
	}
}

/* ---- changes while CPUs call the function ---- */

struct calls {
	atomic_t calls, wrong;
	bool stop;
};

static void keep_calling(void *arg, unsigned index)
{
	struct calls *c = arg;
	u32 seed = index;

	for (unsigned i = 0; i < 200 || !READ_ONCE(c->stop); i++) {
		unsigned a = test_random(&seed) % 1000, b = test_random(&seed) % 1000;

		if (ftrace_target_add(a, b) != a + b)
			atomic_inc(&c->wrong);
		atomic_inc(&c->calls);
		cond_resched();
	}
}

static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *ops __unused, struct ftrace_regs *fregs __unused)
{
}

static int count_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops __unused,
		       struct ftrace_regs *fregs __unused)
{
	return 1;
}

static void count_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops __unused,
			 struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops tracer = { .func = count_call };
static struct fgraph_ops graph = { .entryfunc = count_entry, .retfunc = count_return };

static void change_everything(struct selftest *test, struct bpf_tramp_link links[3])
{
	for (unsigned i = 0; i < 3; i++)
		EXPECT_EQ(bpf_trampoline_attach(&links[i]), 0);
	EXPECT_EQ(register_ftrace_function(&tracer), 0);
	bpf_trampoline_detach(&links[0]);
	EXPECT_EQ(register_ftrace_graph(&graph), 0);
	EXPECT_EQ(bpf_trampoline_attach(&links[0]), 0);
	EXPECT_EQ(unregister_ftrace_function(&tracer), 0);
	bpf_trampoline_detach(&links[1]);
	bpf_trampoline_detach(&links[2]);
	unregister_ftrace_graph(&graph);
	bpf_trampoline_detach(&links[0]);
}

SELFTEST(bpf_trampoline, every_call_is_right_while_programs_and_tracers_come_and_go)
{
	struct bpf_prog *progs[3] = { observer(BPF_TRACE_FENTRY, 0), observer(BPF_TRACE_FEXIT, 0),
				      observer(BPF_MODIFY_RETURN, 0) };
	struct bpf_tramp_link links[3];
	struct text_area_stats before, after;
	struct calls c = { .stop = false };
	struct test_group callers;

	ASSERT(progs[0] && progs[1] && progs[2]);
	for (unsigned i = 0; i < 3; i++)
		links[i] = (struct bpf_tramp_link){ .prog = progs[i] };
	ASSERT(ftrace_set_filter_ip(&tracer, (unsigned long)ftrace_target_add, false, true) == 0);
	ASSERT(ftrace_set_filter_ip(&graph.ops, (unsigned long)ftrace_target_add, false, true) ==
	       0);
	rcu_barrier_tasks();
	text_area_stats_read(&before);
	ASSERT(test_group_start(&callers, num_online_cpus(), EACH_CPU, keep_calling, &c));
	for (unsigned i = 0; i < selftest_rounds(3); i++)
		change_everything(test, links);
	WRITE_ONCE(c.stop, true);
	test_group_wait(&callers);
	EXPECT_EQ(atomic_read(&c.wrong), 0);
	EXPECT(seen[3] > 0);
	for (unsigned i = 0; i < 3; i++)
		test_prog_free(progs[i]);
	do { /* images go after their programs */
		msleep(1);
		text_area_stats_read(&after);
	} while (after.bytes >= before.bytes);
	selftest_diag(test, "%d calls, %lu runs", atomic_read(&c.calls), (unsigned long)seen[3]);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	ftrace_free_filter(&tracer);
	ftrace_free_filter(&graph.ops);
	ftrace_location((unsigned long)ftrace_target_add)->flags = 0;
}

/* ---- a function that sleeps ---- */

static DECLARE_COMPLETION(in_function);
static DECLARE_COMPLETION(may_return);

static void sleep_in_function(void *arg __unused)
{
	complete(&in_function);
	wait_for_completion(&may_return);
}

static int call_sleeper(void *arg __unused)
{
	ftrace_target_call(sleep_in_function, NULL);
	return 17;
}

static int find_function(void *arg, unsigned long ip)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, ip);
	*(bool *)arg |= !strcmp(name, "ftrace_target_call");
	return 0;
}

SELFTEST(bpf_trampoline, a_task_asleep_in_the_function_returns_after_the_program_has_gone)
{
	struct bpf_prog *prog = observer(BPF_TRACE_FEXIT, 0);
	struct bpf_tramp_link link = { .prog = prog };
	struct text_area_stats before, during, after;
	struct task_struct *task;
	bool found = false;

	ASSERT(prog && test_prog_aim(prog, BPF_TRACE_FEXIT, "ftrace_target_call"));
	rcu_barrier_tasks();
	text_area_stats_read(&before);
	ASSERT(bpf_trampoline_attach(&link) == 0);
	task = test_task_start(call_sleeper, NULL, "sleeper");
	ASSERT(task);
	wait_for_completion(&in_function);
	while (READ_ONCE(task->on_rq) || READ_ONCE(task->on_cpu)) /* it may be preempted before */
		msleep(1);
	/* A live patch may trust the trace. */
	EXPECT_EQ(arch_stack_walk_reliable(task, find_function, &found), 0);
	EXPECT(found);
	bpf_trampoline_detach(&link);
	while (atomic_read(&prog->refs) > 1)
		msleep(1);
	text_area_stats_read(&during);
	EXPECT(during.bytes > before.bytes); /* the task will return to the image */
	complete(&may_return);
	EXPECT_EQ(test_task_end(task), 17);
	EXPECT_EQ(seen[3], 0); /* the program did not run any more */
	do {
		msleep(1);
		text_area_stats_read(&after);
	} while (after.bytes != before.bytes);
	test_prog_free(prog);
}
