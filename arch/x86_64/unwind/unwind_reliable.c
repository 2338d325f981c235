/*
 * Stack traces that name each function that a task is in, or say that they cannot: a live patch
 * switches a task only while it is in no function that the patch replaces. unwind.c has the frames.
 */
#include "arch/unwind/stacktrace.h"

#include "arch/cpu/switch.h"
#include "arch/mm/pgtable.h"
#include "arch/patch/text_alias.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/sched/sched.h"
#include "kernel/sections.h"

/*
 * Where the return address of the first C function on a task's stack is: below the pt_regs of the
 * entry from user mode, and one word that aligns the stack. Kernel tasks have the same place for
 * pt_regs. The stack of an idle task begins with two words of 0.
 */
static unsigned long outermost_slot(const struct task_struct *task)
{
	if (task->flags & PF_IDLE)
		return (unsigned long)task->stack + THREAD_SIZE - 3 * 8;
	return (unsigned long)task_pt_regs(task) - 2 * 8;
}

/* Whether the frame pointer bp, saved below the outermost slot, ends a complete trace. */
static bool ends_trace(const struct task_struct *task, unsigned long bp)
{
	return !bp ||
	       (bp == (unsigned long)task_pt_regs(task) + 1 && user_mode(task_pt_regs(task)));
}

/*
 * Returns whether ip is in a C function, which keeps a frame while it calls another function.
 * Assembly is not reliable: code there may be about to enter a function that is not on the stack
 * yet. Generated code is reliable only where it calls a function with a frame of its own. Init text
 * counts, because it called the idle task of the boot CPU.
 */
static bool is_c_text(unsigned long ip)
{
	if (ip >= (unsigned long)__init_begin && ip < (unsigned long)__init_text_end)
		return true;
	if (ip >= MODULES_START && ip < MODULES_END)
		return is_text_address(ip);
	if (ip >= TEXT_AREA_START && ip < TEXT_AREA_END)
		return is_generated_call && is_generated_call(ip);
	return ip >= (unsigned long)_stext && ip < (unsigned long)_etext &&
	       !(ip >= (unsigned long)__entry_text_start && ip < (unsigned long)__entry_text_end);
}

/*
 * The odd address of a register frame ends the walk with -EINVAL: the interrupted function may have
 * no frame yet, or no longer.
 */
noinline int arch_stack_walk_reliable(struct task_struct *task,
				      int (*consume)(void *arg, unsigned long ip), void *arg)
{
	const unsigned long end = outermost_slot(task);
	const struct switch_frame *frame = task->sp;
	unsigned long slot = (unsigned long)&frame->return_address, bp = frame->bp, ip;
	int return_idx = 0; /* state of unwind_return_hook */
	int ret;

	if (task == current) {
		bp = *(unsigned long *)__builtin_frame_address(0);
		slot = (unsigned long)__builtin_frame_address(0) + 8;
	}
	if (slot < (unsigned long)task->stack || slot > end)
		return -EINVAL;
	for (;;) {
		if (slot == end) /* the entry code has called the first function */
			return ends_trace(task, bp) ? 0 : -EINVAL;
		ip = *(unsigned long *)slot;
		if (unwind_return_hook)
			ip = unwind_return_hook(task, &return_idx, ip, (unsigned long *)slot);
		if (!is_c_text(ip))
			return -EINVAL;
		ret = consume(arg, ip);
		if (ret)
			return ret;
		if (!IS_ALIGNED(bp, 16) || bp <= slot || bp > end - 8)
			return -EINVAL;
		slot = bp + 8;
		bp = *(unsigned long *)bp;
	}
}
