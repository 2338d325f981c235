/* mremap(2): makes an area larger or smaller, and moves it if it has no room to grow. */
#include "kernel/task/signal_struct.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/internal.h"

#define MREMAP_MAYMOVE   1
#define MREMAP_FIXED     2
#define MREMAP_DONTUNMAP 4

/* The arguments of the call. */
struct mremap {
	unsigned long addr, old_len, new_len, flags, new_addr;
};

/*
 * Moves the entries of [from, end), which are in one table, to `to`, for which they are in one
 * table, too. False: there is no memory for that table.
 */
static bool move_table(struct mm_struct *mm, u64 *source, unsigned long from, unsigned long end,
		       unsigned long to)
{
	u64 *target;

	spin_lock(&mm->page_table_lock);
	target = user_pte_alloc(mm, to);
	if (target)
		for (; from < end; from += PAGE_SIZE, source++, target++) {
			if (!*source)
				continue;
			set_pte(target, *source);
			set_pte(source, 0);
		}
	spin_unlock(&mm->page_table_lock);
	return target;
}

/*
 * Moves the entries of len bytes of an area with this mapping at from to to. Returns how many bytes
 * it has done: less than len if there is no memory for page tables. The lock of the mapping is held
 * for all of it, with the flush, so that unmap_mapping_range() finds each page at one of the two
 * places, and no CPU knows it at the other one.
 */
static unsigned long move_entries(struct mm_struct *mm, struct vm_mapping *mapping,
				  unsigned long from, unsigned long to, unsigned long len)
{
	unsigned long addr = from, end = from + len;
	u64 *source;

	if (mapping)
		mutex_lock(&mapping->lock);
	while ((source = user_pte_next(mm, &addr, end))) {
		unsigned long target = addr - from + to, size;

		size = min(pte_table_end(addr, end) - addr,
			   pte_table_end(target, to + len) - target);
		if (!move_table(mm, source, addr, addr + size, target)) {
			end = addr;
			break;
		}
		addr += size;
		cond_resched();
	}
	flush_tlb_mm_range(mm, from, end, false);
	if (mapping)
		mutex_unlock(&mapping->lock);
	return end - from;
}

/* The area stays where its pages have left: they are locked at their new place only. */
static void unlock_old_area(struct vm_area_struct *vma)
{
	long pages = (long)vma_pages(vma);

	vm_stat_account(vma->vm_mm, vma->vm_flags, -pages);
	vma->vm_flags &= ~(VM_LOCKED | VM_LOCKONFAULT);
	vm_stat_account(vma->vm_mm, vma->vm_flags, pages);
}

/* Moves vma's part [addr, addr + old_len) to new_addr, where it has new_len bytes. */
static unsigned long move_vma(struct vm_area_struct *vma, const struct mremap *m)
{
	unsigned long pages = m->new_len >> PAGE_SHIFT, new_addr = m->new_addr, moved;
	struct mm_struct *mm = vma->vm_mm;
	struct vm_area_struct *moved_vma;

	/* The new area is one more, and the old one may fall into three parts (Linux's margin). */
	if (mm->map_count >= READ_ONCE(sysctl_max_map_count) - 3)
		return (unsigned long)-ENOMEM;
	/* Before the pages move: when they have moved, nothing may fail. */
	if (!(m->flags & MREMAP_DONTUNMAP) && m->old_len) {
		vma = split_ends(mm, m->addr, m->addr + m->old_len);
		if (IS_ERR(vma))
			return (unsigned long)vma;
	}
	if ((vma->vm_flags & VM_ACCOUNT) && vm_enough_memory(pages))
		goto merge;
	moved_vma = vm_area_dup(vma);
	if (!moved_vma)
		goto unaccount;
	moved_vma->vm_start = new_addr;
	moved_vma->vm_end = new_addr + m->new_len;
	moved_vma->vm_pgoff += (m->addr - vma->vm_start) >> PAGE_SHIFT;
	if (moved_vma->vm_file)
		vm_file_hooks->get_file(moved_vma->vm_file);
	if (moved_vma->vm_ops && moved_vma->vm_ops->open)
		moved_vma->vm_ops->open(moved_vma);
	vma_insert(mm, moved_vma);
	vma_link_mapping(moved_vma, vma);
	vm_stat_account(mm, moved_vma->vm_flags, (long)pages);
	moved = move_entries(mm, vma->vm_mapping, m->addr, new_addr, m->old_len);
	if (moved < m->old_len) {
		move_entries(mm, vma->vm_mapping, new_addr, m->addr, moved);
		(void)do_munmap(mm, new_addr, m->new_len); /* a whole area: no error */
		goto merge;
	}
	if (new_addr + m->new_len == mm->search_top)
		mm->search_top = new_addr;
	if (m->flags & MREMAP_DONTUNMAP)
		unlock_old_area(vma);
	else if (m->old_len)
		(void)do_munmap(mm, m->addr, m->old_len); /* the same */
	vma_merge(moved_vma);
	return new_addr;
unaccount:
	if (vma->vm_flags & VM_ACCOUNT)
		vm_unacct_memory(pages);
merge:
	vma_merge(vma);
	return (unsigned long)-ENOMEM;
}

