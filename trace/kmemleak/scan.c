/*
 * The search for leaks: trace/kmemleak/kmemleak.h.
 *
 * A pass has a number. Objects that it reaches get the number and go to the gray list; then the
 * objects of that list are scanned, until it is empty. The machine runs on meanwhile: a pointer
 * may move from memory that is not yet scanned to memory that is. So a leak is what two passes in
 * turn have not reached, and what is older than a second.
 */
#include "arch/cpu/percpu.h"
#include "arch/mm/pgtable.h"
#include "arch/unwind/maccess.h"
#include "kernel/cpumask.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/stack.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sections.h"
#include "kernel/time/ktime.h"
#include "trace/kmemleak/kmemleak.h"

#define CHUNK_WORDS 64 /* that are looked at with interrupts off */
#define MIN_AGE     1000000000ULL

static LIST_HEAD(gray_list); /* [kmemleak_lock] */
static u32 pass;             /* [kmemleak_mutex] */

/* Marks what the words point to. */
static void mark(const unsigned long *words, size_t count)
{
	unsigned long flags;

	spin_lock_irqsave(&kmemleak_lock, flags);
	for (size_t i = 0; i < count; i++) {
		unsigned long addr = words[i];
		struct kmemleak_object *object;

		if (addr - PAGE_OFFSET >= max_pfn << PAGE_SHIFT)
			continue;
		object = kmemleak_find(addr);
		if (!object || object->start > addr || object->free || object->reached == pass)
			continue;
		object->reached = pass;
		list_move_tail(&object->gray, &gray_list);
	}
	spin_unlock_irqrestore(&kmemleak_lock, flags);
}

/* Scans memory, which may be unmapped meanwhile. start and end are aligned to words. */
static void scan_memory(unsigned long start, unsigned long end)
{
	unsigned long words[CHUNK_WORDS];

	while (start < end) {
		size_t bytes = min(end - start, sizeof(words));

		/* A chunk lies in one page. */
		bytes = min(bytes, ALIGN_DOWN(start, PAGE_SIZE) + PAGE_SIZE - start);
		if (!copy_from_kernel_nofault(words, (const void *)start, bytes))
			mark(words, bytes / sizeof(words[0]));
		start += bytes;
		cond_resched();
	}
}

/*
 * What is writable outside of the direct map: data and vmalloc memory. Not devices, and not the
 * stacks: those of ended tasks stay mapped, and are full of old pointers.
 */
static void scan_mappings(void)
{
	struct page_table_range range = { .end = VMALLOC_START };

	while (range.end && page_table_next_range(range.end, &range)) {
		unsigned long start = range.start;

		if (!(range.prot & _PAGE_RW) || (range.prot & _PAGE_PCD))
			continue;
		if (start < STACK_AREA_END)
			start = min(range.end, STACK_AREA_END);
		scan_memory(start, range.end);
	}
}

struct task_array {
	struct task_struct **tasks; /* counted; NULL: only count them */
	unsigned count, room;
};

/* Tasklist_lock held. */
static void collect_task(struct task_struct *task, void *arg)
{
	struct task_array *array = arg;

	if (array->tasks && array->count < array->room)
		array->tasks[array->count] = get_task_struct(task);
	array->count++;
}

/* The used part of the stack of each task. That of a task that runs is not known: all of it. */
static void scan_stacks(void)
{
	struct task_array array = { NULL, 0, 0 };

	for_all_tasks(collect_task, &array);
	array.room = array.count + array.count / 4; /* some may have come */
	array.count = 0;
	array.tasks = kvzalloc(array.room * sizeof(array.tasks[0]), GFP_KERNEL);
	if (!array.tasks)
		return;
	for_all_tasks(collect_task, &array);
	for (unsigned i = 0; i < min(array.count, array.room); i++) {
		struct task_struct *task = array.tasks[i];
		unsigned long stack = (unsigned long)task->stack;
		unsigned long from =
			READ_ONCE(task->on_cpu) ? stack : (unsigned long)READ_ONCE(task->sp);

		if (from - stack < THREAD_SIZE)
			scan_memory(from, stack + THREAD_SIZE);
		put_task_struct(task);
	}
	kvfree(array.tasks);
}

/* Objects from before kmemleak was on: what no tracked object covers in the pages of slabs. */
static void scan_untracked(unsigned long start, unsigned long end)
{
	while (start < end) {
		unsigned long stop = end, next = end, flags;
		struct kmemleak_object *object;

		spin_lock_irqsave(&kmemleak_lock, flags);
		object = kmemleak_find(start);
		if (object && object->start < end) {
			stop = max(object->start, start);
			next = min(ALIGN(object->start + object->size, 8), end);
		}
		spin_unlock_irqrestore(&kmemleak_lock, flags);
		scan_memory(start, stop);
		start = next;
	}
}

static void scan_roots(bool stacks)
{
	unsigned cpu;

	scan_mappings();
	if (stacks)
		scan_stacks();
	scan_memory((unsigned long)mem_map, (unsigned long)(mem_map + max_pfn));
	for_each_possible_cpu (cpu)
		scan_memory((unsigned long)per_cpu_ptr(&__per_cpu_start[0], cpu),
			    (unsigned long)per_cpu_ptr(&__per_cpu_end[0], cpu));
	for (unsigned long pfn = 0; pfn < max_pfn; pfn++)
		if (READ_ONCE(mem_map[pfn].slab))
			scan_untracked(PAGE_OFFSET + (pfn << PAGE_SHIFT),
				       PAGE_OFFSET + ((pfn + 1) << PAGE_SHIFT));
}

/* Scans what is reached, until nothing new is. */
static void scan_gray(void)
{
	for (;;) {
		struct kmemleak_object *object;
		unsigned long start, size, flags;

		spin_lock_irqsave(&kmemleak_lock, flags);
		if (list_empty(&gray_list)) {
			spin_unlock_irqrestore(&kmemleak_lock, flags);
			return;
		}
		object = list_first_entry(&gray_list, struct kmemleak_object, gray);
		list_del_init(&object->gray);
		start = ALIGN(object->start, 8);
		size = ALIGN_DOWN(object->size, 8);
		spin_unlock_irqrestore(&kmemleak_lock, flags);
		scan_memory(start, start + size);
	}
}

static void do_pass(bool stacks)
{
	pass++;
	scan_roots(stacks);
	scan_gray();
}

/* Tells whether a live object is a leak after passes `before` + 1 and pass. */
static bool is_leak(const struct kmemleak_object *object, u32 before, u64 now)
{
	return !object->free && object->reached <= before && now - object->time > MIN_AGE;
}

unsigned kmemleak_scan(bool stacks)
{
	struct kmemleak_object *object;
	u64 now = ktime_get();
	unsigned found = 0;
	unsigned long at = 0, flags;
	u32 before = pass;

	do_pass(stacks);
	do_pass(stacks);
	/* One object after the other: the tree may change in between. */
	do {
		spin_lock_irqsave(&kmemleak_lock, flags);
		object = kmemleak_find(at);
		if (object) {
			bool leak = is_leak(object, before, now);

			found += leak && !object->leak && !object->cleared;
			object->leak = leak;
			at = object->start + object->size;
		}
		spin_unlock_irqrestore(&kmemleak_lock, flags);
	} while (object);
	return found;
}
