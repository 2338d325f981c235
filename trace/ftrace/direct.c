/*
 * Direct calls: an ops whose sites jump to code of its owner, and call no callback. Linux's
 * register_ftrace_direct(), which replaces a function. Code in front of a function, such as the
 * trampolines of eBPF, is in direct_code.c.
 */
#include "trace/ftrace/ops.h"

#include "kernel/errno.h"
#include "kernel/export.h"

/* The callback of a direct ops, for sites with several ops, which cannot be a jmp. */
static void go_to_direct_call(unsigned long ip __unused, unsigned long parent_ip __unused,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, ops->direct_call);
}

#define FTRACE_OPS_FL_OF_DIRECT (FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_IPMODIFY)

int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	struct failed_registration failed = { .was_listed = false };
	int error;

	if (ops->func && ops->func != go_to_direct_call)
		return -EINVAL;
	mutex_lock(&ftrace_lock);
	if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		error = -EBUSY;
	} else {
		ops->func = go_to_direct_call;
		ops->flags |= FTRACE_OPS_FL_OF_DIRECT;
		ops->direct_call = addr;
		error = ftrace_register_locked(ops, FTRACE_OPS_FL_DIRECT, &failed);
	}
	mutex_unlock(&ftrace_lock);
	ftrace_finish_failed(&failed);
	return error;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

int unregister_ftrace_direct(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT ? unregister_ftrace_function(ops) : -EINVAL;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);
