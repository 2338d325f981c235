/*
 * The life of address spaces: creation, references, fork, exec and the end.
 *
 * mm_users counts those that use the memory: tasks, and code such as /proc that looks into it. When
 * the last one has gone, all areas and pages go. mm_count counts those that only need the struct
 * and the root table: all of mm_users together are one, and each lazy CPU is one
 * (arch/user/mmu_context.h).
 */
#include "kernel/vm/internal.h"
#include "kernel/vm/mm_part.h"

#include "arch/cpu/percpu.h"
#include "kernel/init.h"
#include "kernel/irq/irq_work.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"

DEFINE_LINKER_TABLE(rodata, const struct mm_part, mm_parts);
const struct vm_file_hooks *vm_file_hooks __ro_after_init;
static struct kmem_cache *mm_cache;

void vm_set_file_hooks(const struct vm_file_hooks *hooks)
{
	vm_file_hooks = hooks;
}

static int mm_cache_init(void)
{
	mm_cache = kmem_cache_create("mm_struct", sizeof(struct mm_struct), 0);
	if (!mm_cache)
		panic("No memory for address spaces");
	return 0;
}
core_initcall(mm_cache_init);

struct mm_struct *mm_alloc(void)
{
	struct mm_struct *mm = kmem_cache_alloc(mm_cache, GFP_KERNEL);

	if (!mm)
		return NULL;
	memset(mm, 0, sizeof(*mm));
	mm->pgd = pgd_alloc();
	if (!mm->pgd) {
		kmem_cache_free(mm_cache, mm);
		return NULL;
	}
	atomic_set(&mm->mm_users, 1);
	atomic_set(&mm->mm_count, 1);
	init_rwsem(&mm->mmap_lock);
	spin_lock_init(&mm->page_table_lock);
	init_new_context(mm);
	return mm;
}

static void free_mm(struct mm_struct *mm)
{
	pgd_free(mm->pgd);
	kmem_cache_free(mm_cache, mm);
}

void mmgrab(struct mm_struct *mm)
{
	atomic_inc(&mm->mm_count);
}

void mmdrop(struct mm_struct *mm)
{
	if (atomic_dec_and_test(&mm->mm_count))
		free_mm(mm);
}

/* The address spaces that this CPU frees as soon as it has released R. Interrupts off. */
static DEFINE_PER_CPU(struct mm_struct *, dead_mms);

static void free_dead_mms(struct irq_work *work __unused)
{
	struct mm_struct *mm = this_cpu_read(dead_mms);

	this_cpu_write(dead_mms, NULL);
	while (mm) {
		struct mm_struct *next = mm->next_dead;

		free_mm(mm);
		mm = next;
	}
}

static DEFINE_PER_CPU(struct irq_work, dead_mms_work) = { .func = free_dead_mms };

void mmdrop_sched(struct mm_struct *mm)
{
	if (likely(!atomic_dec_and_test(&mm->mm_count)))
		return;
	mm->next_dead = this_cpu_read(dead_mms);
	this_cpu_write(dead_mms, mm);
	irq_work_queue(this_cpu_ptr(&dead_mms_work));
}

void mmget(struct mm_struct *mm)
{
	atomic_inc(&mm->mm_users);
}

bool mmget_not_zero(struct mm_struct *mm)
{
	return atomic_inc_not_zero(&mm->mm_users);
}

void mmput(struct mm_struct *mm)
{
	might_sleep();
	if (!atomic_dec_and_test(&mm->mm_users))
		return;
	for_each_linker_table_entry (part, mm_parts)
		part->exit(mm);
	exit_mmap(mm);
	oom_mm_is_free(mm);
	if (mm->exe_file)
		vm_file_hooks->put_exe_file(mm->exe_file);
	mmdrop(mm);
}

struct mm_struct *get_task_mm(struct task_struct *p)
{
	struct mm_struct *mm;

	spin_lock_irq(&p->lock);
	mm = p->flags & PF_KTHREAD ? NULL : p->mm;
	if (mm)
		mmget(mm);
	spin_unlock_irq(&p->lock);
	return mm;
}

/*
 * Changes the address space of the current task. Under P, so that get_task_mm() either gets a user
 * of the old one in time, or finds the new one.
 */
