/* Self-tests of the system calls that change areas: mprotect, mremap, madvise, mlock, brk … */
#include "arch/cpu/linkage.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

long sys_mprotect(unsigned long start, size_t len, unsigned long prot) SYSCALL_SYMBOL(mprotect);
long sys_mremap(unsigned long addr, unsigned long old_len, unsigned long new_len,
		unsigned long flags, unsigned long new_addr) SYSCALL_SYMBOL(mremap);
long sys_brk(unsigned long brk) SYSCALL_SYMBOL(brk);
long sys_madvise(unsigned long start, size_t len, int behavior) SYSCALL_SYMBOL(madvise);
long sys_msync(unsigned long start, size_t len, int flags) SYSCALL_SYMBOL(msync);
long sys_mincore(unsigned long start, size_t len, unsigned char *vec) SYSCALL_SYMBOL(mincore);
long sys_mlock(unsigned long start, size_t len) SYSCALL_SYMBOL(mlock);
long sys_mlockall(int flags) SYSCALL_SYMBOL(mlockall);
long sys_munlockall(void) SYSCALL_SYMBOL(munlockall);
long sys_munlock(unsigned long start, size_t len) SYSCALL_SYMBOL(munlock);

#define MADV_DONTNEED   4
#define MADV_DONTFORK   10
#define MADV_WIPEONFORK 18
#define MREMAP_MAYMOVE  1
#define MREMAP_FIXED    2

static void fill(struct selftest *test, unsigned long addr, unsigned pages)
{
	for (unsigned i = 0; i < pages; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, (u8)(i + 1)), 0);
}

SELFTEST(user_memory_calls, mprotect_takes_and_gives_rights_to_a_part)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);

	ASSERT(mm);
	fill(test, addr, 4);
	EXPECT_EQ(sys_mprotect(addr + PAGE_SIZE, PAGE_SIZE, PROT_READ), 0);
	EXPECT_EQ(sys_mprotect(addr + 2 * PAGE_SIZE, PAGE_SIZE, PROT_NONE), 0);
	EXPECT_EQ(mm->map_count, 4);
	EXPECT_EQ(user_poke(addr, 9), 0);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 2);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE, 9), -EFAULT);
	EXPECT_EQ(user_peek(addr + 2 * PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_poke(addr + 3 * PAGE_SIZE, 9), 0);
	EXPECT_EQ(sys_mprotect(addr, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE), 0);
	EXPECT_EQ(mm->map_count, 1);
	EXPECT_EQ(user_peek(addr + 2 * PAGE_SIZE), 3);
	EXPECT_EQ(user_poke(addr + 2 * PAGE_SIZE, 9), 0);
	EXPECT_EQ(sys_mprotect(addr, 5 * PAGE_SIZE, PROT_READ), -ENOMEM);
	EXPECT_EQ(sys_mprotect(addr + 1, PAGE_SIZE, PROT_READ), -EINVAL);
	EXPECT_EQ(get_mm_rss(mm), 4);
	test_mm_end(mm);
}

SELFTEST(user_memory_calls, mremap_grows_shrinks_and_moves_with_the_contents)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0x10000000, 4 * PAGE_SIZE, 0), moved;

	ASSERT(mm);
	fill(test, addr, 4);
	EXPECT_EQ_HEX(sys_mremap(addr, 4 * PAGE_SIZE, 6 * PAGE_SIZE, 0, 0), addr);
	EXPECT_EQ(user_peek(addr + 5 * PAGE_SIZE), 0);
	EXPECT_EQ_HEX(sys_mremap(addr, 6 * PAGE_SIZE, 4 * PAGE_SIZE, 0, 0), addr);
	EXPECT_EQ(user_peek(addr + 5 * PAGE_SIZE), -EFAULT);
	EXPECT_EQ_HEX(test_mmap(addr + 4 * PAGE_SIZE, PAGE_SIZE, MAP_FIXED | MAP_SHARED),
		      addr + 4 * PAGE_SIZE);
	EXPECT_EQ(sys_mremap(addr, 4 * PAGE_SIZE, 8 * PAGE_SIZE, 0, 0), -ENOMEM);
	moved = (unsigned long)sys_mremap(addr, 4 * PAGE_SIZE, 8 * PAGE_SIZE, MREMAP_MAYMOVE, 0);
	EXPECT(!IS_ERR_VALUE(moved) && moved != addr);
	EXPECT_EQ(user_peek(addr), -EFAULT);
	for (unsigned i = 0; i < 8; i++)
		EXPECT_EQ(user_peek(moved + i * PAGE_SIZE), i < 4 ? i + 1 : 0);
	EXPECT_EQ(sys_mremap(moved + PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
			     0x20000000),
		  0x20000000);
	EXPECT_EQ(user_peek(0x20000000), 2);
	EXPECT_EQ(user_peek(moved + PAGE_SIZE), -EFAULT);
	EXPECT_EQ(sys_mremap(0x30000000, PAGE_SIZE, PAGE_SIZE, 0, 0), -EFAULT);
	EXPECT_EQ(get_mm_rss(mm), 4);
	EXPECT_EQ(mm->total_vm, 9);
	test_mm_end(mm);
}

