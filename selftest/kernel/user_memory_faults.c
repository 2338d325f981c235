/* Self-tests of page faults: what is a fault, which pages are copied, and who sees the copy. */
#include "arch/cpu/linkage.h"
#include "arch/mm/tlb_events.h"
#include "arch/irq/traps.h"
#include "arch/user/user_pgtable.h"
#include "kernel/signal/siginfo.h"
#include "kernel/smp.h"
#include "kernel/mm/user_page.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

#define PAGES 16U

long sys_mprotect(unsigned long start, size_t len, unsigned long prot) SYSCALL_SYMBOL(mprotect);
long sys_munmap(unsigned long addr, size_t len) SYSCALL_SYMBOL(munmap);

static struct page *page_at(const struct mm_struct *mm, unsigned long addr)
{
	const u64 *pte = user_pte(mm, addr);

	return pte && *pte ? pte_page(*pte) : NULL;
}

/* The areas of the test, in this order. */
static const unsigned long area_rights[] = { PROT_READ | PROT_WRITE, PROT_READ,
					     PROT_READ | PROT_EXEC, PROT_WRITE, PROT_NONE };

static const char *const area_names[] = { "rw-", "r--", "r-x", "-w-", "---" };

/* An access, and the areas that allow it, a bit for each. */
static const struct {
	unsigned flags; /* FAULT_FLAG_* */
	unsigned allowed;
	const char *what;
} accesses[] = {
	{ FAULT_FLAG_USER, 0xf, "a read of a page that is not there" },
	{ FAULT_FLAG_USER | FAULT_FLAG_WRITE, 0x9, "a write to a page that is not there" },
	{ FAULT_FLAG_USER | FAULT_FLAG_INSTRUCTION, 0x4, "a fetch from a page that is not there" },
	{ FAULT_FLAG_USER | FAULT_FLAG_PRESENT, 0, "a read of a page that is there" },
	{ FAULT_FLAG_USER | FAULT_FLAG_PRESENT | FAULT_FLAG_WRITE, 0x9,
	  "a write to a page that is there" },
	{ FAULT_FLAG_USER | FAULT_FLAG_PRESENT | FAULT_FLAG_INSTRUCTION, 0x4,
	  "a fetch from a page that is there" },
};

SELFTEST(user_memory_faults, rights_of_the_area_and_the_access_decide)
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

			signal = do_user_addr_fault(addr + i * PAGE_SIZE, accesses[n].flags, &code);
			if (signal != (allowed ? 0 : SIGSEGV))
				selftest_diag(test, "%s, in an area %s, must be %s",
					      accesses[n].what, area_names[i],
					      allowed ? "allowed" : "forbidden");
			EXPECT(signal == (allowed ? 0 : SIGSEGV));
			EXPECT(!signal || code == SEGV_ACCERR);
		}
	}
	test_mm_end(mm);
}

/* Whether a walk over [0, end) without a table is faster than 1000 looks at an entry. */
static bool walk_is_fast(const struct mm_struct *mm, unsigned long end)
{
	ktime_t walk = KTIME_MAX, looks = KTIME_MAX;

	/* The shortest times count: interrupts make the others longer. */
	for (unsigned i = 0; i < 3; i++) {
		ktime_t begin = ktime_get();
		unsigned long addr = 0;

		(void)user_pte_next(mm, &addr, end);
		walk = min(walk, ktime_get() - begin);
		begin = ktime_get();
		for (unsigned n = 0; n < 1000; n++)
			(void)user_pte(mm, n * PAGE_SIZE);
		looks = min(looks, ktime_get() - begin);
	}
	return walk < looks;
}

SELFTEST(user_memory_faults, what_has_no_table_is_skipped_at_once)
{
	/* First a range that a wrong walk comes to the end of, too. */
	static const unsigned long ends[] = { 16UL << 30, 8UL << 40 };
	struct mm_struct *mm = test_mm_begin();
	bool fast = true;

	ASSERT(mm);
	for (unsigned i = 0; i < ARRAY_SIZE(ends) && fast; i++) {
		fast = walk_is_fast(mm, ends[i]);
		if (!fast)
			selftest_diag(test,
				      "a walk over %lu GiB without a table takes longer than "
				      "1000 calls of user_pte()",
				      ends[i] >> 30);
		EXPECT(fast);
	}
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, what_has_no_table_is_skipped)
{
	static const unsigned long at[] = { 0x10000, 0x40000000, 0x8040201000, 0x7f0000000000 };
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = 0;
	unsigned found = 0;
	bool fast;
	u64 *pte;

	ASSERT(mm);
	fast = walk_is_fast(mm, 16UL << 30);
	EXPECT(fast);
	if (!fast)
		goto end; /* that would take hours */
	for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
		EXPECT_EQ_HEX(test_mmap(at[i], PAGE_SIZE, MAP_FIXED), at[i]);
		EXPECT_EQ(user_poke(at[i], 1), 0);
	}
	while ((pte = user_pte_next(mm, &addr, TASK_SIZE_MAX)) && found < ARRAY_SIZE(at)) {
		EXPECT_EQ_HEX(addr, ALIGN_DOWN(at[found], PTE_TABLE_SIZE));
		EXPECT(pte == user_pte(mm, addr));
		addr += PTE_TABLE_SIZE;
		found++;
	}
	EXPECT_EQ(found, ARRAY_SIZE(at));
	EXPECT(!pte);
	/* The search may begin in the middle of what has no table. */
	addr = at[3] - PAGE_SIZE;
	EXPECT(user_pte_next(mm, &addr, TASK_SIZE_MAX) == user_pte(mm, at[3]));
	EXPECT_EQ_HEX(addr, at[3]);
	/* The address need not be the first one of a table, and the end is not looked at. */
	addr = at[1] + PAGE_SIZE;
	EXPECT(user_pte_next(mm, &addr, at[2]) == user_pte(mm, at[1] + PAGE_SIZE));
	EXPECT_EQ_HEX(addr, at[1] + PAGE_SIZE);
	addr = at[1] + PTE_TABLE_SIZE;
	EXPECT(!user_pte_next(mm, &addr, ALIGN_DOWN(at[2], PTE_TABLE_SIZE)));