static struct mm_struct *set_current_mm(struct mm_struct *new)
{
	struct task_struct *tsk = current;
	struct mm_struct *old;

	spin_lock_irq(&tsk->lock);
	old = tsk->mm;
	if (old && !new) /* its files and its credentials stay for a while */
		tsk->dumpable_at_exit = READ_ONCE(old->dumpable);
	tsk->mm = new;
	switch_mm_irqs_off(new);
	spin_unlock_irq(&tsk->lock);
	return old;
}

void exit_mm(void)
{
	struct mm_struct *mm = set_current_mm(NULL);

	if (mm)
		mmput(mm);
}

void exec_mmap(struct mm_struct *new)
{
	struct mm_struct *old = set_current_mm(new);

	if (old)
		mmput(old);
}

void kthread_use_mm(struct mm_struct *mm)
{
	DEBUG_BUG_ON(current->mm);
	set_current_mm(mm);
}

void kthread_unuse_mm(struct mm_struct *mm)
{
	DEBUG_BUG_ON(current->mm != mm);
	set_current_mm(NULL);
}

/* The part of dup_mm() that is not areas. mmap_lock of old held for writing. */
static void copy_fields(struct mm_struct *mm, const struct mm_struct *old)
{
	mm->mmap_base = old->mmap_base;
	mm->search_top = old->search_top;
	mm->start_code = old->start_code;
	mm->end_code = old->end_code;
	mm->start_data = old->start_data;
	mm->end_data = old->end_data;
	mm->start_brk = old->start_brk;
	mm->brk = old->brk;
	mm->start_stack = old->start_stack;
	mm->arg_start = old->arg_start;
	mm->arg_end = old->arg_end;
	mm->env_start = old->env_start;
	mm->env_end = old->env_end;
	memcpy(mm->saved_auxv, old->saved_auxv, sizeof(mm->saved_auxv));
	mm->context.vdso = old->context.vdso;
	mm->dumpable = READ_ONCE(old->dumpable);
	mm->exe_file = old->exe_file;
	if (mm->exe_file)
		vm_file_hooks->get_exe_file(mm->exe_file);
}

static int dup_area(struct mm_struct *mm, struct vm_area_struct *old)
{
	struct vm_area_struct *vma;

	if (old->vm_flags & VM_ACCOUNT) {
		if (vm_enough_memory(vma_pages(old)))
			return -ENOMEM;
	}
	vma = vm_area_dup(old);
	if (!vma) {
		if (old->vm_flags & VM_ACCOUNT)
			vm_unacct_memory(vma_pages(old));
		return -ENOMEM;
	}
	vma->vm_mm = mm;
	vma->vm_flags &= ~(VM_LOCKED | VM_LOCKONFAULT);
	if (vma->vm_file)
		vm_file_hooks->get_file(vma->vm_file);
	if (vma->vm_ops && vma->vm_ops->open)
		vma->vm_ops->open(vma);
	vma_insert(mm, vma);
	/*
	 * Behind the parent's area: unmap_mapping_range() goes through the list forwards, and so
	 * comes to the child's entries after it has removed those that are still to be copied.
	 */
	vma_link_mapping(vma, old);
	vm_stat_account(mm, vma->vm_flags, (long)vma_pages(vma));
	return vma->vm_flags & VM_WIPEONFORK ? 0 : copy_page_range(vma, old);
}

struct mm_struct *dup_mm(struct mm_struct *old)
{
	struct mm_struct *mm = mm_alloc();
	int error = 0;

	if (!mm)
		return NULL;
	mmap_write_lock(old);
	copy_fields(mm, old);
	for (struct vm_area_struct *vma = old->mmap; vma && !error; vma = vma->vm_next)
		if (!(vma->vm_flags & VM_DONTCOPY))
			error = dup_area(mm, vma);
	mm->hiwater_vm = mm->total_vm;
	/* Other threads of the parent must not go on writing to pages that are shared now. */
	flush_tlb_mm_range(old, 0, TASK_SIZE_MAX, false);
	for_each_linker_table_entry (part, mm_parts)
		error = error || !part->copy ? error : part->copy(old, mm);
	mmap_write_unlock(old);
	if (error) {
		mmput(mm);
		return NULL;
	}
	return mm;
}
