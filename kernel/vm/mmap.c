/* mmap(2) and brk(2): finds a free range, makes an area for it, and calls the owner of the file. */
#include "kernel/vm/internal.h"
#include "kernel/vm/vma_events.h"

#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/vm/shared_anon.h"

#define UNMAPPED_BASE   (TASK_SIZE_MAX / 3 & PAGE_MASK) /* where a search upwards begins */
#define MAP_32BIT_START 0x40000000UL
#define MAP_32BIT_END   0x80000000UL

/* The address below which an area must end that comes below vma. */
static unsigned long start_with_gap(const struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_GROWSDOWN))
		return vma->vm_start;
	return vma->vm_start > STACK_GUARD_GAP ? vma->vm_start - STACK_GUARD_GAP : 0;
}

static unsigned long search_up(struct mm_struct *mm, unsigned long len, unsigned long low,
			       unsigned long high)
{
	struct vm_area_struct *vma = find_vma(mm, low);

	for (;; vma = vma->vm_next) {
		unsigned long end = vma ? min(start_with_gap(vma), high) : high;

		if (low + len <= end)
			return low;
		if (!vma || vma->vm_end >= high)
			return (unsigned long)-ENOMEM;
		low = max(low, vma->vm_end);
	}
}

static struct vm_area_struct *last_area(struct mm_struct *mm)
{
	struct rb_node *node = mm->mm_rb.rb_node;

	while (node && node->rb_right)
		node = node->rb_right;
	return node ? rb_entry(node, struct vm_area_struct, vm_rb) : NULL;
}

/* The highest hole below mmap_base that is large enough. */
static unsigned long search_down(struct mm_struct *mm, unsigned long len)
{
	struct vm_area_struct *above = find_vma(mm, mm->search_top), *below;
	unsigned long high = mm->search_top;

	below = above ? above->vm_prev : last_area(mm);
	if (above && above->vm_start < high) {
		below = above;
		above = NULL;
		high = below->vm_end;
	}
	for (;;) {
		unsigned long low = below ? below->vm_end : MMAP_MIN_ADDR;

		if (above)
			high = min(high, start_with_gap(above));
		if (high >= low && high - low >= len)
			return high - len;
		if (!below)
			return (unsigned long)-ENOMEM;
		if (low == mm->search_top)
			mm->search_top = below->vm_start;
		above = below;
		high = above->vm_start;
		below = above->vm_prev;
	}
}

unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long addr, unsigned long len,
				unsigned long flags)
{
	unsigned long found;

	if (len > TASK_SIZE_MAX)
		return (unsigned long)-ENOMEM;
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (addr > TASK_SIZE_MAX - len)
			return (unsigned long)-ENOMEM;
		if (addr & ~PAGE_MASK)
			return (unsigned long)-EINVAL;
		if (addr < MMAP_MIN_ADDR && !capable(CAP_SYS_RAWIO))
			return (unsigned long)-EPERM;
		return addr;
	}
	if (flags & MAP_32BIT)
		return search_up(mm, len, MAP_32BIT_START, MAP_32BIT_END);
	if (addr) {
		addr = max(page_align(addr), MMAP_MIN_ADDR);
		if (addr <= TASK_SIZE_MAX - len && search_up(mm, len, addr, addr + len) == addr)
			return addr;
	}
	found = search_down(mm, len);
	return IS_ERR_VALUE(found) ? search_up(mm, len, UNMAPPED_BASE, TASK_SIZE_MAX) : found;
}

static unsigned long prot_to_vm_flags(unsigned long prot)
{
	return prot & (PROT_READ | PROT_WRITE | PROT_EXEC); /* the same bits */
}

bool vma_is_accountable(unsigned long vm_flags)
{
	return (vm_flags & (VM_NORESERVE | VM_SHARED | VM_WRITE)) == VM_WRITE;
}

