/* Stack traces of programs, by their frame pointers, for events that record them. */
#include "arch/unwind/stacktrace.h"

#include "arch/cpu/switch.h"
#include "arch/irq/probe_hooks.h"
#include "arch/unwind/maccess.h"
#include "arch/user/mmu_context.h"
#include "kernel/sched/sched.h"

unsigned stack_trace_save_user_regs(const struct pt_regs *regs, unsigned long *entries,
				    unsigned max)
{
	unsigned long bp = regs->bp;
	unsigned count = 0;

	if (!current->mm || (current->flags & PF_EXITING) || !user_mode(regs))
		return 0;
	if (count < max)
		entries[count++] = regs->ip;
	while (count < max && bp >= regs->sp) {
		unsigned long frame[2]; /* the caller's frame pointer, the return address */

		if (copy_from_user_nofault(frame, (const void *)bp, sizeof(frame)))
			break;
		if (frame[1])
			entries[count++] =
				arch_uprobe_return_address(frame[1], bp + sizeof(frame[0]));
		if (frame[0] <= bp)
			break;
		bp = frame[0];
	}
	return count;
}

unsigned stack_trace_save_user(unsigned long *entries, unsigned max)
{
	/* At the end of a switch the next program's memory is loaded before it is `current`. */
	if (loaded_mm() != current->mm)
		return 0;
	return stack_trace_save_user_regs(task_pt_regs(current), entries, max);
}
