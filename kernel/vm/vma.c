/*
 * The areas of an address space: a tree and a list by address; finding, adding, splitting, joining
 * and removing them.
 */
#include "kernel/vm/internal.h"
#include "kernel/vm/vma_events.h"

#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/task/signal_struct.h"

int sysctl_max_map_count = 65530;

static struct kmem_cache *vma_cache;

static int vma_cache_init(void)
{
	vma_cache = kmem_cache_create("vm_area_struct", sizeof(struct vm_area_struct), 0);
	if (!vma_cache)
		panic("No memory for areas of user memory");
	return 0;
}
core_initcall(vma_cache_init);

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm)
{
	struct vm_area_struct *vma = kmem_cache_alloc(vma_cache, GFP_KERNEL);

	if (vma) {
		memset(vma, 0, sizeof(*vma));
		vma->vm_mm = mm;
		INIT_LIST_HEAD(&vma->shared);
	}
	return vma;
}

struct vm_area_struct *vm_area_dup(const struct vm_area_struct *old)
{
	struct vm_area_struct *vma = kmem_cache_alloc(vma_cache, GFP_KERNEL);

	if (vma) {
		*vma = *old;
		INIT_LIST_HEAD(&vma->shared);
	}
	return vma;
}

void vm_area_free(struct vm_area_struct *vma)
{
	kmem_cache_free(vma_cache, vma);
}

static struct vm_area_struct *rb_vma(struct rb_node *node)
{
	return rb_entry(node, struct vm_area_struct, vm_rb);
}

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *found = READ_ONCE(mm->vma_cache);
	struct rb_node *node = mm->mm_rb.rb_node;

	mmap_assert_locked(mm);
	if (found && addr >= found->vm_start && addr < found->vm_end)
		return found;
	found = NULL;
	while (node) {
		struct vm_area_struct *vma = rb_vma(node);

		if (vma->vm_end > addr) {
			found = vma;
			if (vma->vm_start <= addr)
				break;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found)
		WRITE_ONCE(mm->vma_cache, found);
	return found;
}

struct vm_area_struct *vma_lookup(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	return vma && vma->vm_start <= addr ? vma : NULL;
}

void vma_insert(struct mm_struct *mm, struct vm_area_struct *vma)
{
	struct rb_node **link = &mm->mm_rb.rb_node, *parent = NULL;
	struct vm_area_struct *prev = NULL;

	while (*link) {
		parent = *link;
		if (vma->vm_start < rb_vma(parent)->vm_start) {
			link = &parent->rb_left;
		} else {
			prev = rb_vma(parent);
			link = &parent->rb_right;
		}
	}
	rb_link_node(&vma->vm_rb, parent, link);
	rb_insert_color(&vma->vm_rb, &mm->mm_rb);
	vma->vm_prev = prev;
	vma->vm_next = prev ? prev->vm_next : mm->mmap;
	if (prev)
		prev->vm_next = vma;
	else
		mm->mmap = vma;
	if (vma->vm_next)
		vma->vm_next->vm_prev = vma;
	mm->map_count++;
	mm->vma_cache = NULL;
}

/* Removes an area from the tree and the list of its address space. */
static void vma_erase(struct mm_struct *mm, struct vm_area_struct *vma)
{
	rb_erase(&vma->vm_rb, &mm->mm_rb);
	if (vma->vm_prev)
		vma->vm_prev->vm_next = vma->vm_next;
	else
		mm->mmap = vma->vm_next;
	if (vma->vm_next)
		vma->vm_next->vm_prev = vma->vm_prev;
	mm->map_count--;
	mm->vma_cache = NULL;
}

static bool writes_to_file(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == (VM_SHARED | VM_MAYWRITE);
}

int vm_mapping_deny_shared(struct vm_mapping *mapping)
{
	const struct vm_area_struct *vma;
	int error = 0;

	mutex_lock(&mapping->lock);
	list_for_each_entry (vma, &mapping->areas, shared)
		if (writes_to_file(vma))
			error = -EBUSY;
	if (!error)
		mapping->deny_shared = true;
	mutex_unlock(&mapping->lock);
	return error;
}

