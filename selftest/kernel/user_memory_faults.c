/* Self-tests of page faults: what is a fault, which pages are copied, and who sees the copy. */
#include "arch/traps.h"
#include "arch/user_pgtable.h"
#include "kernel/signal/siginfo.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

#define PAGES 16U

long sys_mprotect(unsigned long start, size_t len, unsigned long prot);

static struct page *page_at(const struct mm_struct *mm, unsigned long addr)
{
	const u64 *pte = user_pte(mm, addr);

	return pte && *pte ? pte_page(*pte) : NULL;
}

/* The areas of the test, in this order. */
static const unsigned long area_rights[] = { PROT_READ | PROT_WRITE, PROT_READ,
					     PROT_READ | PROT_EXEC, PROT_WRITE, PROT_NONE };

/* An access, and the areas that allow it, a bit for each. */
static const struct {
	unsigned long error_code;
	unsigned allowed;
} accesses[] = {
	{ X86_PF_USER, 0xf },                /* a page that is not there is read */
	{ X86_PF_USER | X86_PF_WRITE, 0x9 }, /* ... or written */
	{ X86_PF_USER | X86_PF_INSTR, 0x4 },
	{ X86_PF_USER | X86_PF_PROT, 0 }, /* a page that is there could not be read */
	{ X86_PF_USER | X86_PF_PROT | X86_PF_WRITE, 0x9 },
	{ X86_PF_USER | X86_PF_PROT | X86_PF_INSTR, 0x4 },
};

SELFTEST(user_memory_faults, rights_of_the_area_and_error_code_decide)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, ARRAY_SIZE(area_rights) * PAGE_SIZE, 0);

	ASSERT(mm);
	for (unsigned i = 0; i < ARRAY_SIZE(area_rights); i++)
		EXPECT_EQ(sys_mprotect(addr + i * PAGE_SIZE, PAGE_SIZE, area_rights[i]), 0);
	for (unsigned n = 0; n < ARRAY_SIZE(accesses); n++) {
		for (unsigned i = 0; i < ARRAY_SIZE(area_rights); i++) {
			bool allowed = accesses[n].allowed & (1U << i);
			int code = 0, signal;

			signal = do_user_addr_fault(NULL, accesses[n].error_code,
						    addr + i * PAGE_SIZE, &code);
			if (signal != (allowed ? 0 : SIGSEGV) || (signal && code != SEGV_ACCERR))
				selftest_diag(test, "error code %lx, rights %lx: signal %d",
					      accesses[n].error_code, area_rights[i], signal);
			EXPECT_EQ(signal, allowed ? 0 : SIGSEGV);
			EXPECT(!signal || code == SEGV_ACCERR);
		}
	}
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, what_has_no_table_is_skipped)
{
	static const unsigned long at[] = { 0x10000, 0x40000000, 0x8040201000, 0x7f0000000000 };
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = 0;
	unsigned found = 0;
	u64 *pte;

	ASSERT(mm);
	for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
		EXPECT_EQ(test_mmap(at[i], PAGE_SIZE, MAP_FIXED), at[i]);
		EXPECT_EQ(user_poke(at[i], 1), 0);
	}
	while ((pte = user_pte_next(mm, &addr, TASK_SIZE_MAX)) && found < ARRAY_SIZE(at)) {
		EXPECT_EQ(addr, ALIGN_DOWN(at[found], PTE_TABLE_SIZE));
		EXPECT(pte == user_pte(mm, addr));
		addr += PTE_TABLE_SIZE;
		found++;
	}
	EXPECT_EQ(found, ARRAY_SIZE(at));
	EXPECT(!pte);
	/* The search may begin in the middle of what has no table. */
	addr = at[3] - PAGE_SIZE;
	EXPECT(user_pte_next(mm, &addr, TASK_SIZE_MAX) == user_pte(mm, at[3]));
	EXPECT_EQ(addr, at[3]);
	/* The address need not be the first one of a table, and the end is not looked at. */
	addr = at[1] + PAGE_SIZE;
	EXPECT(user_pte_next(mm, &addr, at[2]) == user_pte(mm, at[1] + PAGE_SIZE));
	EXPECT_EQ(addr, at[1] + PAGE_SIZE);
	addr = at[1] + PTE_TABLE_SIZE;
	EXPECT(!user_pte_next(mm, &addr, ALIGN_DOWN(at[2], PTE_TABLE_SIZE)));
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, a_page_that_is_first_written_is_zero_elsewhere)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr + 100, 1), 0);
	EXPECT_EQ(user_peek(addr), 0);
	EXPECT_EQ(user_peek(addr + 100), 1);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE - 1), 0);
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, fork_copies_a_page_when_it_is_written)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, PAGES * PAGE_SIZE, 0);
	unsigned shared = 0, after = 0;

	ASSERT(mm);
	for (unsigned i = 0; i < PAGES; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, 1), 0);
	child = dup_mm(mm);
	ASSERT(child);
	for (unsigned i = 0; i < PAGES; i++)
		shared += page_at(mm, addr + i * PAGE_SIZE) == page_at(child, addr + i * PAGE_SIZE);
	EXPECT_EQ(shared, PAGES);
	for (unsigned i = 0; i < PAGES / 2; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, 2), 0);
	for (unsigned i = 0; i < PAGES; i++)
		after += page_at(mm, addr + i * PAGE_SIZE) == page_at(child, addr + i * PAGE_SIZE);
	EXPECT_EQ(after, PAGES / 2);
	kthread_unuse_mm(mm);
	kthread_use_mm(child);
	for (unsigned i = 0; i < PAGES; i++)
		EXPECT_EQ(user_peek(addr + i * PAGE_SIZE), 1);
	kthread_unuse_mm(child);
	kthread_use_mm(mm);
	mmput(child);
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, last_user_of_a_page_needs_no_copy)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct page *page;

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr, 1), 0);
	page = page_at(mm, addr);
	child = dup_mm(mm);
	ASSERT(child);
	mmput(child);
	EXPECT_EQ(user_poke(addr, 2), 0);
	EXPECT(page_at(mm, addr) == page);
	EXPECT_EQ(user_peek(addr), 2);
	EXPECT_EQ(get_mm_rss(mm), 1);
	test_mm_end(mm);
}

