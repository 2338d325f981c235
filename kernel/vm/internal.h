/* Declarations for the files of kernel/vm only. */
#pragma once

#include "arch/user/mmu_context.h"
#include "arch/user/user_pgtable.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/mm.h"
#include "kernel/mm/user_page.h"

/* Between two areas: no other mapping comes as near below a stack (in bytes). */
#define STACK_GUARD_GAP (256 * PAGE_SIZE)

#define mmap_assert_locked(mm)       DEBUG_BUG_ON(!rwsem_is_locked(&(mm)->mmap_lock))
#define mmap_assert_write_locked(mm) DEBUG_BUG_ON(!rwsem_is_write_locked(&(mm)->mmap_lock))

extern const struct vm_file_hooks *vm_file_hooks;

/*
 * Pages and tables that have been removed from an address space. They are freed after the TLBs are
 * flushed, because until then programs on other CPUs may still write to them.
 */
#define GATHER_PAGES 48
struct mmu_gather {
	struct mm_struct *mm;
	unsigned long start, end; /* the range to flush; start >= end: nothing */
	bool tables;              /* page tables are among the pages */
	bool no_flush;            /* no CPU has mm loaded */
	unsigned count;
	unsigned long pages[GATHER_PAGES]; /* struct page *; bit 0: it is a page table */
};

void tlb_gather(struct mmu_gather *tlb, struct mm_struct *mm);
/* Flushes and frees what has been gathered. May be called more than once. */
void tlb_finish(struct mmu_gather *tlb);

/*
 * Removes the pages of [start, end), a part of an area. even_cows: also private copies. mmap_lock
 * held, or vma->vm_mapping->lock.
 */
void zap_page_range(struct mmu_gather *tlb, unsigned long start, unsigned long end, bool even_cows);
/*
 * The same with a flush of the whole range: another task may have removed entries, and pause before
 * its flush.
 */
void zap_vma_range(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		   bool even_cows);
/*
 * Frees the page tables of [start, end), as far as they lie between floor and ceiling (0: the end),
 * where no area is. mmap_lock held for writing.
 */
void free_pgtables(struct mmu_gather *tlb, unsigned long start, unsigned long end,
		   unsigned long floor, unsigned long ceiling);
/* Copies the entries of an area of the parent to the child's: fork. 0 or -ENOMEM. */
int copy_page_range(struct vm_area_struct *dst, struct vm_area_struct *src);

/* A new area in no tree, with all other fields 0; a copy of one; and its end. */
struct vm_area_struct *vm_area_alloc(struct mm_struct *mm);
struct vm_area_struct *vm_area_dup(const struct vm_area_struct *old);
void vm_area_free(struct vm_area_struct *vma);
/* Adds an area to its address space, and to the list of its mapping. mmap_lock held for writing. */
void insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma);
/* The same for an area that is no copy of another. -EPERM: vm_mapping_deny_shared() forbids it. */
int vma_link_new(struct mm_struct *mm, struct vm_area_struct *vma);
/* Adds an area to the tree and the list of its address space only. */
void vma_insert(struct mm_struct *mm, struct vm_area_struct *vma);
/* Adds it to the list of its mapping only: after the area after, or NULL. */
void vma_link_mapping(struct vm_area_struct *vma, struct vm_area_struct *after);
void vma_unlink_mapping(struct vm_area_struct *vma);
/* Drops what an area refers to, and frees it: its end, after vma_unlink_mapping(). */
void remove_vma(struct vm_area_struct *vma);
/*
 * Splits vma at addr. The new area is the upper part; it is vma->vm_next. 0; -ENOMEM: memory is
 * short, or there are too many areas; -EINVAL: it cannot be split. mmap_lock held for writing.
 */
int split_vma(struct vm_area_struct *vma, unsigned long addr);
/*
 * Splits the areas at both ends of [start, end): do_munmap() of the range then needs no memory. The
 * first area of the range, NULL if it has none, or an ERR_PTR(). mmap_lock held for writing.
 */
