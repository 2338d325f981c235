/* Programs of self-tests: page tables by hand, so that nothing but the entry code is needed. */
#include "selftest/arch/ring3.h"

#include "arch/paging.h"
#include "arch/special_insns.h"
#include "arch/switch.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"

static void load_kernel_tables(void *unused __unused)
{
	write_cr3(__pa(swapper_pg_dir));
}

/* Maps page at addr. False: memory is short. */
static bool map_page(u64 *table, unsigned long addr, void *page, u64 flags)
{
	for (enum table_level level = LEVEL_PGD; level > LEVEL_PTE; level--) {
		u64 *entry = &table[table_index(addr, level)];

		if (!*entry) {
			void *lower = get_free_page(GFP_KERNEL | __GFP_ZERO);

			if (!lower)
				return false;
			*entry = __pa(lower) | TABLE_FLAGS | _PAGE_USER;
		}
		table = __va(*entry & PTE_PFN_MASK);
	}
	table[table_index(addr, LEVEL_PTE)] = __pa(page) | flags | _PAGE_PRESENT | _PAGE_USER;
	return true;
}

static void free_tables(u64 *table, enum table_level level)
{
	unsigned entries = level == LEVEL_PGD ? PTRS_PER_TABLE / 2 : PTRS_PER_TABLE;

	for (unsigned i = 0; i < entries; i++) {
		if (!table[i])
			continue;
		if (level == LEVEL_PTE)
			free_page(__va(table[i] & PTE_PFN_MASK));
		else
			free_tables(__va(table[i] & PTE_PFN_MASK), level - 1);
	}
	free_page(table);
}

/* The first function of the task. Its return leads to ring 3. */
static void enter_ring3(void)
{
	struct ring3 *program = current->thread_data;

	write_cr3(__pa(program->pgd));
	start_thread(RING3_CODE, RING3_DATA + PAGE_SIZE);
}

bool ring3_start(struct ring3 *program, const char *text, const char *end, unsigned cpu)
{
	*program = (struct ring3){ .pgd = get_free_page(GFP_KERNEL | __GFP_ZERO) };
	if (!program->pgd)
		return false;
	program->code = get_free_page(GFP_KERNEL | __GFP_ZERO);
	program->data = get_free_page(GFP_KERNEL | __GFP_ZERO);
	if (!program->code || !map_page(program->pgd, RING3_CODE, program->code, 0) ||
	    !program->data ||
	    !map_page(program->pgd, RING3_DATA, (void *)program->data, _PAGE_RW | _PAGE_NX))
		goto free;
	memcpy(program->pgd + PTRS_PER_TABLE / 2, swapper_pg_dir + PTRS_PER_TABLE / 2,
	       PAGE_SIZE / 2);
	memcpy(program->code, text, (size_t)(end - text));
	program->task = create_kthread_task(NULL, program, "ring3", enter_ring3);
	if (IS_ERR(program->task))
		goto free;
	get_task_struct(program->task);
	kthread_bind(program->task, cpu);
	wake_up_process(program->task);
	return true;

free:
	free_tables(program->pgd, LEVEL_PGD);
	return false;
}

int ring3_wait(struct ring3 *program)
{
	int sig;

	wait_for_completion(&program->task->exited);
	sig = program->task->exit_code & 0x7f;
	put_task_struct(program->task);
	on_each_cpu(load_kernel_tables, NULL, true);
	free_tables(program->pgd, LEVEL_PGD);
	return sig;
}
