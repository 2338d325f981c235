/*
 * The private writable alias of kernel text.
 *
 * The alias is a window of 2 MiB in the lower half of an address space of its own. The kernel half
 * is the same as everywhere. The writing CPU switches to it with interrupts off, writes, and
 * switches back; no other CPU ever loads it, and its entries are there only meanwhile. So there is
 * no moment at which another CPU, or this one outside these few lines, could write to an executable
 * page.
 */
#include "arch/x86_64/text_alias.h"

#include "arch/x86_64/irqflags.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/processor.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"

#define WINDOW_BASE  0x40000000UL /* any place in the lower half */
#define WINDOW_PAGES ((unsigned long)PTRS_PER_TABLE)

static u64 *alias_pgd; /* written at boot, then constant but for the window's entries */
static u64 *window;    /* [text_patch_mutex] the page table of the window */

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
	return 0;
}

notrace /* the breakpoint handler uses it */
	bool
	is_text_address(unsigned long addr)
{
	if (is_kernel_text(addr))
		return true;
	return addr >= TEXT_AREA_START && addr < TEXT_AREA_END && kernel_virt_to_phys(addr) != ~0UL;
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

/* With write protection off, so that this CPU alone, for one instruction, may write to the text. */
void text_write_byte(unsigned long addr, u8 byte)
{
	unsigned long flags, cr0;

	local_irq_save(flags);
	cr0 = read_cr0();
	write_cr0(cr0 & ~X86_CR0_WP);
	WRITE_ONCE(*(u8 *)addr, byte);
	write_cr0(cr0);
	local_irq_restore(flags);
}
