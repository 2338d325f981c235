/*
 * Where things are in a new address space, and how much memory programs may be promised.
 *
 * From the top: the stack, which grows down; a gap for its growth; mmap_base, below which mmap()
 * places areas; far below the program and its heap. The distances are random, unless `norandmaps`
 * is on the command line or the process has ADDR_NO_RANDOMIZE (personality(2)).
 */
#include "kernel/vm/internal.h"

#include "kernel/init.h"
#include "kernel/process/personality.h"
#include "kernel/task/signal_struct.h"
#include "kernel/time/ktime.h"

#define MIN_STACK_GAP (128UL << 20) /* between the stack and mmap_base, at least */
#define MAX_STACK_GAP (TASK_SIZE_MAX / 6 * 5)
#define STACK_RANDOM  (16UL << 30) /* the stack begins up to so much below the end */
#define MMAP_RANDOM   (1UL << 40)  /* 2^28 pages */
#define INITIAL_STACK (128UL << 10)
#define VM_STACK_FLAGS                                                                             \
	(VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | VM_GROWSDOWN | VM_ACCOUNT)

int randomize_va_space = 2;

static int parse_norandmaps(const char *value __unused)
{
	randomize_va_space = 0;
	return 0;
}
__setup("norandmaps", parse_norandmaps);

/*
 * Mixes the time of each call, in ns since the boot, into a state (the steps of splitmix64). A
 * program cannot know the time of all earlier calls.
 */
static u64 random_u64(void)
{
	static u64 state; /* [A] */
	u64 z = __atomic_add_fetch(&state, (u64)ktime_get() * 0x9e3779b97f4a7c15UL + 1,
				   __ATOMIC_RELAXED);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
	return z ^ (z >> 31);
}

unsigned long randomize_offset(unsigned long range)
{
	if (!READ_ONCE(randomize_va_space) || (current->personality & ADDR_NO_RANDOMIZE))
		return 0;
	return random_u64() % range & PAGE_MASK;
}

void arch_pick_mmap_layout(struct mm_struct *mm, unsigned long stack_limit)
{
	unsigned long gap = min(stack_limit, MAX_STACK_GAP);

	gap = page_align(max(gap, MIN_STACK_GAP)) + STACK_GUARD_GAP;
	if (READ_ONCE(randomize_va_space) && !(current->personality & ADDR_NO_RANDOMIZE))
		gap += STACK_RANDOM;
	gap = min(gap, MAX_STACK_GAP);
	mm->mmap_base = page_align(TASK_SIZE_MAX - gap - randomize_offset(MMAP_RANDOM));
	mm->search_top = mm->mmap_base;
}

/* The area of the stack, one page for now, at a random place. */
int setup_stack(struct mm_struct *mm)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);

	if (!vma)
		return -ENOMEM;
	vma->vm_end = page_align(STACK_TOP_MAX - randomize_offset(STACK_RANDOM));
	vma->vm_start = vma->vm_end - PAGE_SIZE;
	vma->vm_flags = VM_STACK_FLAGS;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	vma->vm_pgoff = vma->vm_start >> PAGE_SHIFT;
	if (vm_enough_memory(1)) {
		vm_area_free(vma);
		return -ENOMEM;
	}
	mmap_write_lock(mm);
	insert_vm_struct(mm, vma);
	vm_stat_account(mm, vma->vm_flags, 1);
	mm->start_stack = vma->vm_end - sizeof(void *);
	mmap_write_unlock(mm);
	return 0;
}

int setup_arg_pages(struct mm_struct *mm, bool executable)
{
	struct vm_area_struct *vma;
	unsigned long size;
	int error = 0;

	mmap_write_lock(mm);
	vma = find_vma(mm, mm->start_stack);
	if (executable) {
		error = vma_set_flags(&vma, vma->vm_start, vma->vm_end, vma->vm_flags | VM_EXEC);
		if (!error)
			change_protection(vma, vma->vm_start, vma->vm_end);
	}
	size = min(vma->vm_end - vma->vm_start + INITIAL_STACK, rlimit(RLIMIT_STACK) & PAGE_MASK);
	if (!error && vma->vm_end - size < vma->vm_start)
		error = expand_stack(vma, vma->vm_end - size) ? -EFAULT : 0;
	mmap_write_unlock(mm);
	return error;
}

int vm_enough_memory(unsigned long pages)
{
	if (pages > total_pages())
		return -ENOMEM;
	atomic64_add((s64)pages, &vm_committed_as);
	return 0;
}

void vm_unacct_memory(unsigned long pages)
{
	atomic64_sub((s64)pages, &vm_committed_as);
}