void vma_link_mapping(struct vm_area_struct *vma, struct vm_area_struct *after)
{
	struct vm_mapping *mapping = vma->vm_mapping;

	if (!mapping)
		return;
	mutex_lock(&mapping->lock);
	WRITE_ONCE(mapping->unmap, unmap_mapping_range);
	list_add(&vma->shared, after ? &after->shared : &mapping->areas);
	mutex_unlock(&mapping->lock);
}

void vma_unlink_mapping(struct vm_area_struct *vma)
{
	struct vm_mapping *mapping = vma->vm_mapping;

	if (!mapping)
		return;
	mutex_lock(&mapping->lock);
	list_del_init(&vma->shared);
	mutex_unlock(&mapping->lock);
}

void insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma)
{
	mmap_assert_write_locked(mm);
	vma_insert(mm, vma);
	vma_link_mapping(vma, NULL);
}

int vma_link_new(struct mm_struct *mm, struct vm_area_struct *vma)
{
	struct vm_mapping *mapping = vma->vm_mapping;
	bool denied = false;

	mmap_assert_write_locked(mm);
	if (mapping) {
		mutex_lock(&mapping->lock);
		denied = mapping->deny_shared && writes_to_file(vma);
		WRITE_ONCE(mapping->unmap, unmap_mapping_range);
		if (!denied)
			list_add(&vma->shared, &mapping->areas);
		mutex_unlock(&mapping->lock);
	}
	if (denied)
		return -EPERM;
	vma_insert(mm, vma);
	return 0;
}

void remove_vma(struct vm_area_struct *vma)
{
	if (vma->vm_ops && vma->vm_ops->close)
		vma->vm_ops->close(vma);
	if (vma->vm_file)
		vm_file_hooks->fput_deferred(vma->vm_file);
	vm_area_free(vma);
}

void vma_set_range(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		   unsigned long pgoff)
{
	if (vma->vm_mapping)
		mutex_lock(&vma->vm_mapping->lock);
	vma->vm_start = start;
	vma->vm_end = end;
	vma->vm_pgoff = pgoff;
	if (vma->vm_mapping)
		mutex_unlock(&vma->vm_mapping->lock);
}

/* A copy of vma with the range [start, end), which the caller inserts. NULL: memory is short. */
static struct vm_area_struct *vma_part(struct vm_area_struct *vma, unsigned long start,
				       unsigned long end)
{
	struct vm_area_struct *part = vm_area_dup(vma);

	if (!part)
		return NULL;
	part->vm_start = start;
	part->vm_end = end;
	part->vm_pgoff += (start - vma->vm_start) >> PAGE_SHIFT;
	if (part->vm_file)
		vm_file_hooks->get_file(part->vm_file);
	if (part->vm_ops && part->vm_ops->open)
		part->vm_ops->open(part);
	return part;
}

int split_vma(struct vm_area_struct *vma, unsigned long addr)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vm_area_struct *upper;

	mmap_assert_write_locked(mm);
	if (vma->vm_ops && vma->vm_ops->whole)
		return -EINVAL;
	if (mm->map_count >= READ_ONCE(sysctl_max_map_count))
		return -ENOMEM;
	upper = vma_part(vma, addr, vma->vm_end);
	if (!upper)
		return -ENOMEM;
	/*
	 * The new area is in the list of the mapping before the old one shrinks: so
	 * unmap_mapping_range() misses no page. It may come to a page twice.
	 */
	vma_link_mapping(upper, vma);
	vma_set_range(vma, vma->vm_start, addr, vma->vm_pgoff);
	vma_insert(mm, upper);
	return 0;
}

