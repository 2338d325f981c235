/*
 * Shared memory without a file. Processes that fork() has made see the same pages.
 *
 * The areas refer to one object, which has the pages, in an array of two levels. A page is
 * allocated by the first fault, and stays until the last area is gone.
 */
#include "kernel/vm/shared_anon.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/vm/internal.h"

#define LEAF_PAGES (PAGE_SIZE / sizeof(struct page *))

struct shared_anon {
	atomic_t areas;       /* [A] areas that show it */
	unsigned long npages; /* [C] */
	bool accounted;       /* [C] promised memory */
	struct mutex lock;    /* the pages: inside mmap_lock */
	struct page **
		*leaves; /* [lock] npages / LEAF_PAGES pointers to arrays; NULL: no page yet */
};

static unsigned long nr_leaves(const struct shared_anon *object)
{
	return DIV_ROUND_UP(object->npages, LEAF_PAGES);
}

static void shared_anon_open(struct vm_area_struct *vma)
{
	struct shared_anon *object = vma->vm_private_data;

	atomic_inc(&object->areas);
}

static void shared_anon_close(struct vm_area_struct *vma)
{
	struct shared_anon *object = vma->vm_private_data;

	if (!atomic_dec_and_test(&object->areas))
		return;
	for (unsigned long i = 0; i < nr_leaves(object); i++) {
		struct page **leaf = object->leaves[i];

		for (unsigned long j = 0; leaf && j < LEAF_PAGES; j++)
			if (leaf[j])
				put_page(leaf[j]);
		free_page(leaf);
	}
	if (object->accounted)
		vm_unacct_memory(object->npages);
	kvfree(object->leaves);
	kfree(object);
}

/* The page with that number, allocated if there is none. NULL: memory is short. lock held. */
static struct page *find_or_add_page(struct shared_anon *object, unsigned long index)
{
	struct page ***leaf = &object->leaves[index / LEAF_PAGES];
	struct page **page;

	if (!*leaf)
		*leaf = get_free_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!*leaf)
		return NULL;
	page = &(*leaf)[index % LEAF_PAGES];
	if (!*page)
		*page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);
	return *page;
}

static unsigned shared_anon_fault(struct vm_fault *vmf)
{
	struct shared_anon *object = vmf->vma->vm_private_data;

	if (vmf->pgoff >= object->npages)
		return VM_FAULT_SIGBUS;
	mutex_lock(&object->lock);
	vmf->page = find_or_add_page(object, vmf->pgoff);
	mutex_unlock(&object->lock);
	if (!vmf->page)
		return VM_FAULT_OOM;
	get_page(vmf->page); /* the object's own reference stays as long as the area */
	return 0;
}

static const char *shared_anon_name(struct vm_area_struct *vma __unused)
{
	return "/dev/zero (deleted)";
}

static const struct vm_operations_struct shared_anon_ops = {
	.open = shared_anon_open,
	.close = shared_anon_close,
	.fault = shared_anon_fault,
	.name = shared_anon_name,
};

int shared_anon_setup(struct vm_area_struct *vma)
{
	struct shared_anon *object = kzalloc(sizeof(*object), GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	object->npages = vma_pages(vma);
	object->accounted = !(vma->vm_flags & VM_NORESERVE);
	if (object->accounted && vm_enough_memory(object->npages))
		goto free;
	object->leaves = kvzalloc(nr_leaves(object) * sizeof(*object->leaves), GFP_KERNEL);
	if (!object->leaves)
		goto unaccount;
	atomic_set(&object->areas, 1);
	mutex_init(&object->lock);
	vma->vm_ops = &shared_anon_ops;
	vma->vm_private_data = object;
	vma->vm_pgoff = 0;
	return 0;
unaccount:
	if (object->accounted)
		vm_unacct_memory(object->npages);
free:
	kfree(object);
	return -ENOMEM;
}

bool is_shared_anon(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &shared_anon_ops;
}

void shared_anon_clear(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct shared_anon *object = vma->vm_private_data;
	unsigned long first = vma->vm_pgoff + ((start - vma->vm_start) >> PAGE_SHIFT);

	for (unsigned long i = first; i < first + ((end - start) >> PAGE_SHIFT); i++) {
		struct page **leaf;

		if (i >= object->npages)
			break;
		mutex_lock(&object->lock);
		leaf = object->leaves[i / LEAF_PAGES];
		if (leaf && leaf[i % LEAF_PAGES])
			memset(page_address(leaf[i % LEAF_PAGES]), 0, PAGE_SIZE);
		mutex_unlock(&object->lock);
	}
}