end:
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, a_page_that_is_first_written_is_zero_elsewhere)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGES * PAGE_SIZE, 0);
	unsigned used = 0;

	ASSERT(mm);
	/* Pages with contents become free. The next ones are taken from them. */
	for (unsigned long i = 0; i < PAGES * PAGE_SIZE; i += 4)
		EXPECT_EQ(user_poke(addr + i, 0x5a), 0);
	EXPECT_EQ(sys_munmap(addr, PAGES * PAGE_SIZE), 0);
	addr = test_mmap(0, PAGES * PAGE_SIZE, 0);
	for (unsigned i = 0; i < PAGES; i++, addr += PAGE_SIZE) {
		EXPECT_EQ(user_poke(addr + 100, 1), 0);
		EXPECT_EQ(user_peek(addr + 100), 1);
		used += user_peek(addr) || user_peek(addr + PAGE_SIZE - 4);
	}
	if (used)
		selftest_diag(test, "%u of %u new pages have the contents of their last user", used,
			      PAGES);
	EXPECT(!used);
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
	if (shared != PAGES)
		selftest_diag(test, "after fork(), parent and child share %u of %u pages", shared,
			      PAGES);
	EXPECT(shared == PAGES);
	for (unsigned i = 0; i < PAGES / 2; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, 2), 0);
	for (unsigned i = 0; i < PAGES; i++)
		after += page_at(mm, addr + i * PAGE_SIZE) == page_at(child, addr + i * PAGE_SIZE);
	if (after != PAGES / 2)
		selftest_diag(test, "after the parent has written to %u of %u pages, %u are shared",
			      PAGES / 2, PAGES, after);
	EXPECT(after == PAGES / 2);
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
	if (page_at(mm, addr) != page)
		selftest_diag(test, "the page was copied although nobody else has it");
	EXPECT(page_at(mm, addr) == page);
	EXPECT_EQ(user_peek(addr), 2);
	EXPECT_EQ(get_mm_rss(mm), 1);
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, page_of_a_file_is_copied_even_for_its_last_user)
{
	struct page *page = alloc_user_page(GFP_KERNEL, MM_FILEPAGES);
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	u64 *pte;

	ASSERT(page && mm);
	/* The entry has the only reference, as if the file had dropped the page. */
	spin_lock(&mm->page_table_lock);
	pte = user_pte_alloc(mm, addr);
	if (pte) {
		set_pte(pte, mk_pte(page, vm_get_page_prot(VM_READ | VM_WRITE)));
		mm->rss[MM_FILEPAGES]++;
	}
	spin_unlock(&mm->page_table_lock);
	ASSERT(pte);
	EXPECT_EQ(user_poke(addr, 2), 0);
	if (page_at(mm, addr) == page)
		selftest_diag(test, "the write went into the page of a file");
	EXPECT(page_at(mm, addr) != page);
	EXPECT_EQ(user_peek(addr), 2);
	test_mm_end(mm);
}

SELFTEST(user_memory_faults, write_for_a_debugger_gives_no_right_to_write)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct vm_area_struct *vma;

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr, 1), 0);
	EXPECT_EQ(sys_mprotect(addr, PAGE_SIZE, PROT_READ), 0);
	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	EXPECT_EQ(handle_mm_fault(vma, addr, FAULT_FLAG_REMOTE | FAULT_FLAG_WRITE), 0);
	mmap_read_unlock(mm);
	if (*user_pte(mm, addr) & _PAGE_RW)
		selftest_diag(test, "the entry is writable, but the area is not");
	EXPECT(!(*user_pte(mm, addr) & _PAGE_RW));
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

/* What the entry of a page is when a CPU flushes the translation. */
struct flushed {
	struct task_struct *task;
	const u64 *pte;
	unsigned flushes, not_empty;
};

static void look_at_entry(void *data, int reason, unsigned long pages __unused)
{
	struct flushed *f = data;

	if (current != f->task || reason != TLB_LOCAL_MM_SHOOTDOWN)
		return;
	f->flushes++;
	f->not_empty += *f->pte != 0;
}

SELFTEST(user_memory_faults, entry_is_empty_until_the_old_translation_is_flushed)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct flushed f = { .task = current };

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr, 1), 0);
	child = dup_mm(mm);
	ASSERT(child);
	f.pte = user_pte(mm, addr);
	EXPECT_EQ(register_trace_tlb_flush(look_at_entry, &f), 0);
	EXPECT_EQ(user_poke(addr, 2), 0);
	unregister_trace_tlb_flush(look_at_entry, &f);
	if (!f.flushes)
		selftest_diag(test, "the copy of a page flushes no translation");
	if (f.not_empty)
		selftest_diag(test, "the entry is not empty while the old translation is flushed");
	EXPECT(f.flushes && !f.not_empty);
	mmput(child);
	test_mm_end(mm);
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
		if (r.after != 2)
			selftest_diag(test, "a CPU still reads %d after another one has written 2",
				      r.after);
		EXPECT(r.after == 2);
		mmput(child);
		test_mm_end(r.mm);
		if (r.after != 2)
			break;
	}
}