/* A thread reads a page all the time, while another one writes to it for the first time. */
struct reader {
	struct mm_struct *mm;
	unsigned long addr;
	unsigned reads;
	bool written;
	int before, after;
};

static void read_or_write(void *arg, unsigned index)
{
	struct reader *r = arg;
	unsigned seen;

	kthread_use_mm(r->mm);
	if (index) {
		while (!smp_load_acquire(&r->written)) {
			r->before = user_peek(r->addr);
			WRITE_ONCE(r->reads, r->reads + 1);
			cond_resched();
		}
		r->after = user_peek(r->addr);
	} else {
		seen = READ_ONCE(r->reads);
		while (READ_ONCE(r->reads) < seen + 10)
			yield();
		(void)user_poke(r->addr, 2);
		smp_store_release(&r->written, true);
	}
	kthread_unuse_mm(r->mm);
}

SELFTEST(user_memory_faults, every_cpu_reads_the_copy_and_no_longer_the_page)
{
	for (unsigned i = 0; i < 20; i++) {
		struct reader r = { .mm = test_mm_begin() };
		struct mm_struct *child;

		ASSERT(r.mm);
		r.addr = test_mmap(0, PAGE_SIZE, 0);
		EXPECT_EQ(user_poke(r.addr, 1), 0);
		child = dup_mm(r.mm);
		ASSERT(child);
		EXPECT(run_threads(2, EACH_CPU, read_or_write, &r));
		EXPECT_EQ(r.after, 2);
		mmput(child);
		test_mm_end(r.mm);
	}
}
