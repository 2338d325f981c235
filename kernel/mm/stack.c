/*
 * Kernel stacks: slots of equal size in an area of their own, with unmapped memory around each
 * stack.
 *
 * Because slots have equal size, an address alone tells whether it is in a guard, without a lock.
 * The report of a stack overflow needs that.
 *
 * Freed stacks stay mapped, for reuse. They wait on lists, linked through their lowest bytes: a few
 * on a list of each CPU, the others on a shared list. If the shared list becomes too long, a
 * kworker unmaps the stacks, because unmapping needs interrupts on and a TLB flush on all CPUs.
 */
#include "kernel/mm/stack.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/lib/bitops.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/vmalloc.h"

#define CPU_STACKS     2U  /* on the list of each CPU */
#define SHARED_STACKS  16U /* on the shared list; or 1/128 of the memory, if that is more */
#define UNMAP_BATCH    16U /* unmapped with one TLB flush */
#define PAGES_IN_STACK (THREAD_SIZE / PAGE_SIZE)

/* Lies in the lowest bytes of a freed stack. */
struct free_stack {
	struct free_stack *next;
};

struct stack_list {
	struct free_stack *head;
	unsigned count;
};

static DEFINE_PER_CPU(struct stack_list, cpu_stacks); /* this CPU only, interrupts off */
static DEFINE_SPINLOCK(stack_lock);                   /* interrupts off */
static struct stack_list shared_stacks;               /* [stack_lock] */
static DECLARE_BITMAP(used_slots, STACK_SLOTS); /* [stack_lock] mapped, whether in use or free */
static unsigned first_free_slot;                /* [stack_lock] all slots below it are used */
static unsigned long mapped_slots;              /* [stack_lock] */

void (*spare_stacks_hook)(void);

unsigned long kernel_stack_pages(void)
{
	return READ_ONCE(mapped_slots) * PAGES_IN_STACK;
}

static void push(struct stack_list *list, void *stack)
{
	struct free_stack *entry = stack;

	entry->next = list->head;
	list->head = entry;
	list->count++;
}

static void *pop(struct stack_list *list)
{
	struct free_stack *entry = list->head;

	if (entry) {
		list->head = entry->next;
		list->count--;
	}
	return entry;
}

static unsigned max_shared(void)
{
	return max(SHARED_STACKS, (unsigned)(total_pages() / 128 / PAGES_IN_STACK));
}

static unsigned long slot_stack(unsigned slot)
{
	return STACK_AREA_START + slot * STACK_SLOT_SIZE + STACK_GUARD_SIZE;
}

static unsigned stack_slot(unsigned long stack)
{
	return (unsigned)((stack - STACK_AREA_START) / STACK_SLOT_SIZE);
}

/* Takes a free slot. STACK_SLOTS: none. */
static unsigned take_slot(void)
{
	unsigned long flags;
	unsigned slot;

	spin_lock_irqsave(&stack_lock, flags);
	slot = find_next_zero_bit(used_slots, STACK_SLOTS, first_free_slot);
	first_free_slot = slot;
	if (slot < STACK_SLOTS) {
		set_bit(slot, used_slots);
		mapped_slots++;
	}
	spin_unlock_irqrestore(&stack_lock, flags);
	return slot;
}

static void give_slot(unsigned slot)
{
	unsigned long flags;

	spin_lock_irqsave(&stack_lock, flags);
	clear_bit(slot, used_slots);
	first_free_slot = min(first_free_slot, slot);
	mapped_slots--;
	spin_unlock_irqrestore(&stack_lock, flags);
}

/* Unmaps stacks, and frees their pages and slots. Interrupts on. */
static void unmap_stacks(const unsigned long *stacks, unsigned count)
{
	unsigned long start = ~0UL, end = 0;
	struct page *page, *next;
	LIST_HEAD(pages);

	for (unsigned i = 0; i < count; i++) {
		unsigned long stack = stacks[i];

		for (unsigned n = 0; n < PAGES_IN_STACK; n++) {
			phys_addr_t phys = kernel_virt_to_phys(stack + n * PAGE_SIZE);

			if (phys != ~0UL)
				list_add(&phys_to_page(phys)->lru, &pages);
		}
		clear_kernel_range(stack, stack + THREAD_SIZE);
		start = min(start, stack);
		end = max(end, stack + THREAD_SIZE);
	}
	flush_tlb_kernel_range(start, end);
	list_for_each_entry_safe (page, next, &pages, lru)
		free_pages(page, 0);
	for (unsigned i = 0; i < count; i++)
		give_slot(stack_slot(stacks[i]));
}

static void *map_new_stack(void)
{
	unsigned slot = take_slot();
	unsigned long stack = slot_stack(slot);

	if (slot == STACK_SLOTS)
		return NULL;
	for (unsigned long offset = 0; offset < THREAD_SIZE; offset += PAGE_SIZE) {
		struct page *page = alloc_pages(GFP_KERNEL, 0);

		if (page && map_kernel_page(stack + offset, page_to_phys(page), PAGE_KERNEL)) {
			free_pages(page, 0);
			page = NULL;
		}
		if (!page) {
			unmap_stacks(&stack, 1);
			return NULL;
		}
	}
	return (void *)stack;
}

void *alloc_thread_stack(void)
{
	unsigned long flags;
	void *stack;

	local_irq_save(flags);
	stack = pop(this_cpu_ptr(&cpu_stacks));
	if (!stack) {
		spin_lock(&stack_lock);
		stack = pop(&shared_stacks);
		spin_unlock(&stack_lock);
	}
	local_irq_restore(flags);
	return stack ? stack : map_new_stack();
}

void free_thread_stack(void *stack)
{
	struct stack_list *list;
	unsigned long flags;
	bool too_many = false;

	local_irq_save(flags);
	list = this_cpu_ptr(&cpu_stacks);
	if (list->count < CPU_STACKS) {
		push(list, stack);
	} else {
		spin_lock(&stack_lock);
		push(&shared_stacks, stack);
		too_many = shared_stacks.count > max_shared() + UNMAP_BATCH;
		spin_unlock(&stack_lock);
	}
	local_irq_restore(flags);
	if (too_many && READ_ONCE(spare_stacks_hook))
		spare_stacks_hook();
}

void unmap_spare_stacks(void)
{
	unsigned long stacks[UNMAP_BATCH];
	unsigned count;

	do {
		spin_lock_irq(&stack_lock);
		for (count = 0; count < UNMAP_BATCH && shared_stacks.count > max_shared(); count++)
			stacks[count] = (unsigned long)pop(&shared_stacks);
		spin_unlock_irq(&stack_lock);
		if (count)
			unmap_stacks(stacks, count);
	} while (count == UNMAP_BATCH);
}

bool is_stack_guard(const void *addr)
{
	unsigned long a = (unsigned long)addr, offset = a % STACK_SLOT_SIZE;

	if (a < STACK_AREA_START || a >= STACK_AREA_END)
		return false;
	BUILD_BUG_ON(STACK_AREA_START % STACK_SLOT_SIZE != 0);
	return (offset < STACK_GUARD_SIZE || offset >= STACK_GUARD_SIZE + THREAD_SIZE) &&
	       test_bit(stack_slot(a), used_slots);
}
