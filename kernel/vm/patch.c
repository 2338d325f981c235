/* Patches of files in the memory of programs. See patch.h. */
#include "kernel/vm/patch.h"

#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/vm/internal.h"

#define INT3 0xcc

static struct vm_patch *rb_patch(const struct rb_node *node)
{
	return node ? rb_entry(node, struct vm_patch, node) : NULL;
}

static u64 page_of(const struct vm_patch *patch)
{
	return patch->offset >> PAGE_SHIFT;
}

/* The first patch at offset or above; the lock of the mapping is held, as below. */
static struct vm_patch *first_patch(const struct vm_mapping *mapping, u64 offset)
{
	struct rb_node *node = mapping->patches.rb_node;
	struct vm_patch *found = NULL;

	while (node) {
		if (rb_patch(node)->offset >= offset) {
			found = rb_patch(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

static void insert_patch(struct vm_mapping *mapping, struct vm_patch *patch)
{
	struct rb_node **link = &mapping->patches.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = patch->offset < rb_patch(parent)->offset ? &parent->rb_left
								: &parent->rb_right;
	}
	rb_link_node(&patch->node, parent, link);
	rb_insert_color(&patch->node, &mapping->patches);
}

static bool is_private(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_SHARED | VM_MAYSHARE));
}

/*
 * A program may write its own code into an area that it may write to, so there are no breakpoints.
 * mprotect() puts them in when it takes the right to write away.
 */
static bool wants_patch(const struct vm_area_struct *vma, const struct vm_patch *patch)
{
	return patch->kind == VM_PATCH_COUNTER ||
	       ((vma->vm_flags & (VM_MAYEXEC | VM_WRITE)) == VM_MAYEXEC &&
		(!patch->wanted || patch->wanted(patch, vma->vm_mm)));
}

static u8 *place_of(const struct page *page, const struct vm_patch *patch)
{
	return (u8 *)page_address(page) + (patch->offset & ~PAGE_MASK);
}

/* Programs may execute the byte and write to the counter at the same time. */
static void write_patch(struct page *page, const struct vm_patch *patch, bool add)
{
	u8 *at = place_of(page, patch);

	if (patch->kind == VM_PATCH_COUNTER)
		__atomic_fetch_add((u16 *)at, add ? 1 : (u16)-1, __ATOMIC_SEQ_CST);
	else if (add)
		WRITE_ONCE(*at, INT3);
	else if (READ_ONCE(*at) == INT3)
		WRITE_ONCE(*at, patch->opcode);
}

/*
 * A counter must change exactly once in each page, but the walk may come to a page twice, if a fork
 * or an mremap() happens during it. So the index of a private page is the generation of its
 * counters.
 */
static bool is_done(const struct page *page, const struct vm_patch *patch, unsigned long generation)
{
	return patch->kind == VM_PATCH_COUNTER && page->index >= generation;
}

/* vm_patch_ops.page_is_patched */
static bool vm_patch_page_is_patched(const struct vm_area_struct *vma, unsigned long pgoff)
{
	const struct vm_patch *patch = first_patch(vma->vm_mapping, (u64)pgoff << PAGE_SHIFT);

	for (; patch && page_of(patch) == pgoff; patch = rb_patch(rb_next(&patch->node)))
		if (wants_patch(vma, patch))
			return true;
	return false;
}

/* vm_patch_ops.patch_page */
static void vm_patch_page(const struct vm_area_struct *vma, unsigned long pgoff, struct page *page)
{
	const struct vm_patch *patch = first_patch(vma->vm_mapping, (u64)pgoff << PAGE_SHIFT);

	page->index = vma->vm_mapping->unmap_seq;
	for (; patch && page_of(patch) == pgoff; patch = rb_patch(rb_next(&patch->node)))
		if (wants_patch(vma, patch))
			write_patch(page, patch, true);
}

/* The private page at addr, or NULL: there is none. page_table_lock held. */
static struct page *private_page(const struct vm_area_struct *vma, unsigned long addr, u64 **ptep)
{
	u64 *pte = user_pte(vma->vm_mm, addr);

