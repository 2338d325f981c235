/* The work item that unmaps the kernel stacks which kernel/mm/stack.c keeps beyond its limit. */
#include "kernel/init.h"
#include "kernel/mm/stack.h"
#include "kernel/workqueue/workqueue.h"

static void unmap_work_func(struct work_struct *work __unused)
{
	unmap_spare_stacks();
}

static DECLARE_WORK(unmap_work, unmap_work_func);

/* spare_stacks_hook. Unmapping flushes the TLB of every CPU and so needs interrupts on. */
static void schedule_unmap(void)
{
	schedule_work(&unmap_work);
}

static int __init spare_stacks_init(void)
{
	WRITE_ONCE(spare_stacks_hook, schedule_unmap);
	return 0;
}
core_initcall(spare_stacks_init);
