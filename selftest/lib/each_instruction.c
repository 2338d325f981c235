/*
 * The CPU's single-step mode raises a debug exception after each instruction. At the chosen one its
 * handler sends this CPU an interrupt, which comes after the return from the handler, before the
 * next instruction; or an NMI, which comes inside the handler.
 */
#include "selftest/lib/each_instruction.h"

#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "kernel/init.h"
#include "kernel/preempt.h"
#include "kernel/smp.h"

#define DR6_BS (1U << 14) /* the cause is the single-step mode */

void call_single_stepped(void (*fn)(void *arg), void *arg); /* each_instruction.asm */

static bool (*next_hook)(struct pt_regs *regs, u64 *dr6);
static struct {
	bool on;
	unsigned cpu;
	unsigned left; /* instructions before the chosen one */
	enum interruption how;
} step;

static bool step_hook(struct pt_regs *regs, u64 *dr6)
{
	if (!step.on || smp_processor_id() != step.cpu || !(*dr6 & DR6_BS))
		return next_hook && next_hook(regs, dr6);
	if (step.left--)
		return true;
	step.on = false;
	regs->flags &= ~X86_EFLAGS_TF;
	if (step.how == BY_NMI)
		arch_send_nmi(step.cpu);
	else
		arch_irq_work_raise();
	return true;
}

bool interrupt_instruction(enum interruption how, unsigned n, void (*fn)(void *arg), void *arg)
{
	bool done;

	preempt_disable();
	step.cpu = smp_processor_id();
	step.left = n;
	step.how = how;
	WRITE_ONCE(step.on, true);
	call_single_stepped(fn, arg);
	done = !READ_ONCE(step.on);
	step.on = false;
	preempt_enable();
	return done;
}

/* debugreg_hook cannot change after the boot. */
static int __init each_instruction_init(void)
{
	next_hook = debugreg_hook;
	debugreg_hook = step_hook;
	return 0;
}
core_initcall(each_instruction_init);
