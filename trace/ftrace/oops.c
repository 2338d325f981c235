/*
 * A fault inside a callback.
 *
 * The callback may be attached to all functions, also to those that print the oops report. Then it
 * would fault again and again. So the exception handler asks here whether a callback is on the
 * stack, before it calls anything that is traced. If so, ftrace is shut down and calls no callback
 * any more: one byte is changed in each trampoline, which needs no lock and waits for nothing. Then
 * the handler prints the report. Only the task ends if nothing but tracing had turned preemption
 * off; else the machine panics. If the machine goes on, a kworker makes nops of all sites.
 */
#include "arch/mm/pgtable.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace/trampoline.h"
#include "trace/ftrace/recursion.h"

#define STACK_ENTRIES 64

static void turn_all_off(struct work_struct *work __unused)
{
	ftrace_turn_all_off();
	pr_err("ftrace: all sites are off\n");
}

static DECLARE_WORK(off_work, turn_all_off);
static bool faulted;                        /* never cleared */
static struct ftrace_oops_user *oops_users; /* written at boot */

void ftrace_add_oops_user(struct ftrace_oops_user *user)
{
	user->next = oops_users;
	oops_users = user;
}

/* True if ip is in code that calls callbacks. The ops of a trampoline may have left already. */
static bool is_caller(unsigned long ip)
{
	if (arch_is_ftrace_caller(ip))
		return true;
	if (ip >= TEXT_AREA_START && ip < TEXT_AREA_END)
		return !is_generated_call || !is_generated_call(ip);
	for (const struct ftrace_oops_user *user = oops_users; user; user = user->next)
		if (user->is_caller(ip))
			return true;
	return false;
}

/* Stops all calls of callbacks: at once on this CPU, on others when they reach a trampoline. */
static void silence(void)
{
	struct ftrace_ops *ops;

	arch_ftrace_callers_silence();
	list_for_each_entry_rcu (ops, &ftrace_ops_list, list) {
		const struct ftrace_trampoline *tramp = READ_ONCE(ops->trampoline);

		if (tramp)
			ftrace_trampoline_silence(tramp);
		WRITE_ONCE(ops->list_func, ftrace_stub); /* for CPUs that walk the list now */
	}
	for (const struct ftrace_oops_user *user = oops_users; user; user = user->next)
		user->silence();
}

/* oops_enter_hook. Nothing that it calls is traced: this file and the unwinder are not. */
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
 * Returns the callback that faulted: the function that the innermost function of ftrace has called.
 * 0: the stack is too deep, or ftrace itself has faulted.
 */
static unsigned long callback_on_stack(struct pt_regs *regs)
{
	unsigned long entries[STACK_ENTRIES], callback = 0;
	unsigned i = 0, count = stack_trace_save_regs(regs, entries, STACK_ENTRIES);

	while (i < count && !is_caller(entries[i]))
		i++;
	while (i--) {
		unsigned long offset,
			ip = i ? entries[i] - 1 : entries[i]; /* i: a return address */
		char name[KSYM_NAME_LEN];

		if (!kallsyms_lookup(ip, NULL, &offset, name))
			continue;
		if (in_calls_callbacks_text(ip))
			callback = 0;
		else if (!callback)
			callback = ip - offset;
	}
	return callback;
}

static unsigned uncounted; /* [only one report at a time] */

/* Counts code on the stack that has turned preemption off without a count in trace_recursion. */
static bool count_uncounted(unsigned long ip)
{
	for (const struct ftrace_oops_user *user = oops_users; user; user = user->next)
		uncounted += user->hides_preempt_off(ip);
	return false;
}

/*
 * Releases the recursion guards of the callback, and the preemption counts of tracing. In task
 * context the task has only the guards of this callback: an interrupt would have its own guards,
 * and a fault in it ends the machine.
 */
static void release_guards(struct pt_regs *regs)
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
		release_guards(regs);
		for (const struct ftrace_oops_user *user = oops_users; user; user = user->next)
			user->abandon();
	}
	/* A task that dies with one of these locks held would block all users of tracing. */
	if (mutex_owner(&ftrace_lock) == current)
		return "Fatal exception in a callback, with ftrace_lock held";
	for (const struct ftrace_oops_user *user = oops_users; user; user = user->next)
		if (mutex_owner(user->mutex) == current)
			return "Fatal exception in a callback, with a lock of tracing held";
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