/* Whether two neighbours, a below b, can be one area. */
static bool can_merge(const struct vm_area_struct *a, const struct vm_area_struct *b)
{
	if (!a || !b || a->vm_end != b->vm_start || a->vm_flags != b->vm_flags ||
	    a->vm_file != b->vm_file || a->vm_ops != b->vm_ops ||
	    a->vm_private_data != b->vm_private_data || (a->vm_flags & VM_IO))
		return false;
	if (a->vm_ops && a->vm_ops->close)
		return false; /* its owner counts areas */
	return !a->vm_file || a->vm_pgoff + vma_pages(a) == b->vm_pgoff;
}

/* a takes over the range of b, and b goes. */
static void absorb(struct vm_area_struct *a, struct vm_area_struct *b)
{
	vma_erase(a->vm_mm, b);
	vma_set_range(a, a->vm_start, b->vm_end, a->vm_pgoff);
	vma_unlink_mapping(b);
	if (b->vm_file)
		vm_file_hooks->fput(b->vm_file);
	vm_area_free(b);
}

struct vm_area_struct *vma_merge(struct vm_area_struct *vma)
{
	struct vm_area_struct *prev = vma->vm_prev;

	mmap_assert_write_locked(vma->vm_mm);
	if (can_merge(vma, vma->vm_next))
		absorb(vma, vma->vm_next);
	if (can_merge(prev, vma)) {
		absorb(prev, vma);
		return prev;
	}
	return vma;
}

static bool is_stack(unsigned long flags)
{
	return flags & VM_GROWSDOWN;
}

static bool is_data(unsigned long flags)
{
	return (flags & (VM_WRITE | VM_SHARED | VM_GROWSDOWN)) == VM_WRITE;
}

void vm_stat_account(struct mm_struct *mm, unsigned long flags, long pages)
{
	mm->total_vm += (unsigned long)pages;
	if (is_stack(flags))
		mm->stack_vm += (unsigned long)pages;
	else if (is_data(flags))
		mm->data_vm += (unsigned long)pages;
	else if ((flags & (VM_EXEC | VM_WRITE)) == VM_EXEC)
		mm->exec_vm += (unsigned long)pages;
	if (flags & VM_LOCKED)
		mm->locked_vm += (unsigned long)pages;
	mm->hiwater_vm = max(mm->hiwater_vm, mm->total_vm);
}

bool may_expand_vm(const struct mm_struct *mm, unsigned long flags, unsigned long npages)
{
	if (mm->total_vm + npages > rlimit(RLIMIT_AS) >> PAGE_SHIFT)
		return false;
	return !is_data(flags) || mm->data_vm + npages <= rlimit(RLIMIT_DATA) >> PAGE_SHIFT;
}

/*
 * Readers of mmap_lock may be here at the same time, for the same stack, so page_table_lock
 * protects the change.
 */
int expand_stack(struct vm_area_struct *vma, unsigned long addr)
{
	struct mm_struct *mm = vma->vm_mm;
	const struct vm_area_struct *prev = vma->vm_prev;
	unsigned long grow;
	bool grown = false;
	int error = -ENOMEM;

	mmap_assert_locked(mm);
	addr &= PAGE_MASK;
	if (prev && !is_stack(prev->vm_flags) && (prev->vm_flags & VM_ACCESS_FLAGS) &&
	    addr < prev->vm_end + STACK_GUARD_GAP)
		return -ENOMEM;
	if (addr < MMAP_MIN_ADDR || (prev && addr < prev->vm_end))
		return -ENOMEM;
	spin_lock(&mm->page_table_lock);
	if (addr >= vma->vm_start) {
		error = 0; /* another thread has done it */
		goto unlock;
	}
	grow = (vma->vm_start - addr) >> PAGE_SHIFT;
	if (vma->vm_end - addr > rlimit(RLIMIT_STACK) || grow > vma->vm_pgoff ||
	    !may_expand_vm(mm, vma->vm_flags, grow))
		goto unlock;
	if ((vma->vm_flags & VM_LOCKED) && check_mlock_limit(mm, grow))
		goto unlock;
	if ((vma->vm_flags & VM_ACCOUNT) && vm_enough_memory(grow))
		goto unlock;
	vma->vm_pgoff -= grow;
	vma->vm_start = addr;
	vm_stat_account(mm, vma->vm_flags, (long)grow);
	error = 0;
	grown = true;
unlock:
	spin_unlock(&mm->page_table_lock);
	if (grown)
		trace_vma_map(vma);
	return error;
}

