/* A program has executed an int3: calls the handlers, and executes the instruction. */
#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/task/clone_flags.h"
#include "kernel/process/process.h"
#include "kernel/rcu/rcu.h"
#include "trace/uprobes/internal.h"

#define INT3 0xcc

struct uprobe_task *get_utask(void)
{
	struct task_struct *p = current;

	if (!p->utask)
		p->utask = kzalloc(sizeof(*p->utask), GFP_KERNEL);
	return p->utask;
}

void *uprobe_task_buffer(void)
{
	struct uprobe_task *utask = get_utask();

	if (unlikely(utask && !utask->buffer))
		utask->buffer = get_free_page(GFP_KERNEL);
	return utask ? utask->buffer : NULL;
}

/* The uprobe whose breakpoint is at that address, with a reference; NULL: none. */
static struct uprobe *uprobe_at(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	const struct vm_area_struct *vma;
	struct uprobe *uprobe = NULL;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, address);
	if (vma && vma->vm_mapping)
		uprobe = find_uprobe(vma->vm_mapping, (loff_t)((vma->vm_pgoff << PAGE_SHIFT) +
							       (address - vma->vm_start)));
	mmap_read_unlock(mm);
	return uprobe;
}

static void call_handlers(struct uprobe *uprobe, struct pt_regs *regs)
{
	struct uprobe_consumer *uc;
	bool wants_return = false;

	down_read(&uprobe->consumer_rwsem);
	list_for_each_entry (uc, &uprobe->consumers, list) {
		if (!consumer_wants(uc, current->mm))
			continue;
		if (uc->handler)
			uc->handler(uc, regs);
		wants_return |= uc->ret_handler != NULL;
	}
	if (wants_return)
		prepare_return(uprobe, regs);
	up_read(&uprobe->consumer_rwsem);
}

/* The instruction continues in a slot. False: no memory, the breakpoint is executed again. */
static bool enter_slot(struct uprobe *uprobe, struct pt_regs *regs)
{
	struct xol_area *area = get_xol_area();
	struct uprobe_task *utask = get_utask();
	unsigned long address;

	if (!area || !utask)
		return false;
	utask->slot = get_slot(area, uprobe, &address);
	utask->active = uprobe;
	utask->ip = regs->ip;
	utask->slot_end = address + uprobe->arch.insn.length;
	utask->saved = arch_uprobe_enter_slot(&uprobe->arch, regs, regs->ip, address);
	current->uprobe_step = true;
	return true;
}

static void end_step(struct uprobe_task *utask, struct mm_struct *mm)
{
	current->uprobe_step = false;
	put_slot(mm->xol_area, utask->slot);
	put_uprobe(utask->active);
	utask->active = NULL;
}

/* The current task leaves its slot, for the instruction or the one behind it. */
static void leave_slot(struct uprobe_task *utask, struct pt_regs *regs, bool executed)
{
	arch_uprobe_leave_slot(&utask->active->arch, regs, utask->saved);
	regs->ip = utask->ip + (executed ? utask->active->arch.insn.length : 0U);
	end_step(utask, current->mm);
}

/* Takes over the reference. */
static void handle_hit(struct uprobe *uprobe, struct pt_regs *regs)
{
	unsigned long ip = regs->ip;
	struct arch_uprobe_fault fault;

	call_handlers(uprobe, regs);
	if (unlikely(regs->ip != ip))
		goto put;
	switch (arch_uprobe_emulate(&uprobe->arch, regs, ip, &fault)) {
	case UPROBE_IN_SLOT:
		if (enter_slot(uprobe, regs))
			return;
		break;
	case UPROBE_FAULTED:
		arch_uprobe_send_fault(regs, &fault);
		break;
	case UPROBE_EMULATED:
		if (unlikely(single_stepped(regs)))
			arch_uprobe_send_step(regs);
		break;
	}
put:
	put_uprobe(uprobe);
}

static bool is_int3(unsigned long address)
{
	u8 byte;

	return !get_user(byte, (const u8 __user *)address) && byte == INT3;
}

/* "int $3" has two bytes, and is never a breakpoint of ours. end: the address behind it. */
static bool is_long_int3(unsigned long end)
{
	u16 bytes;

	return !get_user(bytes, (const u16 __user *)(end - sizeof(bytes))) && bytes == 0x03cd;
}

static bool uprobe_int3(struct pt_regs *regs)
{
	struct uprobe_task *utask = current->utask;
	unsigned long address = regs->ip - 1;
	const struct xol_area *area = current->mm->xol_area;
	struct uprobe *uprobe;
	int generation;

	if (current->uprobe_step && address == utask->slot_end) {
		leave_slot(utask, regs, true);
		return true;
	}
	if (area && address == xol_trampoline(area)) {
		handle_trampoline(regs);
		return true;
	}
	generation = atomic_read(&uprobe_generation);
	uprobe = uprobe_at(address);
	/* The uprobe may be gone; this int3 may belong to a newer one. */
	if (!uprobe && generation == atomic_read(&uprobe_generation) &&
	    (!generation || is_int3(address) || is_long_int3(regs->ip)))
		return false;
	regs->ip = address;
	if (uprobe) /* else its breakpoint is gone */
		handle_hit(uprobe, regs);
	return true;
}

/* A fault in the slot, or the trap of TF behind the instruction. */
static void uprobe_leave(struct pt_regs *regs)
{
	struct uprobe_task *utask = current->utask;

	if (current->uprobe_step)
		leave_slot(utask, regs, regs->ip == utask->slot_end);
}

static void uprobe_exit(struct task_struct *p)
{
	struct uprobe_task *utask = p->utask;

	if (p == current && p->uprobe_step)
		end_step(utask, p->mm);
	drop_returns(utask);
	p->utask = NULL;
	if (utask->buffer)
		free_page(utask->buffer);
	kfree(utask);
}

/* The stack of the child is a copy, or the parent waits: so the functions return in both. */
static int uprobe_fork(struct task_struct *p, u64 clone_flags)
{
	const struct uprobe_task *utask = current->utask;

	if (!utask->returns || (clone_flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
		return 0;
	p->utask = kzalloc(sizeof(*p->utask), GFP_KERNEL);
	return p->utask ? copy_returns(p->utask, utask) : -ENOMEM;
}

static const struct arch_uprobe_handlers handlers = {
	.int3 = uprobe_int3,
	.leave = uprobe_leave,
	.return_address = true_return_address,
};

static int uprobes_init(void)
{
	uprobe_exit_hook = uprobe_exit;
	uprobe_fork_hook = uprobe_fork;
	arch_uprobe_set_handlers(&handlers);
	return 0;
}
core_initcall(uprobes_init);