/* The area at addr, if it may get new_len bytes; or an ERR_PTR(). */
static struct vm_area_struct *vma_to_resize(struct mm_struct *mm, const struct mremap *m)
{
	struct vm_area_struct *vma = vma_lookup(mm, m->addr);
	unsigned long more;

	if (!vma)
		return ERR_PTR(-EFAULT);
	if (!m->old_len && !(vma->vm_flags & (VM_SHARED | VM_MAYSHARE)))
		return ERR_PTR(-EINVAL);
	if ((m->flags & MREMAP_DONTUNMAP) && (vma->vm_flags & VM_DONTEXPAND))
		return ERR_PTR(-EINVAL);
	if (m->old_len > vma->vm_end - m->addr)
		return ERR_PTR(-EFAULT);
	/* Both ranges stay, and are in the sums of the address space. */
	if ((m->flags & MREMAP_DONTUNMAP) &&
	    !may_expand_vm(mm, vma->vm_flags, m->old_len >> PAGE_SHIFT))
		return ERR_PTR(-ENOMEM);
	if (m->new_len <= m->old_len)
		return vma;
	if (vma->vm_flags & VM_DONTEXPAND)
		return ERR_PTR(-EFAULT);
	more = (m->new_len - m->old_len) >> PAGE_SHIFT;
	if ((vma->vm_flags & VM_LOCKED) && check_mlock_limit(mm, more))
		return ERR_PTR(-EAGAIN);
	return may_expand_vm(mm, vma->vm_flags, more) ? vma : ERR_PTR(-ENOMEM);
}

/* Lets vma grow where it is. False: something is in the way, or it does not end with the range. */
static bool expand_in_place(struct vm_area_struct *vma, const struct mremap *m)
{
	unsigned long end = m->addr + m->new_len;
	unsigned long more = (m->new_len - m->old_len) >> PAGE_SHIFT;
	struct mm_struct *mm = vma->vm_mm;

	if (m->addr + m->old_len != vma->vm_end || end < vma->vm_end || end > TASK_SIZE_MAX)
		return false;
	if (vma->vm_next && end > vma->vm_next->vm_start)
		return false;
	if ((vma->vm_flags & VM_ACCOUNT) && vm_enough_memory(more))
		return false;
	vma_set_range(vma, vma->vm_start, end, vma->vm_pgoff);
	vm_stat_account(mm, vma->vm_flags, (long)more);
	vma_merge(vma);
	return true;
}

/* Whether moving the range splits an area that cannot be split. */
static bool splits_whole(const struct vm_area_struct *vma, const struct mremap *m)
{
	return vma->vm_ops && vma->vm_ops->whole &&
	       (m->addr > vma->vm_start || m->addr + min(m->old_len, m->new_len) < vma->vm_end);
}

