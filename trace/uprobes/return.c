/*
 * Return probes: at the first instruction of a function the return address on the stack becomes
 * that of the trampoline, an int3 (xol.c). The true address is in a return_instance of the task.
 *
 * A program may leave functions without returning: longjmp(3), exceptions. Their instances are
 * dead. A return address that is above the stack pointer belongs to a function that is still alive.
 * The alternate stack of signals is another stack: its addresses say nothing about the others.
 */
#include "arch/mm/uaccess.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/signal/signal.h"
#include "kernel/time/ktime.h"
#include "trace/uprobes/internal.h"

/* Removes the newest. Returns the next one. */
static struct return_instance *drop_newest(struct uprobe_task *utask)
{
	struct return_instance *ri = utask->returns;

	WRITE_ONCE(utask->returns, ri->next);
	utask->depth--;
	put_uprobe(ri->uprobe);
	kfree(ri);
	return utask->returns;
}

void drop_returns(struct uprobe_task *utask)
{
	while (utask->returns)
		drop_newest(utask);
}

int copy_returns(struct uprobe_task *child, const struct uprobe_task *parent)
{
	struct return_instance **link = &child->returns;

	for (const struct return_instance *ri = parent->returns; ri; ri = ri->next) {
		struct return_instance *copy = kmalloc(sizeof(*copy), GFP_KERNEL);

		if (!copy)
			return -ENOMEM;
		*copy = *ri;
		get_uprobe(copy->uprobe);
		copy->next = NULL;
		*link = copy;
		link = &copy->next;
		child->depth++;
	}
	return 0;
}

/*
 * Whether the function has not returned, for a task whose stack pointer is sp in a callee. A task
 * on the usual stack has left all handlers that were on the alternate stack.
 */
static bool is_alive(const struct return_instance *ri, unsigned long sp)
{
	bool handler = on_sig_stack(sp);

	if (handler != on_sig_stack(ri->stack))
		return handler;
	return sp <= ri->stack;
}

/*
 * A new call with its return address at sp: those at sp or below were left. The one at sp itself is
 * alive if the function was reached by a jump: then the trampoline's address was there already.
 */
static void drop_dead(struct uprobe_task *utask, unsigned long sp, bool chained)
{
	struct return_instance *ri = utask->returns;

	while (ri && (!is_alive(ri, sp) || (ri->stack == sp && !chained)))
		ri = drop_newest(utask);
}

static void push_return(struct uprobe_task *utask, struct uprobe *uprobe,
			const struct pt_regs *regs, unsigned long orig_ret, bool chained)
{
	struct return_instance *ri = kmalloc(sizeof(*ri), GFP_KERNEL);
	unsigned long trampoline = xol_trampoline(current->mm->xol_area);

	if (!ri)
		return;
	if (!chained && put_user(trampoline, (unsigned long __user *)regs->sp)) {
		kfree(ri);
		return;
	}
	get_uprobe(uprobe);
	*ri = (struct return_instance){
		.next = utask->returns,
		.uprobe = uprobe,
		.func = regs->ip,
		.stack = regs->sp,
		.orig_ret = orig_ret,
		.chained = chained,
	};
	smp_store_release(&utask->returns, ri);
	utask->depth++;
}

void prepare_return(struct uprobe *uprobe, struct pt_regs *regs)
{
	struct xol_area *area = get_xol_area();
	struct uprobe_task *utask = get_utask();
	unsigned long ret;
	bool chained;

	if (!area || !utask || get_user(ret, (const unsigned long __user *)regs->sp))
		return;
	chained = ret == xol_trampoline(area);
	drop_dead(utask, regs->sp, chained);
	if (utask->depth >= MAX_RETURN_DEPTH) {
		pr_info_ratelimited("uprobe: omit uretprobe due to nestedness limit "
				    "pid/tgid=%d/%d\n",
				    current->pid, current->tgid);
		return;
	}
	if (chained) {
		if (!utask->returns)
			return; /* a return address of another task: nothing is known */
		ret = utask->returns->orig_ret;
	}
	push_return(utask, uprobe, regs, ret, chained);
}

/* An interrupt may come here while the task changes the list: it is complete at any time. */
unsigned long true_return_address(unsigned long address, unsigned long at)
{
	const struct xol_area *area = current->mm->xol_area;
	const struct uprobe_task *utask = current->utask;

	if (likely(!area || !utask || address != xol_trampoline(area)))
		return address;
	for (const struct return_instance *ri = READ_ONCE(utask->returns); ri; ri = ri->next)
		if (ri->stack == at)
			return ri->orig_ret;
	return address;
}

/* The first instance behind those of one return. */
static struct return_instance *next_return(const struct return_instance *ri)
{
	while (ri->chained && ri->next)
		ri = ri->next;
	return ri->next;
}

static void call_return_handlers(struct return_instance *ri, struct pt_regs *regs)
{
	struct uprobe *uprobe = ri->uprobe;
	struct uprobe_consumer *uc;

	down_read(&uprobe->consumer_rwsem);
	list_for_each_entry (uc, &uprobe->consumers, list)
		if (uc->ret_handler && consumer_wants(uc, current->mm))
			uc->ret_handler(uc, ri->func, regs);
	up_read(&uprobe->consumer_rwsem);
}

/* RET has popped the return address. One with an operand has popped more, so no instance fits. */
static struct return_instance *find_return(struct uprobe_task *utask, unsigned long sp)
{
	struct return_instance *ri, *next;

	for (ri = utask->returns; ri; ri = next_return(ri))
		if (ri->stack + 8 == sp)
			return ri;
	for (ri = utask->returns; ri; ri = next) {
		next = next_return(ri);
		if (!next || is_alive(next, sp))
			break;
	}
	return ri;
}

void handle_trampoline(struct pt_regs *regs)
{
	struct uprobe_task *utask = current->utask;
	struct return_instance *ri = utask ? find_return(utask, regs->sp) : NULL, *next;

	if (!ri) {
		pr_warn_ratelimited("uprobe: %.16s:%d failed to handle uretprobe, sending "
				    "SIGILL.\n",
				    current->comm, current->pid);
		force_sig(SIGILL);
		return;
	}
	while (utask->returns != ri) /* left without a return */
		drop_newest(utask);
	next = next_return(ri);
	regs->ip = ri->orig_ret;
	for (; ri != next; ri = drop_newest(utask))
		call_return_handlers(ri, regs);
}