SELFTEST(user_memory_calls, brk_moves_the_end_of_the_heap)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long start = 0x5000000;

	ASSERT(mm);
	mm->start_brk = mm->brk = start;
	EXPECT_EQ_HEX(sys_brk(0), start);
	EXPECT_EQ_HEX(sys_brk(start + 5000), start + 5000);
	EXPECT_EQ(user_poke(start + 2 * PAGE_SIZE - 1, 1), 0);
	EXPECT_EQ(user_poke(start + 2 * PAGE_SIZE, 1), -EFAULT);
	EXPECT_EQ_HEX(sys_brk(start + 4 * PAGE_SIZE), start + 4 * PAGE_SIZE);
	EXPECT_EQ(mm->map_count, 1);
	EXPECT_EQ(user_peek(start + 2 * PAGE_SIZE - 1), 1);
	EXPECT_EQ_HEX(sys_brk(start + 1), start + 1);
	EXPECT_EQ(mm->total_vm, 1);
	EXPECT_EQ_HEX(sys_brk(start - 1), start + 1);
	EXPECT_EQ_HEX(test_mmap(start + 16 * PAGE_SIZE, PAGE_SIZE, MAP_FIXED),
		      start + 16 * PAGE_SIZE);
	EXPECT_EQ_HEX(sys_brk(start + 17 * PAGE_SIZE), start + 1);
	test_mm_end(mm);
}

SELFTEST(user_memory_calls, madvise_empties_and_changes_what_fork_copies)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, 6 * PAGE_SIZE, 0);
	unsigned char present[6];

	ASSERT(mm);
	fill(test, addr, 6);
	EXPECT_EQ(sys_madvise(addr + PAGE_SIZE, PAGE_SIZE, MADV_DONTNEED), 0);
	EXPECT_EQ(get_mm_rss(mm), 5);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 0);
	EXPECT_EQ(sys_madvise(addr, 7 * PAGE_SIZE, MADV_DONTNEED), -ENOMEM);
	EXPECT_EQ(user_peek(addr + 5 * PAGE_SIZE), 0);
	fill(test, addr, 6);
	EXPECT_EQ(sys_madvise(addr, PAGE_SIZE, MADV_DONTFORK), 0);
	EXPECT_EQ(sys_madvise(addr + PAGE_SIZE, PAGE_SIZE, MADV_WIPEONFORK), 0);
	EXPECT_EQ(sys_madvise(addr, PAGE_SIZE, 77), -EINVAL);
	child = dup_mm(mm);
	ASSERT(child);
	kthread_unuse_mm(mm);
	kthread_use_mm(child);
	EXPECT_EQ(user_peek(addr), -EFAULT);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 0);
	EXPECT_EQ(user_peek(addr + 2 * PAGE_SIZE), 3);
	test_mm_end(child);
	kthread_use_mm(mm);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 2);
	EXPECT_EQ(sys_madvise(addr + 3 * PAGE_SIZE, PAGE_SIZE, MADV_DONTNEED), 0);
	/* The answer goes to user memory: the last page of the area. */
	EXPECT_EQ(sys_mincore(addr, 6 * PAGE_SIZE, (unsigned char *)addr + 5 * PAGE_SIZE), 0);
	EXPECT_EQ(copy_from_user(present, (void __user *)(addr + 5 * PAGE_SIZE), 6), 0);
	for (unsigned i = 0; i < 6; i++)
		EXPECT_EQ(present[i], i != 3);
	EXPECT_EQ(sys_mincore(addr, 7 * PAGE_SIZE, (unsigned char *)addr), -ENOMEM);
	EXPECT_EQ(sys_msync(addr, 6 * PAGE_SIZE, 4), 0);
	EXPECT_EQ(sys_msync(addr, 7 * PAGE_SIZE, 4), -ENOMEM);
	EXPECT_EQ(sys_msync(addr, PAGE_SIZE, 5), -EINVAL);
	test_mm_end(mm);
}

SELFTEST(user_memory_calls, mlock_faults_pages_in_and_counts_them)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);

	ASSERT(mm);
	EXPECT_EQ(sys_mlock(addr + PAGE_SIZE + 1, PAGE_SIZE), 0);
	EXPECT_EQ(mm->locked_vm, 2);
	EXPECT_EQ(get_mm_rss(mm), 2);
	EXPECT_EQ(sys_madvise(addr, 4 * PAGE_SIZE, MADV_DONTNEED), -EINVAL);
	EXPECT_EQ(sys_munlock(addr, 4 * PAGE_SIZE), 0);
	EXPECT_EQ(mm->locked_vm, 0);
	EXPECT_EQ(mm->map_count, 1);
	EXPECT_EQ(sys_mlock(addr, 5 * PAGE_SIZE), -ENOMEM);
	EXPECT_EQ(sys_munlockall(), 0);
	EXPECT_EQ(sys_mlockall(3), 0);
	EXPECT_EQ(get_mm_rss(mm), 4);
	test_mmap(0, 2 * PAGE_SIZE, 0);
	EXPECT_EQ(get_mm_rss(mm), 6);
	EXPECT_EQ(mm->locked_vm, 6);
	EXPECT_EQ(sys_munlockall(), 0);
	EXPECT_EQ(mm->locked_vm, 0);
	test_mm_end(mm);
}