/* MREMAP_FIXED and MREMAP_DONTUNMAP: vma moves in any case. */
static unsigned long mremap_to(struct vm_area_struct *vma, struct mremap *m)
{
	unsigned long fixed = m->flags & MREMAP_FIXED ? MAP_FIXED : 0;
	struct mm_struct *mm = vma->vm_mm;
	int error = 0;

	if ((m->new_addr & ~PAGE_MASK) || m->new_len > TASK_SIZE_MAX ||
	    m->new_addr > TASK_SIZE_MAX - m->new_len)
		return (unsigned long)-EINVAL;
	if (m->addr + m->old_len > m->new_addr && m->new_addr + m->new_len > m->addr)
		return (unsigned long)-EINVAL; /* the ranges overlap */
	/* move_vma() must not refuse when the target has been unmapped already. */
	if (mm->map_count + 2 >= READ_ONCE(sysctl_max_map_count) - 3)
		return (unsigned long)-ENOMEM;
	if (splits_whole(vma, m))
		return (unsigned long)-EINVAL;
	m->new_addr = get_unmapped_area(mm, m->new_addr, m->new_len, fixed);
	if (IS_ERR_VALUE(m->new_addr))
		return m->new_addr;
	if (fixed)
		error = do_munmap(mm, m->new_addr, m->new_len);
	if (!error && m->old_len > m->new_len) {
		error = do_munmap(mm, m->addr + m->new_len, m->old_len - m->new_len);
		m->old_len = m->new_len;
	}
	if (error)
		return (unsigned long)error;
	vma = vma_to_resize(mm, m);
	return IS_ERR(vma) ? (unsigned long)vma : move_vma(vma, m);
}

/* mmap_lock held for writing. */
static unsigned long do_mremap(struct mm_struct *mm, struct mremap *m)
{
	struct vm_area_struct *vma = vma_lookup(mm, m->addr);
	int error = 0;

	if (!vma)
		return (unsigned long)-EFAULT;
	if (vma->vm_ops && vma->vm_ops->sealed)
		return (unsigned long)-EPERM;
	if (m->flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		return mremap_to(vma, m);
	if (m->old_len > m->new_len)
		error = do_munmap(mm, m->addr + m->new_len, m->old_len - m->new_len);
	if (m->old_len >= m->new_len)
		return error ? (unsigned long)error : m->addr;
	vma = vma_to_resize(mm, m);
	if (IS_ERR(vma))
		return (unsigned long)vma;
	if (expand_in_place(vma, m))
		return m->addr;
	if (!(m->flags & MREMAP_MAYMOVE))
		return (unsigned long)-ENOMEM;
	m->new_addr = get_unmapped_area(mm, 0, m->new_len, 0);
	return IS_ERR_VALUE(m->new_addr) ? m->new_addr : move_vma(vma, m);
}

SYSCALL_DEFINE5(mremap, unsigned long, addr, unsigned long, old_len, unsigned long, new_len,
		unsigned long, flags, unsigned long, new_addr)
{
	struct mremap m = { addr, page_align(old_len), page_align(new_len), flags, new_addr };
	struct mm_struct *mm = current->mm;
	unsigned long ret, populate = 0;

	if (flags & ~(unsigned long)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP))
		return -EINVAL;
	if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(flags & MREMAP_MAYMOVE))
		return -EINVAL;
	if ((flags & MREMAP_DONTUNMAP) && m.old_len != m.new_len)
		return -EINVAL;
	if ((addr & ~PAGE_MASK) || !m.new_len)
		return -EINVAL;
	mmap_write_lock(mm);
	ret = do_mremap(mm, &m);
	if (!IS_ERR_VALUE(ret) && m.new_len > m.old_len) {
		const struct vm_area_struct *vma = find_vma(mm, ret);

		if (vma && (vma->vm_flags & VM_LOCKED))
			populate = m.new_len - m.old_len;
	}
	mmap_write_unlock(mm);
	if (populate)
		(void)mm_populate(mm, ret + m.old_len, populate);
	return (long)ret;
}
