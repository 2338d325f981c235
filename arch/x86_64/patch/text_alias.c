/*
 * The private writable alias of kernel text.
 *
 * The alias is a window of 2 MiB in the lower half of a separate address space. The kernel half is
 * the same as in all address spaces. The writing CPU turns interrupts off, switches to this address
 * space, writes, and switches back. The window's page-table entries exist only during a batch, so
 * that each page is looked up once for all steps of the batch. No other CPU uses this address space
 * at the same time, with one exception: text_write_byte() writes one byte through a page behind the
 * window, a different page for each CPU. So only the code in this file can ever write to an
 * executable page.
 */
#include "arch/patch/text_alias.h"

#include "arch/cpu/irqflags.h"
#include "kernel/sections.h"
#include "arch/mm/paging.h"
#include "arch/cpu/special_insns.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"

#define WINDOW_BASE  0x40000000UL /* any place in the lower half */
#define WINDOW_PAGES ((unsigned long)PTRS_PER_TABLE)
#define INT3         0xcc
#define BYTE_WINDOW  (WINDOW_BASE + PMD_SIZE) /* after it: a page for each CPU */

static u64 *alias_pgd;            /* constant after boot, except for the window's entries */
static u64 *window;               /* [text_patch_mutex] the page table of the window */
static unsigned long window_base; /* [text_patch_mutex] its first page; 0: the window is empty */
/* [text_patch_mutex] All pages of these patches are in the window. NULL: unknown. */
static const struct text_patch *window_patches;
static u64 byte_window[PTRS_PER_TABLE] __aligned(4096); /* entry i is used by CPU i only */
BUILD_BUG_ON(NR_CPUS > PTRS_PER_TABLE);

int __init text_alias_init(void)
{
	u64 *pud = get_free_page(GFP_KERNEL | __GFP_ZERO),
	    *pmd = get_free_page(GFP_KERNEL | __GFP_ZERO);

	alias_pgd = get_free_page(GFP_KERNEL | __GFP_ZERO);
	window = get_free_page(GFP_KERNEL | __GFP_ZERO);
	if (!alias_pgd || !pud || !pmd || !window)
		return -ENOMEM;
	/* The upper half's entries never change after paging_init(). */
	memcpy(alias_pgd + PTRS_PER_TABLE / 2, swapper_pg_dir + PTRS_PER_TABLE / 2, PAGE_SIZE / 2);
	alias_pgd[table_index(WINDOW_BASE, LEVEL_PGD)] = __pa(pud) | TABLE_FLAGS;
	pud[table_index(WINDOW_BASE, LEVEL_PUD)] = __pa(pmd) | TABLE_FLAGS;
	pmd[table_index(WINDOW_BASE, LEVEL_PMD)] = __pa(window) | TABLE_FLAGS;
	pmd[table_index(BYTE_WINDOW, LEVEL_PMD)] = __pa(byte_window) | TABLE_FLAGS;
	return 0;
}

/*
 * Returns the physical page of addr, or 0. It does not use kernel_virt_to_phys(), which may be
 * traced: the breakpoint handler calls this while a trampoline's own call is being patched, and
 * would hit the same breakpoint again.
 */
__kprobes /* the breakpoint handler uses it */
static phys_addr_t text_page(unsigned long addr)
{
	const u64 *table = swapper_pg_dir;

	for (enum table_level level = LEVEL_PGD;; level--) {
		u64 entry = READ_ONCE(table[table_index(addr, level)]);

		if (!(entry & _PAGE_PRESENT))
			return 0;
		if (level == LEVEL_PTE)
			return entry & _PAGE_NX ? 0 : entry & PTE_PFN_MASK;
		if (entry & _PAGE_PSE)
			return (entry & PTE_PFN_MASK & ~(PMD_SIZE - 1)) |
			       (addr & (PMD_SIZE - 1) & PAGE_MASK);
		table = __va(entry & PTE_PFN_MASK);
	}
}

__kprobes /* the breakpoint handler uses it */
bool is_text_address(unsigned long addr)
{
	if (is_kernel_text(addr))
		return true;
	return addr >= TEXT_AREA_START && addr < MODULES_END && text_page(addr);
}

void text_alias_end(void)
{
	if (window_base)
		memset(window, 0, PAGE_SIZE);
	window_base = 0;
	window_patches = NULL;
}

/* Makes the window begin at base. It keeps its pages if it does already. */
static void move_window(unsigned long base)
{
	if (window_base != base)
		text_alias_end();
	window_base = base;
}

static phys_addr_t physical_page(unsigned long page)
{
	return is_kernel_text(page) ? __pa((void *)page) : kernel_virt_to_phys(page);
}

/* Maps the pages of [addr, addr + size) into a window that begins at base. */
static void map_in_window(unsigned long base, unsigned long addr, size_t size)
{
	for (unsigned long page = ALIGN_DOWN(addr, PAGE_SIZE); page < addr + size;
	     page += PAGE_SIZE) {
		u64 *entry = &window[(page - base) / PAGE_SIZE];

		if (!*entry)
			*entry = (physical_page(page) & PTE_PFN_MASK) |
				 (PAGE_KERNEL & ~_PAGE_GLOBAL);
	}
}