int check_mlock_limit(const struct mm_struct *mm, unsigned long pages)
{
	if (capable(CAP_IPC_LOCK))
		return 0;
	return mm->locked_vm + pages > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT ? -EAGAIN : 0;
}

/* Anonymous memory directly behind an area that is alike: the area grows. NULL: there is none. */
static struct vm_area_struct *extend_below(struct mm_struct *mm, unsigned long addr,
					   unsigned long end, unsigned long vm_flags)
{
	struct vm_area_struct *next = find_vma(mm, addr);
	struct vm_area_struct *prev = next ? next->vm_prev : last_area(mm);

	if (!prev || prev->vm_end != addr || prev->vm_flags != vm_flags || prev->vm_ops ||
	    prev->vm_file || (vm_flags & VM_SHARED))
		return NULL;
	prev->vm_end = end;
	return vma_merge(prev);
}

/* Lets the owner of the pages prepare a new area: a file, or an object of shared memory. */
static int set_up_owner(struct vm_area_struct *vma, struct file *file)
{
	int error;

	if (!file)
		return vma->vm_flags & VM_SHARED ? shared_anon_setup(vma) : 0;
	vm_file_hooks->get_file(file);
	vma->vm_file = file;
	error = vm_file_hooks->mmap(file, vma);
	if (!error && (vma->vm_flags & VM_SHARED) && !vma->vm_ops)
		error = shared_anon_setup(vma); /* /dev/zero */
	if (error) {
		vma->vm_file = NULL;
		vm_file_hooks->fput(file);
		return error;
	}
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	return 0;
}

/* The pages of [addr, end) that are in areas. mmap_lock held. */
static unsigned long count_area_pages(struct mm_struct *mm, unsigned long addr, unsigned long end)
{
	unsigned long bytes = 0;

	for (const struct vm_area_struct *vma = find_vma(mm, addr); vma && vma->vm_start < end;
	     vma = vma->vm_next)
		bytes += min(end, vma->vm_end) - max(addr, vma->vm_start);
	return bytes >> PAGE_SHIFT;
}

/* Makes the area [addr, addr + len). What was there goes. */
static int mmap_region(struct mm_struct *mm, struct file *file, unsigned long addr,
		       unsigned long len, unsigned long vm_flags, unsigned long pgoff)
{
	unsigned long pages = len >> PAGE_SHIFT;
	struct vm_area_struct *vma;
	int error;

	if (!may_expand_vm(mm, vm_flags, pages) &&
	    !may_expand_vm(mm, vm_flags, pages - count_area_pages(mm, addr, addr + len)))
		return -ENOMEM;
	error = do_munmap(mm, addr, len);
	if (error)
		return error;
	if (vma_is_accountable(vm_flags)) {
		if (vm_enough_memory(pages))
			return -ENOMEM;
		vm_flags |= VM_ACCOUNT;
	}
	vma = file ? NULL : extend_below(mm, addr, addr + len, vm_flags);
	if (vma) {
		vm_stat_account(mm, vm_flags, (long)pages);
		goto linked;
	}
	error = -ENOMEM;
	vma = vm_area_alloc(mm);
	if (!vma)
		goto unaccount;
	vma->vm_start = addr;
	vma->vm_end = addr + len;
	vma->vm_flags = vm_flags;
	vma->vm_page_prot = vm_get_page_prot(vm_flags);
	vma->vm_pgoff = file || (vm_flags & VM_SHARED) ? pgoff : addr >> PAGE_SHIFT;
	error = set_up_owner(vma, file);
	if (error)
		goto free;
	error = vma_link_new(mm, vma);
	if (error) {
		remove_vma(vma);
		goto unaccount;
	}
	vm_stat_account(mm, vma->vm_flags, (long)pages);
	vma = vma_merge(vma);
linked:
	trace_vma_map(vma);
	if (addr + len == mm->search_top)
		mm->search_top = addr;
	return 0;
free:
	vm_area_free(vma);
unaccount:
	if (vm_flags & VM_ACCOUNT)
		vm_unacct_memory(pages);
	return error;
}

