/* The hook of page faults. See arch/irq/page_fault.h. */
#include "arch/irq/page_fault.h"

#include "arch/user/page_fault.h"
#include "kernel/compiler.h"
#include "kernel/rcu/rcu.h"

static struct page_fault_hook *current_hook; /* RCU */

void page_fault_tell(const struct pt_regs *regs, unsigned long address, bool minor, bool major)
{
	struct page_fault_hook *hook;

	rcu_read_lock();
	hook = smp_load_acquire(&current_hook);
	if (hook)
		hook->fn(regs, address, minor, major);
	rcu_read_unlock();
}

int page_fault_hook_set(struct page_fault_hook *hook)
{
	struct page_fault_hook *old = xchg(&current_hook, hook);
	int error = 0;

	if (hook && !old)
		error = static_branch_inc(&page_fault_key);
	else if (!hook && old)
		error = static_branch_dec(&page_fault_key);
	if (old)
		synchronize_rcu();
	return error;
}
