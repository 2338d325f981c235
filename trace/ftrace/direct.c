/*
 * Direct ops: their sites lead to code of the owner, and call no callback.
 *
 *	FTRACE_OPS_FL_JMP	the site	the owner's code
 *	no			call		stands in front of the function, and returns to it
 *	yes			jmp		replaces the function, or calls it itself
 *
 * A jmp leaves no return address on the stack, so code that calls the function itself, such as a
 * trampoline of eBPF with fexit programs, returns to the caller by an ordinary ret.
 *
 * A site with several users calls the list function. There a direct ops has a callback, which makes
 * the way back lead to the code. Code in front of a function must see what all other callbacks have
 * done, also where execution continues; so its ops are at the end of the list.
 */
#include "trace/ftrace/ops.h"

#include "kernel/errno.h"
#include "kernel/export.h"

/* The callback of code that replaces the function. */
static void go_to_replacement(unsigned long ip __unused, unsigned long parent_ip __unused,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, ops->direct_call);
}

/* The callback of code in front of the function. */
static void go_to_code(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	regs->r10 = ops->direct_call; /* for ftrace_direct_caller */
	regs->r11 = regs->ip;
	ftrace_instruction_pointer_set(fregs, READ_ONCE(ops->direct_shared));
}

static int attach(struct ftrace_ops *ops, ftrace_func_t func, unsigned long flags,
		  const struct ftrace_direct_code *code)
{
	struct failed_registration failed = { .was_listed = false };
	int error;

	mutex_lock(&ftrace_lock);
	if (ops->flags & FTRACE_OPS_FL_ENABLED) {
		error = -EBUSY;
	} else {
		ops->func = func;
		ops->flags = FTRACE_OPS_FL_DIRECT | flags;
		ops->direct_call = code->alone;
		ops->direct_shared = code->shared;
		error = ftrace_register_locked(ops, FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_JMP,
					       &failed);
	}
	mutex_unlock(&ftrace_lock);
	ftrace_finish_failed(&failed);
	return error;
}

int ftrace_attach_in_front(struct ftrace_ops *ops, unsigned long flags,
			   const struct ftrace_direct_code *code)
{
	return attach(ops, go_to_code, flags | FTRACE_OPS_FL_SAVE_REGS, code);
}

int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_direct_code code = { .alone = addr };

	if (ops->func && ops->func != go_to_replacement && ops->func != go_to_code)
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_JMP)
		return attach(ops, go_to_replacement, FTRACE_OPS_FL_JMP | FTRACE_OPS_FL_IPMODIFY,
			      &code);
	code.shared = (unsigned long)ftrace_direct_caller;
	return ftrace_attach_in_front(ops, 0, &code);
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

int unregister_ftrace_direct(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT ? unregister_ftrace_function(ops) : -EINVAL;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);
