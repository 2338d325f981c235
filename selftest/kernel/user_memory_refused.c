/* Self-tests of system calls that change areas while memory is short. */
#include "arch/cpu/linkage.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "selftest/trace/refuse.h"

long sys_mremap(unsigned long addr, unsigned long old_len, unsigned long new_len,
		unsigned long flags, unsigned long new_addr) SYSCALL_SYMBOL(mremap);

#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED   2
#define TARGET         0x20000000UL
#define PAGES          4U

static void expect_pages(struct selftest *test, unsigned long addr, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		EXPECT_EQ(user_peek(addr + i * PAGE_SIZE), (int)i + 1);
}

SELFTEST(user_memory_refused, mremap_without_memory_leaves_the_old_range_as_it_was)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0x10000000, PAGES * PAGE_SIZE, 0);
	unsigned refused = 0;

	ASSERT(mm);
	for (unsigned i = 0; i < PAGES; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, (u8)(i + 1)), 0);
	ASSERT(start_refusing());
	for (;; refused++) { /* the two pages in the middle move */
		long ret;

		refuse_nth(refused + 1);
		ret = sys_mremap(addr + PAGE_SIZE, 2 * PAGE_SIZE, 2 * PAGE_SIZE,
				 MREMAP_MAYMOVE | MREMAP_FIXED, TARGET);
		if (refuse_nth(0) <= refused) /* nothing was refused */
			break;
		EXPECT_EQ(ret, -ENOMEM);
		expect_pages(test, addr, 0, PAGES);
		EXPECT_EQ(user_peek(TARGET), -EFAULT);
		EXPECT_EQ(mm->total_vm, PAGES);
	}
	stop_refusing(test);
	expect_pages(test, TARGET - PAGE_SIZE, 1, 3);
	EXPECT_EQ(user_peek(addr), 1);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_peek(addr + 3 * PAGE_SIZE), 4);
	EXPECT(refused >= 4); /* two splits, the new area, a table */
	test_mm_end(mm);
}