struct vm_area_struct *split_ends(struct mm_struct *mm, unsigned long start, unsigned long end);
/* Joins vma with its neighbours, where they are alike. Returns the resulting area. */
struct vm_area_struct *vma_merge(struct vm_area_struct *vma);
/* Adds pages to the sums of the address space, or subtracts them. mmap_lock held for writing. */
void vm_stat_account(struct mm_struct *mm, unsigned long flags, long pages);
/* Whether npages more pages are within RLIMIT_AS and RLIMIT_DATA. */
bool may_expand_vm(const struct mm_struct *mm, unsigned long flags, unsigned long npages);
/* Grows a stack down to addr. 0 or -ENOMEM. mmap_lock held. */
int expand_stack(struct vm_area_struct *vma, unsigned long addr);
/* Applies new flags to [start, end) of areas, as mprotect(2), mlock(2), madvise(2) do it. */
int vma_set_flags(struct vm_area_struct **vma, unsigned long start, unsigned long end,
		  unsigned long flags);
/* Sets and clears flags of all areas of [start, end). -ENOMEM at the first hole, or no memory. */
int vma_change_flags(struct mm_struct *mm, unsigned long start, unsigned long end,
		     unsigned long set, unsigned long clear);
/*
 * Changes the range of an area that is in its tree; unmap_mapping_range() reads the range under the
 * lock of the mapping. mmap_lock held for writing.
 */
void vma_set_range(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		   unsigned long pgoff);
/* Gives the entries of [start, end), a part of vma, the rights of vma. */
void change_protection(struct vm_area_struct *vma, unsigned long start, unsigned long end);
/*
 * Patches of files. patch.c fills it in an initcall. The functions are called only for an area
 * whose mapping has patches (nr_patches), so they are not NULL then.
 */
struct vm_patch_ops {
	/* Whether a page of a private area must be a patched copy. The lock of the mapping held. */
	bool (*page_is_patched)(const struct vm_area_struct *vma, unsigned long pgoff);
	/* Patches a new copy of the page at pgoff. The same lock. */
	void (*patch_page)(const struct vm_area_struct *vma, unsigned long pgoff,
			   struct page *page);
	/* vma is no longer writable: puts breakpoints in. mmap_lock held for writing. */
	void (*patch_area)(struct vm_area_struct *vma);
};
extern struct vm_patch_ops vm_patch_ops;
/* Removes all areas and pages of an address space without users. */
void exit_mmap(struct mm_struct *mm);

/* The page of zeros, shown by all anonymous pages that were only read; not counted. */
extern u8 zero_page[];
static inline u64 zero_pte(u64 prot)
{
	return __pa(zero_page) | pte_wrprotect(prot) | _PAGE_SPECIAL;
}

/* Whether a private writable area with these flags counts as promised memory. */
bool vma_is_accountable(unsigned long vm_flags);
/* Whether the process may lock that many more pages: 0 or -EAGAIN. */
int check_mlock_limit(const struct mm_struct *mm, unsigned long pages);
/* brk(2): the new end of the data segment, or the old one. */
unsigned long do_brk(unsigned long brk);

/*
 * Memory that programs have been promised and that is not yet in use counts: 0, or -ENOMEM if pages
 * is obviously more than there is (Linux's heuristic, vm.overcommit_memory = 0).
 */
int vm_enough_memory(unsigned long pages);
void vm_unacct_memory(unsigned long pages);

/* No page is left for a fault of the current task: ends the process that uses the most memory. */
void out_of_memory(void);
/* The pages of mm, which has no user any more, are free. Task context. */
void oom_mm_is_free(const struct mm_struct *mm);

static inline unsigned long page_align(unsigned long n)
{
	return (n + PAGE_SIZE - 1) & PAGE_MASK;
}