/* The VM_* flags that flags of mmap(2) stand for, or a negative errno. */
static long mmap_vm_flags(bool file, unsigned long prot, unsigned long flags)
{
	unsigned long vm_flags = prot_to_vm_flags(prot) | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;

	if (flags & MAP_LOCKED)
		vm_flags |= VM_LOCKED;
	if (flags & MAP_NORESERVE)
		vm_flags |= VM_NORESERVE;
	switch (flags & MAP_TYPE) {
	case MAP_SHARED:
		return (long)(vm_flags | VM_SHARED | VM_MAYSHARE);
	case MAP_SHARED_VALIDATE:
		if (!file)
			return -EINVAL;
		if (flags & MAP_SYNC)
			return -EOPNOTSUPP;
		return (long)(vm_flags | VM_SHARED | VM_MAYSHARE);
	case MAP_PRIVATE:
		if ((flags & MAP_GROWSDOWN) && !file)
			vm_flags |= VM_GROWSDOWN;
		return (long)vm_flags;
	}
	return -EINVAL;
}

unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len, unsigned long prot,
		      unsigned long flags, unsigned long pgoff, unsigned long *populate)
{
	struct mm_struct *mm = current->mm;
	const struct vm_area_struct *vma;
	long vm_flags;
	int error;

	mmap_assert_write_locked(mm);
	*populate = 0;
	if (!len)
		return (unsigned long)-EINVAL;
	len = page_align(len);
	if (!len)
		return (unsigned long)-ENOMEM;
	if (pgoff + (len >> PAGE_SHIFT) < pgoff)
		return (unsigned long)-EOVERFLOW;
	if (mm->map_count > READ_ONCE(sysctl_max_map_count))
		return (unsigned long)-ENOMEM;
	/* MAP_SYNC is for files in persistent memory, of which nop5 has none. */
	if (file && (flags & MAP_TYPE) == MAP_SHARED_VALIDATE && (flags & ~LEGACY_MAP_MASK))
		return (unsigned long)-EOPNOTSUPP;
	addr = get_unmapped_area(mm, addr, len, flags);
	if (IS_ERR_VALUE(addr))
		return addr;
	if (flags & MAP_FIXED_NOREPLACE) {
		vma = find_vma(mm, addr);
		if (vma && vma->vm_start < addr + len)
			return (unsigned long)-EEXIST;
	}
	vm_flags = mmap_vm_flags(file != NULL, prot, flags);
	if (vm_flags < 0)
		return (unsigned long)vm_flags;
	vm_flags |= (long)mm->def_flags;
	if (vm_flags & (long)VM_LOCKED) {
		if ((flags & MAP_LOCKED) && !capable(CAP_IPC_LOCK) && !rlimit(RLIMIT_MEMLOCK))
			return (unsigned long)-EPERM;
		error = check_mlock_limit(mm, len >> PAGE_SHIFT);
		if (error)
			return (unsigned long)error;
	}
	error = mmap_region(mm, file, addr, len, (unsigned long)vm_flags, pgoff);
	if (error)
		return (unsigned long)error;
	if ((vm_flags & (long)VM_LOCKED && !(vm_flags & (long)VM_LOCKONFAULT)) ||
	    (flags & (MAP_POPULATE | MAP_NONBLOCK)) == MAP_POPULATE)
		*populate = len;
	return addr;
}

unsigned long vm_mmap(struct file *file, unsigned long addr, unsigned long len, unsigned long prot,
		      unsigned long flags, unsigned long offset)
{
	struct mm_struct *mm = current->mm;
	unsigned long populate, ret;

	if (offset & ~PAGE_MASK)
		return (unsigned long)-EINVAL;
	mmap_write_lock(mm);
	ret = do_mmap(file, addr, len, prot, flags, offset >> PAGE_SHIFT, &populate);
	mmap_write_unlock(mm);
	if (populate)
		(void)mm_populate(mm, ret, populate);
	return ret;
}

