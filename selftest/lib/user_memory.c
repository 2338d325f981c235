/* Address spaces that kernel tasks borrow, and single accesses to them. */
#include "selftest/lib/user_memory.h"

#include "kernel/sched/sched.h"

struct mm_struct *test_mm_begin(void)
{
	struct mm_struct *mm = mm_alloc();

	if (!mm)
		return NULL;
	arch_pick_mmap_layout(mm, 8UL << 20);
	kthread_use_mm(mm);
	return mm;
}

void test_mm_end(struct mm_struct *mm)
{
	kthread_unuse_mm(mm);
	mmput(mm);
}

unsigned long test_mmap(unsigned long addr, unsigned long len, unsigned long flags)
{
	if (!(flags & MAP_TYPE))
		flags |= MAP_PRIVATE;
	return vm_mmap(NULL, addr, len, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, 0);
}

int user_peek(unsigned long addr)
{
	u8 value;

	return copy_from_user(&value, (const void __user *)addr, 1) ? -EFAULT : value;
}

int user_poke(unsigned long addr, u8 value)
{
	return copy_to_user((void __user *)addr, &value, 1) ? -EFAULT : 0;
}
