/* The end of the boot: frees the init sections, and protects what initcalls have registered. */
#include "arch/mm/pgtable.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/internal.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"

#define INT3_INSN 0xcc

void (*init_text_free_hook)(unsigned long start, unsigned long end);

/* A stray write to a pointer there would lead the kernel elsewhere. */
static void protect_ro_after_init(void)
{
	size_t pages = (size_t)(__end_ro_after_init - __start_ro_after_init) / PAGE_SIZE;
	char *alias = __va(__pa(__start_ro_after_init));

	WARN_ON(set_memory_ro((unsigned long)__start_ro_after_init, pages) ||
		set_memory_ro((unsigned long)alias, pages));
}

void free_initmem(void)
{
	unsigned long start = (unsigned long)__init_begin, end = (unsigned long)__init_end;
	phys_addr_t base = __pa(__init_begin);
	int error;

	protect_ro_after_init();
	if (init_text_free_hook)
		init_text_free_hook(start, (unsigned long)__init_text_end);
	jump_label_free_text(start, (unsigned long)__init_text_end);
	kallsyms_init_text_freed();
	unmap_kernel_range(start, end);
	/* Init text is read-only in the direct map, too. */
	error = set_memory_rw((unsigned long)__va(base), (end - start) / PAGE_SIZE);
	if (WARN_ON(error))
		return;
	/*
	 * Overwrites the code. This also helps an emulator: it has to check each store to a page
	 * with translated code, until all of this code is overwritten. A task with its stack in
	 * such a page was a hundred times slower.
	 */
	memset(__va(base), INT3_INSN, end - start);
	free_page_range(base, base + (end - start));
	pr_info("Freeing unused kernel image (initmem) memory: %luK\n", (end - start) / 1024);
}

void __init free_boot_memory(phys_addr_t base, phys_addr_t end)
{
	phys_addr_t first, last;

	base = ALIGN(base, PAGE_SIZE);
	end = ALIGN_DOWN(end, PAGE_SIZE);
	for (unsigned i = 0; memblock_region(i, &first, &last); i++) {
		phys_addr_t from = max(base, first), to = min(end, last);

		if (from < to)
			free_page_range(from, to);
	}
}