/* The load of CR3 drops all translations that are not global: those of the last window. */
static u64 enter_alias(void)
{
	u64 cr3 = read_cr3();

	write_cr3(__pa(alias_pgd));
	return cr3;
}

/* Maps and counts the patches that fit into a window that begins at the first patch's page. */
static size_t patches_in_window(const struct text_patch *patches, size_t count, unsigned long base)
{
	unsigned long end = base + WINDOW_PAGES * PAGE_SIZE, mapped = base;
	size_t n = 0;

	/* The patches are sorted, so most of them are in the last mapped page. */
	while (n < count && patches[n].addr + TEXT_PATCH_SIZE <= end) {
		if (patches[n].addr + TEXT_PATCH_SIZE > mapped) {
			map_in_window(base, patches[n].addr, TEXT_PATCH_SIZE);
			mapped = ALIGN(patches[n].addr + TEXT_PATCH_SIZE, PAGE_SIZE);
		}
		n++;
	}
	return n;
}

static __always_inline void write_site(const struct text_patch *patch, unsigned long shift,
				       enum text_step step)
{
	u8 *site = (u8 *)(patch->addr + shift);

	if (step == TEXT_STEP_INT3)
		WRITE_ONCE(*site, INT3);
	else if (step == TEXT_STEP_TAIL)
		__builtin_memcpy(site + 1, patch->new + 1, TEXT_PATCH_SIZE - 1);
	else if (step == TEXT_STEP_FIRST_BYTE)
		WRITE_ONCE(*site, patch->new[0]);
	else
		__builtin_memcpy(site, patch->new, TEXT_PATCH_SIZE);
}

/* Writes four sites in a turn, because a batch may have many. */
static __always_inline void write_sites(const struct text_patch *patch, size_t count,
					unsigned long shift, enum text_step step)
{
	for (; count >= 4; count -= 4, patch += 4) {
		write_site(&patch[0], shift, step);
		write_site(&patch[1], shift, step);
		write_site(&patch[2], shift, step);
		write_site(&patch[3], shift, step);
	}
	for (; count; count--, patch++)
		write_site(patch, shift, step);
}

/* shift: from a site to its alias. Each step has a loop of its own. */
static void write_step(const struct text_patch *patches, size_t count, unsigned long shift,
		       enum text_step step)
{
	switch (step) {
	case TEXT_STEP_INT3:
		write_sites(patches, count, shift, TEXT_STEP_INT3);
		break;
	case TEXT_STEP_TAIL:
		write_sites(patches, count, shift, TEXT_STEP_TAIL);
		break;
	case TEXT_STEP_FIRST_BYTE:
		write_sites(patches, count, shift, TEXT_STEP_FIRST_BYTE);
		break;
	case TEXT_STEP_ALL:
		write_sites(patches, count, shift, TEXT_STEP_ALL);
		break;
	}
}

/*
 * A batch whose patches all lie in 2 MiB has one window, which stays from step to step
 * (window_patches). A larger batch moves the window on, and maps its pages anew in each step.
 */
void text_alias_write(const struct text_patch *patches, size_t count, enum text_step step)
{
	const struct text_patch *first = patches;

	/* The first step of a batch maps its pages. */
	if (step == TEXT_STEP_INT3 || step == TEXT_STEP_ALL)
		window_patches = NULL;
	while (count) {
		unsigned long base = ALIGN_DOWN(patches[0].addr, PAGE_SIZE), flags;
		size_t n;
		u64 cr3;

		n = count;
		if (window_patches != patches) {
			move_window(base);
			n = patches_in_window(patches, count, base);
			window_patches = patches == first && n == count ? patches : NULL;
		}
		local_irq_save(flags);
		cr3 = enter_alias();
		write_step(patches, n, WINDOW_BASE - base, step);
		write_cr3(cr3);
		local_irq_restore(flags);
		patches += n;
		count -= n;
	}
}

void text_alias_copy(unsigned long addr, const void *bytes, size_t size)
{
	while (size) {
		unsigned long base = ALIGN_DOWN(addr, PAGE_SIZE), flags;
		size_t n = min(size, WINDOW_PAGES * PAGE_SIZE - (addr - base));
		u64 cr3;

		move_window(base);
		map_in_window(base, addr, n);
		local_irq_save(flags);
		cr3 = enter_alias();
		memcpy((void *)(WINDOW_BASE + (addr - base)), bytes, n);
		write_cr3(cr3);
		local_irq_restore(flags);
		addr += n;
		bytes = (const u8 *)bytes + n;
		size -= n;
	}
	text_alias_end();
}

/* An NMI may call this in the middle of a call: it restores the entry. */
void text_write_byte(unsigned long addr, u8 byte)
{
	phys_addr_t page = text_page(addr);
	unsigned long flags, slot;
	u64 cr3, *entry, old;

	if (!page)
		return;
	local_irq_save(flags);
	slot = smp_processor_id();
	entry = &byte_window[slot];
	old = *entry;
	WRITE_ONCE(*entry, page | (PAGE_KERNEL & ~_PAGE_GLOBAL));
	cr3 = read_cr3();
	write_cr3(__pa(alias_pgd));
	WRITE_ONCE(*(u8 *)(BYTE_WINDOW + slot * PAGE_SIZE + addr % PAGE_SIZE), byte);
	WRITE_ONCE(*entry, old);
	write_cr3(cr3);
	local_irq_restore(flags);
}
