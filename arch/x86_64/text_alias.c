/*
 * The private writable alias of kernel text.
 *
 * The alias is a window of 2 MiB in the lower half of an address space of its own. The kernel half
 * is the same as everywhere. The writing CPU switches to it with interrupts off, writes, and
 * switches back; its entries are there only meanwhile. No other CPU loads it at the same time, but
 * to write one byte through the page behind the window that is its own (text_write_byte()). So
 * there is no moment at which a CPU outside these few lines could write to an executable page.
 */
#include "arch/text_alias.h"

#include "arch/irqflags.h"
#include "arch/paging.h"
#include "arch/special_insns.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"

#define WINDOW_BASE  0x40000000UL /* any place in the lower half */
#define WINDOW_PAGES ((unsigned long)PTRS_PER_TABLE)
#define BYTE_WINDOW  (WINDOW_BASE + PMD_SIZE) /* behind it: a page for each CPU */

static u64 *alias_pgd; /* written at boot, then constant but for the window's entries */
static u64 *window;    /* [text_patch_mutex] the page table of the window */
static u64 byte_window[PTRS_PER_TABLE] __aligned(4096); /* each entry its CPU's alone */
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
 * The page that addr is in, or 0. Not by kernel_virt_to_phys(), which may be traced: the breakpoint
 * handler asks while a trampoline's own call is being patched, and would meet that again.
 */
static phys_addr_t text_page(unsigned long addr)
{
	const u64 *table = swapper_pg_dir;

	for (enum table_level level = LEVEL_PGD;; level--) {
		u64 entry = READ_ONCE(table[table_index(addr, level)]);

		if (!(entry & _PAGE_PRESENT))
			return 0;
		if (level == LEVEL_PTE)
			return entry & PTE_PFN_MASK;
		if (entry & _PAGE_PSE)
			return (entry & PTE_PFN_MASK & ~(PMD_SIZE - 1)) |
			       (addr & (PMD_SIZE - 1) & PAGE_MASK);
		table = __va(entry & PTE_PFN_MASK);
	}
}

notrace /* the breakpoint handler uses it */
	bool
	is_text_address(unsigned long addr)
{
	if (is_kernel_text(addr))
		return true;
	return addr >= TEXT_AREA_START && addr < TEXT_AREA_END && text_page(addr);
}

/* Map the pages that [addr, addr + size) touches into a window that begins at base. */
static void map_in_window(unsigned long base, unsigned long addr, size_t size)
{
	for (unsigned long page = ALIGN_DOWN(addr, PAGE_SIZE); page < addr + size;
	     page += PAGE_SIZE) {
		u64 *entry = &window[(page - base) / PAGE_SIZE];

		if (!*entry)
			*entry = (kernel_virt_to_phys(page) & PTE_PFN_MASK) |
				 (PAGE_KERNEL & ~_PAGE_GLOBAL);
	}
}

/* Loading CR3 forgets all translations that are not global: the window's of the last time. */
static u64 enter_alias(void)
{
	u64 cr3 = read_cr3();

	write_cr3(__pa(alias_pgd));
	return cr3;
}

static void leave_alias(u64 cr3)
{
	memset(window, 0, PAGE_SIZE);
	write_cr3(cr3);
}

/* How many of the patches fit into a window that begins with the first one's page. */
static size_t patches_in_window(const struct text_patch *patches, size_t count, unsigned long base)
{
	unsigned long end = base + WINDOW_PAGES * PAGE_SIZE, mapped = base;
	size_t n = 0;

	/* They are sorted: most lie before the end of the last page that was mapped. */
	while (n < count && patches[n].addr + TEXT_PATCH_SIZE <= end) {
		if (patches[n].addr + TEXT_PATCH_SIZE > mapped) {
			map_in_window(base, patches[n].addr, TEXT_PATCH_SIZE);
			mapped = ALIGN(patches[n].addr + TEXT_PATCH_SIZE, PAGE_SIZE);
		}
		n++;
	}
	return n;
}

void text_alias_write(const struct text_patch *patches, size_t count,
		      void (*write)(u8 *site, const struct text_patch *patch))
{
	while (count) {
		unsigned long base = ALIGN_DOWN(patches[0].addr, PAGE_SIZE), flags;
		size_t n = patches_in_window(patches, count, base);
		u64 cr3;

		local_irq_save(flags);
		cr3 = enter_alias();
		for (size_t i = 0; i < n; i++)
			write((u8 *)(WINDOW_BASE + (patches[i].addr - base)), &patches[i]);
		leave_alias(cr3);
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

		map_in_window(base, addr, n);
		local_irq_save(flags);
		cr3 = enter_alias();
		memcpy((void *)(WINDOW_BASE + (addr - base)), bytes, n);
		leave_alias(cr3);
		local_irq_restore(flags);
		addr += n;
		bytes = (const u8 *)bytes + n;
		size -= n;
	}
}

/* An NMI that comes between may do the same here: it leaves the entry as it was. */
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
