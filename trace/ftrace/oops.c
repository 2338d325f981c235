/*
 * A callback that faults.
 *
 * It may be the callback of all functions, those of the oops's report among them, and would fault
 * again and again. So before the exception handler calls anything that is traced, it asks here
 * whether a callback is on the stack. If so ftrace is shut down, and nobody is called any more: in
 * each trampoline one byte is changed, which needs no lock and waits for nobody. Then the report is
 * made; the task ends if nothing but tracing kept it from being preempted, else the machine does.
 * If it goes on, a kworker makes nops of all sites.
 */
#include "arch/pgtable.h"
#include "arch/stacktrace.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/sched.h"
#include "trace/fgraph/internal.h"
#include "trace/ftrace/trampoline.h"
#include "trace/ftrace/recursion.h"

#define STACK_ENTRIES 64

static void turn_all_off(struct work_struct *work __unused)
{
	ftrace_turn_all_off();
	pr_err("ftrace: all sites are off\n");
}

static DECLARE_WORK(off_work, turn_all_off);
static bool faulted; /* once, for ever */

/* Where callbacks are called; the trampoline's ops may have left since. */
static bool is_caller(unsigned long ip)
{
	return arch_is_ftrace_caller(ip) || (ip >= TEXT_AREA_START && ip < TEXT_AREA_END);
}

/* From now on nobody is called, on this CPU at once, on others as they come to a trampoline. */
static void silence(void)
{
	struct ftrace_ops *ops;

	arch_ftrace_callers_silence();
	list_for_each_entry_rcu(ops, &ftrace_ops_list, list)
	{
		const struct ftrace_trampoline *tramp = READ_ONCE(ops->trampoline);

		if (tramp)
			ftrace_trampoline_silence(tramp);
		WRITE_ONCE(ops->list_func, ftrace_stub); /* by those who are in the list now */
	}
	fgraph_silence();
}

/* Whatever is called here is not traced: nor are this file, and the unwinder. */
static void ftrace_oops_enter(struct pt_regs *regs)
{
	if (!stack_trace_find_regs(regs, is_caller))
		return;
	ftrace_shut_down();
	silence();
	WRITE_ONCE(faulted, true);
}

/* ---- the report ---- */

/*
 * The callback that was called last: the function within the innermost one of ftrace's. 0: the
 * stack is too deep, or ftrace itself has faulted.
 */
static unsigned long callback_on_stack(struct pt_regs *regs)
{
	unsigned long entries[STACK_ENTRIES], callback = 0;
	unsigned i = 0, count = stack_trace_save_regs(regs, entries, STACK_ENTRIES);

	while (i < count && !is_caller(entries[i]))
		i++;
	while (i--) {
		unsigned long offset,
			ip = i ? entries[i] - 1 : entries[i]; /* i: it returns there */
		char name[KSYM_NAME_LEN];

		if (!kallsyms_lookup(ip, NULL, &offset, name))
			continue;
		if (ftrace_calls_callbacks(ip - offset) || fgraph_calls_callbacks(ip - offset))
			callback = 0;
		else if (!callback)
			callback = ip - offset;
	}
	return callback;
}

static unsigned uncounted; /* [one report at a time] */

/* Where fgraph has turned preemption off, and has not said so: at returns, and in entry stubs. */
static bool count_uncounted(unsigned long ip)
{
	unsigned long offset;
	char name[KSYM_NAME_LEN];

	uncounted += ip == return_to_handler_called || (kallsyms_lookup(ip, NULL, &offset, name) &&
							fgraph_is_entry_stub(ip - offset));
	return false;
}

/*
 * In a task nothing but the guards of this very callback are set: an interrupt, which has its own,
 * would be what has ended.
 */
static void give_back_guards(struct pt_regs *regs)
{
	uncounted = 0;
	stack_trace_find_regs(regs, count_uncounted);
	preempt_count_sub(trace_recursion_preempt_count(current->trace_recursion) + uncounted);
	current->trace_recursion = 0;
}

static const char *ftrace_oops_release(struct pt_regs *regs)
{
	unsigned long callback;

	if (!stack_trace_find_regs(regs, is_caller))
		return NULL;
	callback = callback_on_stack(regs);
	if (callback)
		pr_emerg("ftrace: the callback %pS has faulted, shutting down\n", (void *)callback);
	else
		pr_emerg("ftrace: a callback has faulted, shutting down\n");
	if (in_task()) {
		give_back_guards(regs);
		fgraph_abandon_entries();
	}
	/* Whoever wanted to look at tracing would wait for ever. */
	if (mutex_owner(&ftrace_lock) == current || mutex_owner(&fgraph_mutex) == current)
		return "Fatal exception in a callback, with ftrace_lock held";
	return NULL;
}

static void ftrace_oops_task(struct pt_regs *regs __unused)
{
	if (READ_ONCE(faulted))
		schedule_work(&off_work);
}

static int __init ftrace_oops_init(void)
{
	oops_enter_hook = ftrace_oops_enter;
	oops_release_hook = ftrace_oops_release;
	oops_task_hook = ftrace_oops_task;
	return 0;
}
early_initcall(ftrace_oops_init);