struct vm_area_struct *split_ends(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct vm_area_struct *vma = find_vma(mm, start), *last;
	int error;

	if (!vma || vma->vm_start >= end)
		return NULL;
	for (last = vma; last && last->vm_start < end; last = last->vm_next)
		if (last->vm_ops && last->vm_ops->sealed)
			return ERR_PTR(-EPERM);
	if (vma->vm_start < start) {
		if (end < vma->vm_end && mm->map_count >= READ_ONCE(sysctl_max_map_count) - 1)
			return ERR_PTR(
				-ENOMEM); /* two splits: none, if there is no room for both */
		error = split_vma(vma, start);
		if (error)
			return ERR_PTR(error);
		vma = vma->vm_next;
	}
	last = find_vma(mm, end);
	if (last && last->vm_start < end) {
		error = split_vma(last, end);
		if (error)
			return ERR_PTR(error);
	}
	return vma;
}

int do_munmap(struct mm_struct *mm, unsigned long addr, unsigned long len)
{
	struct vm_area_struct *vma, *first, *prev, *next;
	struct mmu_gather tlb;
	unsigned long end;

	mmap_assert_write_locked(mm);
	len = page_align(len);
	if ((addr & ~PAGE_MASK) || !len || addr > TASK_SIZE_MAX || len > TASK_SIZE_MAX - addr)
		return -EINVAL;
	end = addr + len;
	first = split_ends(mm, addr, end);
	if (!first)
		return 0;
	if (IS_ERR(first))
		return (int)PTR_ERR(first);
	prev = first->vm_prev;
	tlb_gather(&tlb, mm);
	for (vma = first; vma && vma->vm_start < end; vma = next) {
		next = vma->vm_next;
		vma_erase(mm, vma); /* vm_next stays: the areas remain a list */
		vm_stat_account(mm, vma->vm_flags, -(long)vma_pages(vma));
		if (vma->vm_flags & VM_ACCOUNT)
			vm_unacct_memory(vma_pages(vma));
		zap_page_range(&tlb, vma->vm_start, vma->vm_end, true);
	}
	free_pgtables(&tlb, addr, end, prev ? prev->vm_end : 0, vma ? vma->vm_start : 0);
	tlb_finish(&tlb);
	mm->search_top = max(mm->search_top, min(end, mm->mmap_base));
	next = vma;
	for (vma = first; vma != next; vma = prev) {
		prev = vma->vm_next;
		vma_unlink_mapping(vma); /* no CPU writes to the file any more: for F_SEAL_WRITE */
		remove_vma(vma);
	}
	return 0;
}

int vma_set_flags(struct vm_area_struct **vmap, unsigned long start, unsigned long end,
		  unsigned long flags)
{
	struct vm_area_struct *vma = *vmap;
	struct mm_struct *mm = vma->vm_mm;
	int error;

	if (flags == vma->vm_flags)
		return 0;
	if (start > vma->vm_start) {
		error = split_vma(vma, start);
		if (error)
			return error;
		vma = vma->vm_next;
	}
	if (end < vma->vm_end) {
		error = split_vma(vma, end);
		if (error)
			return error;
	}
	vm_stat_account(mm, vma->vm_flags, -(long)vma_pages(vma));
	vma->vm_flags = flags;
	vma->vm_page_prot = vm_get_page_prot(flags);
	vm_stat_account(mm, flags, (long)vma_pages(vma));
	*vmap = vma;
	return 0;
}