int vm_munmap(unsigned long addr, unsigned long len)
{
	struct mm_struct *mm = current->mm;
	int error;

	mmap_write_lock(mm);
	error = do_munmap(mm, addr, len);
	mmap_write_unlock(mm);
	return error;
}

/* Anonymous memory at a fixed place where nothing is. mmap_lock held for writing. */
static int do_brk_flags(struct mm_struct *mm, unsigned long addr, unsigned long len,
			unsigned long flags)
{
	unsigned long vm_flags =
		VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | mm->def_flags | flags;
	int error;

	addr = get_unmapped_area(mm, addr, len, MAP_FIXED);
	if (IS_ERR_VALUE(addr))
		return (int)addr;
	if (mm->map_count > READ_ONCE(sysctl_max_map_count))
		return -ENOMEM;
	if (vm_flags & VM_LOCKED) {
		error = check_mlock_limit(mm, len >> PAGE_SHIFT);
		if (error)
			return error;
	}
	return mmap_region(mm, NULL, addr, len, vm_flags, 0);
}

int vm_brk_flags(unsigned long addr, unsigned long len, unsigned long flags)
{
	struct mm_struct *mm = current->mm;
	bool populate;
	int error;

	len = page_align(len);
	if (!len)
		return 0;
	mmap_write_lock(mm);
	error = do_brk_flags(mm, addr, len, flags & VM_EXEC);
	populate = mm->def_flags & VM_LOCKED;
	mmap_write_unlock(mm);
	if (!error && populate)
		(void)mm_populate(mm, addr, len);
	return error;
}

unsigned long do_brk(unsigned long brk)
{
	struct mm_struct *mm = current->mm;
	unsigned long old, new, populate = 0, ret;
	const struct vm_area_struct *next;

	mmap_write_lock(mm);
	if (brk < mm->start_brk || brk > TASK_SIZE_MAX)
		goto unlock;
	if (brk - mm->start_brk + mm->end_data - mm->start_data > rlimit(RLIMIT_DATA))
		goto unlock;
	old = page_align(mm->brk);
	new = page_align(brk);
	if (new < old) {
		if (do_munmap(mm, new, old - new))
			goto unlock;
	} else if (new > old) {
		next = find_vma(mm, old);
		if ((next && new > start_with_gap(next)) || do_brk_flags(mm, old, new - old, 0))
			goto unlock;
		if (mm->def_flags & VM_LOCKED)
			populate = new - old;
	}
	mm->brk = brk;
unlock:
	ret = mm->brk;
	mmap_write_unlock(mm);
	if (populate)
		(void)mm_populate(mm, page_align(ret) - populate, populate);
	return ret;
}

struct vm_area_struct *install_special_mapping(struct mm_struct *mm, unsigned long addr,
					       unsigned long len, unsigned long vm_flags,
					       const struct vm_operations_struct *ops, void *data,
					       struct vm_mapping *mapping)
{
	const struct vm_area_struct *next;
	struct vm_area_struct *vma;

	mmap_assert_write_locked(mm);
	next = find_vma(mm, addr);
	if (next && next->vm_start < addr + len)
		return ERR_PTR(-EEXIST);
	vma = vm_area_alloc(mm);
	if (!vma)
		return ERR_PTR(-ENOMEM);
	vma->vm_start = addr;
	vma->vm_end = addr + len;
	vma->vm_flags = vm_flags | VM_DONTEXPAND;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	vma->vm_ops = ops;
	vma->vm_private_data = data;
	vma->vm_mapping = mapping;
	insert_vm_struct(mm, vma);
	vm_stat_account(mm, vma->vm_flags, (long)vma_pages(vma));
	trace_vma_map(vma);
	return vma;
}
