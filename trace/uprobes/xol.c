/*
 * The page [uprobes] of a process, where tasks execute copies of probed instructions ("xol": out of
 * line). It begins with the trampoline of return probes, an int3. Slots follow.
 *
 * A slot is found by its contents, so a task that comes again to an instruction finds its copy
 * there. Each instruction has WAYS slots in which it may be; one that no task uses is overwritten.
 * The CPU serializes at the IRET that enters a slot, so it sees the new bytes.
 *
 * No other memory ever comes to its place, because signals and stops wait while a task is in a
 * slot: a program that ran its own code there could not be stopped. Linux can seal the page, too
 * (CONFIG_MSEAL_SYSTEM_MAPPINGS).
 *
 * fork() gives the child an area at the same address, for return addresses on its stack: the pages
 * are not copied (VM_WIPEONFORK), and xol_open() makes a new area.
 */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/process.h"
#include "kernel/sched/wait.h"
#include "kernel/mm/user_page.h"
#include "kernel/vm/mm_part.h"
#include "trace/uprobes/internal.h"

#define INT3  0xcc
#define SLOTS (PAGE_SIZE / UPROBE_SLOT_SIZE)
#define WAYS  8U

struct xol_slot {
	unsigned users; /* [xol_area.lock] tasks that execute in it */
};

/* [C] but what is said. The address space owns it. */
struct xol_area {
	unsigned long address;
	struct page *page; /* with a reference */
	u8 *bytes;         /* of the page */
	spinlock_t lock;
	wait_queue_head_t wait;       /* for a slot without users */
	struct xol_slot slots[SLOTS]; /* the first one is the trampoline's, and not used */
};

static struct xol_area *make_area(unsigned long address)
{
	struct xol_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->page = alloc_user_page(GFP_KERNEL, MM_SHMEMPAGES);
	if (!area->page) {
		kfree(area);
		return NULL;
	}
	area->bytes = page_address(area->page);
	memset(area->bytes, INT3, PAGE_SIZE);
	area->address = address;
	spin_lock_init(&area->lock);
	init_waitqueue_head(&area->wait);
	return area;
}

static void free_area(struct xol_area *area)
{
	put_page(area->page);
	kfree(area);
}

/* The area of a child. Without memory it has none, and dies at its next hit. */
static void xol_open(struct vm_area_struct *vma)
{
	if (!vma->vm_mm->xol_area)
		vma->vm_mm->xol_area = make_area(vma->vm_start);
}

static unsigned xol_fault(struct vm_fault *vmf)
{
	const struct xol_area *area = vmf->vma->vm_mm->xol_area;

	if (!area)
		return VM_FAULT_OOM;
	vmf->page = area->page;
	get_page(vmf->page);
	return 0;
}

static const char *xol_name(struct vm_area_struct *vma __unused)
{
	return "[uprobes]";
}

static const struct vm_operations_struct xol_ops = {
	.open = xol_open,
	.fault = xol_fault,
	.name = xol_name,
	.sealed = true,
};

/* mmap_lock held for writing. */
static struct xol_area *map_area(struct mm_struct *mm)
{
	unsigned long address = get_unmapped_area(mm, TASK_SIZE_MAX - PAGE_SIZE, PAGE_SIZE, 0);
	struct xol_area *area;
	struct vm_area_struct *vma;

	if (IS_ERR_VALUE(address))
		return NULL;
	area = make_area(address);
	if (!area)
		return NULL;
	vma = install_special_mapping(mm, address, PAGE_SIZE,
				      VM_EXEC | VM_MAYEXEC | VM_IO | VM_WIPEONFORK, &xol_ops, NULL,
				      NULL);
	if (IS_ERR(vma)) {
		free_area(area);
		return NULL;
	}
	smp_store_release(&mm->xol_area, area);
	return area;
}

struct xol_area *get_xol_area(void)
{
	struct mm_struct *mm = current->mm;
	struct xol_area *area = smp_load_acquire(&mm->xol_area);

	if (likely(area))
		return area;
	mmap_write_lock(mm);
	area = mm->xol_area;
	if (!area)
		area = map_area(mm);
	mmap_write_unlock(mm);
	return area;
}

unsigned long xol_trampoline(const struct xol_area *area)
{
	return area->address;
}

static __always_inline u8 *slot_bytes(const struct xol_area *area, unsigned index)
{
	return area->bytes + index * UPROBE_SLOT_SIZE;
}

unsigned xol_first_slot(const struct arch_uprobe *arch)
{
	u32 hash = 0;

	for (unsigned i = 0; i < UPROBE_SLOT_SIZE; i += 4)
		hash = (hash ^ *(const u32 *)(arch->slot + i)) * 0x9e3779b1U;
	return (hash >> 16) % (SLOTS - WAYS) + 1;
}

static __always_inline bool same(const u8 *a, const u8 *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;

	return x[0] == y[0] && x[1] == y[1];
}

/* A slot with these bytes, or one that gets them; 0: all are in use. area->lock held. */
static unsigned claim_slot(struct xol_area *area, unsigned first, const u8 *bytes)
{
	unsigned unused = 0;

	for (unsigned i = first; i < first + WAYS; i++) {
		if (same(slot_bytes(area, i), bytes))
			return i;
		if (*slot_bytes(area, i) == INT3) { /* never used: so no later one has the bytes */
			unused = i;
			break;
		}
		if (!area->slots[i].users && !unused)
			unused = i;
	}
	if (unused)
		memcpy(slot_bytes(area, unused), bytes, UPROBE_SLOT_SIZE);
	return unused;
}

static __always_inline unsigned try_slot(struct xol_area *area, const struct uprobe *uprobe)
{
	unsigned index = uprobe->first_slot;

	spin_lock(&area->lock);
	if (unlikely(!same(slot_bytes(area, index), uprobe->arch.slot)))
		index = claim_slot(area, index, uprobe->arch.slot);
	area->slots[index].users += index != 0;
	spin_unlock(&area->lock);
	return index;
}

struct xol_slot *get_slot(struct xol_area *area, const struct uprobe *uprobe,
			  unsigned long *address)
{
	unsigned index = try_slot(area, uprobe);

	if (unlikely(!index))
		wait_event(area->wait, (index = try_slot(area, uprobe)) != 0);
	*address = area->address + index * UPROBE_SLOT_SIZE;
	return &area->slots[index];
}

void put_slot(struct xol_area *area, struct xol_slot *slot)
{
	bool unused;

	spin_lock(&area->lock);
	unused = !--slot->users;
	spin_unlock(&area->lock);
	if (!unused)
		return;
	smp_mb(); /* a waiter enters the queue before it looks for a slot */
	if (unlikely(!list_empty(&area->wait.head)))
		wake_up_all(&area->wait);
}

/* The areas that map the page have references of their own. */
static void xol_exit(struct mm_struct *mm)
{
	if (unlikely(mm->xol_area))
		free_area(mm->xol_area);
}

static const struct mm_part xol_mm_part MM_PART(xol) = { .exit = xol_exit };