	*ptep = pte;
	if (!pte || !*pte || (*pte & _PAGE_SPECIAL) || page_kind(pte_page(*pte)) != MM_ANONPAGES)
		return NULL;
	return pte_page(*pte);
}

/* The rest of the work after an int3 has been written or removed: CPUs that run the program. */
static void serialize_cpus(struct mm_struct *mm, unsigned long addr)
{
	flush_tlb_mm_range(mm, addr, addr + PAGE_SIZE, false);
}

/*
 * Gives this address space its own copy, *spare, of a page that others show, too: so nobody copies
 * a page while its counter changes. page_table_lock held.
 */
static struct page *unshare(struct vm_area_struct *vma, unsigned long addr, u64 *pte,
			    struct page *old, struct page **spare)
{
	struct page *copy = *spare;
	u64 entry = *pte;

	*spare = NULL;
	copy->index = old->index;
	/* The entry may be writable: the copy has what other threads have written until now. */
	set_pte(pte, 0);
	flush_tlb_mm_range(vma->vm_mm, addr, addr + PAGE_SIZE, false);
	memcpy(page_address(copy), page_address(old), PAGE_SIZE);
	set_pte(pte, (entry & ~PTE_PFN_MASK) | page_to_phys(copy));
	put_page(old);
	return copy;
}

/* What the walk through the areas of a file does. */
struct patch_walk {
	const struct vm_patch *patch;
	const struct page *original; /* of the file; NULL: leave private pages where they are */
	struct page *spare;          /* for unshare() */
	unsigned long generation;
	bool add;
	bool update; /* take the patch back where it is not wanted */
};

/* Whether the page is as the file's, so that it need not be private. page_table_lock held. */
static bool is_original(const struct patch_walk *walk, const struct page *page, u64 entry)
{
	return walk->original && !(entry & _PAGE_RW) &&
	       !memcmp(page_address(page), page_address(walk->original), PAGE_SIZE);
}

/* Removes a private page that is like the file's: the next fault shows that one. */
static void drop_private(struct vm_area_struct *vma, unsigned long addr, u64 *pte)
{
	set_pte(pte, 0);
	vma->vm_mm->rss[MM_ANONPAGES]--;
	flush_tlb_mm_range(vma->vm_mm, addr, addr + PAGE_SIZE, false);
}

/* Whether other address spaces that show the page keep it as it is. */
static bool is_for_one(const struct patch_walk *walk, bool add)
{
	return walk->patch->kind == VM_PATCH_COUNTER || (walk->update && !add);
}

/*
 * Patches the page at addr, or takes the patch back. After a fork others may show the page. Without
 * memory for an own one the counters of all change together, and all keep a breakpoint.
 */
static void patch_page(struct patch_walk *walk, struct vm_area_struct *vma, unsigned long addr,
		       bool add)
{
	const struct vm_patch *patch = walk->patch;
	struct page *page, *unused = NULL;
	struct mm_struct *mm = vma->vm_mm;
	u64 *pte;

	if (is_for_one(walk, add) && !walk->spare)
		walk->spare = alloc_user_page(GFP_KERNEL, MM_ANONPAGES);
	spin_lock(&mm->page_table_lock);
	page = private_page(vma, addr, &pte);
	if (page && !is_done(page, patch, walk->generation)) {
		bool shared = is_for_one(walk, add) && page_count(page) > 1;

		if (shared && walk->spare)
			page = unshare(vma, addr, pte, page, &walk->spare);
		if (!shared || page_count(page) == 1 || patch->kind == VM_PATCH_COUNTER)
			write_patch(page, patch, add);
		page->index = max(page->index, walk->generation);
		serialize_cpus(mm, addr);
	}
	if (page && is_original(walk, page, *pte)) {
		drop_private(vma, addr, pte);
		unused = page;
	}
	spin_unlock(&mm->page_table_lock);
	if (unused)
		put_page(unused);
}

static void zap_file_page(struct vm_area_struct *vma, unsigned long addr)
{
	struct mmu_gather tlb;

	tlb_gather(&tlb, vma->vm_mm);
	zap_page_range(&tlb, addr, addr + PAGE_SIZE, false);
	tlb_finish(&tlb);
}

static void walk_areas(struct patch_walk *walk, struct vm_mapping *mapping)
{
	const struct vm_patch *patch = walk->patch;
	struct vm_area_struct *vma;

	list_for_each_entry (vma, &mapping->areas, shared) {
		u64 pgoff = page_of(patch);
		unsigned long addr;
		bool add;

		if (!is_private(vma) || pgoff < vma->vm_pgoff ||
		    pgoff - vma->vm_pgoff >= vma_pages(vma))
			continue;
		addr = vma->vm_start + ((pgoff - vma->vm_pgoff) << PAGE_SHIFT);
		add = walk->add && wants_patch(vma, patch);
		if (walk->add && !add && !walk->update)
			continue;
		if (add)
			zap_file_page(vma, addr);
		patch_page(walk, vma, addr, add);
	}
	if (walk->spare)
		put_page(walk->spare);
}

/*
 * A fault either has read nr_patches and waits for the lock, or has read it too early; then its
 * unmap_seq is too old, and it installs nothing after the walk.
 */
static unsigned long next_generation(struct vm_mapping *mapping)
{
	return __atomic_add_fetch(&mapping->unmap_seq, 1, __ATOMIC_SEQ_CST);
}

void vm_patch_add(struct vm_mapping *mapping, struct vm_patch *patch)
{
	struct patch_walk walk = { .patch = patch, .add = true };

	mutex_lock(&mapping->lock);
	insert_patch(mapping, patch);
	WRITE_ONCE(mapping->nr_patches, mapping->nr_patches + 1);
	walk.generation = next_generation(mapping);
	walk_areas(&walk, mapping);
	mutex_unlock(&mapping->lock);
}

/* Whether the page of patch has another patch. The lock of the mapping is held. */
static bool has_neighbour(const struct vm_mapping *mapping, const struct vm_patch *patch)
{
	const struct vm_patch *other = first_patch(mapping, patch->offset & PAGE_MASK);

	if (other == patch)
		other = rb_patch(rb_next(&patch->node));
	return other && page_of(other) == page_of(patch);
}

void vm_patch_update(struct vm_mapping *mapping, const struct vm_patch *patch,
		     const struct page *original)
{
	struct patch_walk walk = { .patch = patch, .add = true, .update = true };

	mutex_lock(&mapping->lock);
	walk.generation = next_generation(mapping);
	if (!has_neighbour(mapping, patch))
		walk.original = original;
	walk_areas(&walk, mapping);
	mutex_unlock(&mapping->lock);
}

void vm_patch_remove(struct vm_mapping *mapping, struct vm_patch *patch,
		     const struct page *original)
{
	struct patch_walk walk = { .patch = patch };

	mutex_lock(&mapping->lock);
	if (!has_neighbour(mapping, patch))
		walk.original = original;
	rb_erase(&patch->node, &mapping->patches);
	WRITE_ONCE(mapping->nr_patches, mapping->nr_patches - 1);
	walk.generation = next_generation(mapping);
	walk_areas(&walk, mapping);
	mutex_unlock(&mapping->lock);
}

/* vm_patch_ops.patch_area */
static void vm_patch_area(struct vm_area_struct *vma)
{
	struct vm_mapping *mapping = vma->vm_mapping;
	struct patch_walk walk = { .add = true };
	struct vm_patch *patch;

	if (!is_private(vma))
		return;
	mutex_lock(&mapping->lock);
	patch = first_patch(mapping, (u64)vma->vm_pgoff << PAGE_SHIFT);
	for (; patch && page_of(patch) - vma->vm_pgoff < vma_pages(vma);
	     patch = rb_patch(rb_next(&patch->node))) {
		unsigned long addr =
			vma->vm_start + ((page_of(patch) - vma->vm_pgoff) << PAGE_SHIFT);

		if (patch->kind != VM_PATCH_BREAKPOINT || !wants_patch(vma, patch))
			continue;
		walk.patch = patch;
		zap_file_page(vma, addr);
		patch_page(&walk, vma, addr, true);
	}
	mutex_unlock(&mapping->lock);
}

static int __init vm_patch_init(void)
{
	vm_patch_ops.page_is_patched = vm_patch_page_is_patched;
	vm_patch_ops.patch_page = vm_patch_page;
	vm_patch_ops.patch_area = vm_patch_area;
	return 0;
}
core_initcall(vm_patch_init);
