/*
 * Dynamic ftrace: the list of ops, and the calls of their callbacks.
 *
 * Each site calls the cheapest correct target (trace/ftrace/update.c). A site with one ops calls
 * that ops' own trampoline, which calls the callback directly. A site with several ops calls
 * ftrace_caller or ftrace_regs_caller; these call ftrace_ops_list_func() here, which walks the list
 * of ops and checks the hashes of each.
 *
 * The code on the way from a site to a callback takes no lock and leaves preemption on. A task may
 * be preempted anywhere on that way, while it uses a trampoline, the list, an ops or a hash. So an
 * object that was unlinked is freed after a grace period of RCU-tasks: a hash by call_rcu_tasks(),
 * a trampoline by unregister_ftrace_function() after its wait, an ops by its owner after that.
 */
#include "trace/ftrace/ops.h"

#include "kernel/mm/page_alloc.h"
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/recursion.h"
#include "trace/ftrace/trampoline.h"

/* ops with one of these flags need a check before the list function calls their callback. */
#define FTRACE_OPS_FL_SPECIAL                                                                      \
	(FTRACE_OPS_FL_STUB | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION)

DEFINE_MUTEX(ftrace_lock);
LIST_HEAD(ftrace_ops_list);

/* Guards the callback of an ops with FTRACE_OPS_FL_RECURSION. Preemption is off around it. */
__calls_callbacks static void ftrace_ops_assist_func(unsigned long ip, unsigned long parent_ip,
						     struct ftrace_ops *ops,
						     struct ftrace_regs *fregs)
{
	/*
	 * LAB 4: One callback at a time in each context.
	 * Starts as: READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
	 */
	int bit;

	preempt_disable_notrace();
	bit = __trace_recursion_trylock(TRACE_RECURSION_LIST_SHIFT);
	if (likely(bit)) {
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
		__trace_recursion_unlock(bit);
	}
	preempt_enable_notrace();
	/* END LAB 4 */
}

/* Calls the callback of one of several ops if its flags allow that. */
__calls_callbacks static noinline void call_special_ops(unsigned long ip, unsigned long parent_ip,
							struct ftrace_ops *ops,
							struct ftrace_regs *fregs)
{
	unsigned long flags = ops->flags;

	if (flags & FTRACE_OPS_FL_STUB)
		return;
	/* The ops is new, and the site does not save all registers yet. */
	if ((flags & FTRACE_OPS_FL_SAVE_REGS) && !ftrace_get_regs(fregs))
		return;
	if (flags & FTRACE_OPS_FL_RECURSION)
		ftrace_ops_assist_func(ip, parent_ip, ops, fregs);
	else
		READ_ONCE(ops->func)(ip, parent_ip, ops, fregs);
}

/*
 * Calls each ops that wants the site. Only ops with FTRACE_OPS_FL_RECURSION are guarded against
 * recursion. The list function itself needs no guard: it calls nothing that is traced.
 */
__calls_callbacks void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *unused __unused,
					    struct ftrace_regs *fregs)
{
	/*
	 * LAB 4: Other CPUs add and remove ops meanwhile.
	 * Starts as: (void)ip, (void)parent_ip, (void)fregs;
	 */
	const u32 offset = (u32)(ip - KERNEL_IMAGE_BASE);
	struct list_head *pos = rcu_dereference(ftrace_ops_list.next);

	while (pos != &ftrace_ops_list) {
		struct ftrace_ops *ops = list_entry(pos, struct ftrace_ops, list);

		if (ftrace_ops_want(ops, offset))
			ops->list_func(ip, parent_ip, ops, fregs);
		pos = __atomic_load_n(&ops->list.next, __ATOMIC_ACQUIRE);
	}
	/* END LAB 4 */
}

void ftrace_choose_func(struct ftrace_ops *ops)
{
	bool filter = (ops->flags & FTRACE_OPS_FL_PID) && ops->filters_pids;

	WRITE_ONCE(ops->func, filter ? ops->pid_func : ops->saved_func);
	WRITE_ONCE(ops->list_func,
		   ops->flags & FTRACE_OPS_FL_SPECIAL ? call_special_ops : ops->func);
}

/* Returns the function that the trampoline of ops calls. */
ftrace_func_t ftrace_trampoline_target(const struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_RECURSION ? ftrace_ops_assist_func : ops->func;
}

/* Makes ops and its trampoline call the function that ftrace_choose_func() chooses. [F] */
static void apply_func(struct ftrace_ops *ops)
{
	ftrace_choose_func(ops);
	if (ops->trampoline && !ftrace_is_dead())
		ftrace_trampoline_set_target(ops->trampoline, ftrace_trampoline_target(ops));
}

void ftrace_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	mutex_lock(&ftrace_lock);
	if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		ops->saved_func = func;
		apply_func(ops);
	} else {
		ops->func = func;
	}
	mutex_unlock(&ftrace_lock);
}

void ftrace_filter_pids(struct ftrace_ops *ops, bool on)
{
	mutex_lock(&ftrace_lock);
	ops->filters_pids = on;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		apply_func(ops);
	mutex_unlock(&ftrace_lock);
}
