/*
 * Shared memory without a file. Processes that fork() has made see the same pages.
 *
 * The areas refer to one object, which has the pages. They are the leaves of a tree of tables with
 * 512 pointers. Page and tables are allocated by the first fault at a place, so a mapping of 10 TB
 * costs nothing before it is used. They stay until the last area is gone.
 */
#include "kernel/vm/shared_anon.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/vm/internal.h"

#define TABLE_BITS 9
#define TABLE_SIZE (1UL << TABLE_BITS)

struct shared_anon {
	atomic_t areas;         /* [A] areas that show it */
	unsigned long npages;   /* [C] */
	unsigned height;        /* [C] levels of tables */
	bool accounted;         /* [C] promised memory */
	struct mutex lock;      /* the tree: inside mmap_lock */
	void *root;             /* [lock] a struct page (height 0), or a table; NULL: none yet */
	unsigned long nr_pages; /* [lock] to write: pages and tables in the tree */
};

static void shared_anon_open(struct vm_area_struct *vma)
{
	struct shared_anon *object = vma->vm_private_data;

	atomic_inc(&object->areas);
}

/* Frees what is below a slot of that level. The recursion is at most 4 deep. */
static void free_tree(void *node, unsigned level)
{
	void **table = node;

	if (!node)
		return;
	if (!level) {
		put_page(node);
		return;
	}
	for (unsigned long i = 0; i < TABLE_SIZE; i++)
		free_tree(table[i], level - 1);
	free_page(table);
	cond_resched();
}

static void shared_anon_close(struct vm_area_struct *vma)
{
	struct shared_anon *object = vma->vm_private_data;

	if (!atomic_dec_and_test(&object->areas))
		return;
	free_tree(object->root, object->height);
	if (object->accounted)
		vm_unacct_memory(object->npages);
	kfree(object);
}

/*
 * The place of a page. add: with the tables that it lacks. If a table is missing, the place of that
 * table, which is empty. *span: the pages below the place. lock held.
 */
static void **find_slot(struct shared_anon *object, unsigned long index, bool add,
			unsigned long *span)
{
	unsigned bits = TABLE_BITS * object->height;
	void **slot = &object->root;

	for (; bits; bits -= TABLE_BITS) {
		if (!*slot && add) {
			*slot = get_free_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
			object->nr_pages += *slot != NULL;
		}
		if (!*slot)
			break;
		slot = (void **)*slot + (index >> (bits - TABLE_BITS)) % TABLE_SIZE;
	}
	*span = 1UL << bits;
	return slot;
}

/* The page with that number, allocated if there is none. NULL: memory is short. lock held. */
static struct page *find_or_add_page(struct shared_anon *object, unsigned long index)
{
	unsigned long span;
	void **slot = find_slot(object, index, true, &span);

	if (span == 1 && !*slot) {
		*slot = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);
		object->nr_pages += *slot != NULL;
	}
	return *slot;
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
	if (object->accounted && vm_enough_memory(object->npages)) {
		kfree(object);
		return -ENOMEM;
	}
	while ((object->npages - 1) >> (TABLE_BITS * object->height))
		object->height++;
	atomic_set(&object->areas, 1);
	mutex_init(&object->lock);
	vma->vm_ops = &shared_anon_ops;
	vma->vm_private_data = object;
	vma->vm_pgoff = 0;
	return 0;
}

bool is_shared_anon(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &shared_anon_ops;
}

void shared_anon_clear(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct shared_anon *object = vma->vm_private_data;
	unsigned long i = vma->vm_pgoff + ((start - vma->vm_start) >> PAGE_SHIFT), span;
	unsigned long stop = min(i + ((end - start) >> PAGE_SHIFT), object->npages);

	/* The area may be 64 TB: where a table is missing, all that is below it is skipped. */
	for (; i < stop && !fatal_signal_pending(current); i = (i | (span - 1)) + 1) {
		void **slot;

		mutex_lock(&object->lock);
		slot = find_slot(object, i, false, &span);
		if (*slot)
			memset(page_address(*slot), 0, PAGE_SIZE);
		mutex_unlock(&object->lock);
		cond_resched();
	}
}

unsigned long shared_anon_pages(const struct vm_area_struct *vma)
{
	const struct shared_anon *object = vma->vm_private_data;

	return READ_ONCE(object->nr_pages) / (unsigned)max(atomic_read(&object->areas), 1);
}
