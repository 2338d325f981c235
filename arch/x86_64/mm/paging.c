/* Builds the final page tables once at boot. docs/memory-map.md shows the result. */
#include "arch/mm/paging.h"

#include "arch/boot/cpuinfo.h"
#include "arch/irq/descriptors.h"
#include "arch/cpu/special_insns.h"
#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/panic.h"
#include "kernel/sections.h"

#define FIXMAP_WINDOW 0 /* slot of the window that table_ptr() moves */
#define FIXMAP_SLOTS  PTRS_PER_TABLE
#define MAX_PHYS      (1UL << 46)
#define DEVICE_ALIGN  16 /* minimum alignment of the registers of APICs and the HPET */

extern u64 boot_pml4[PTRS_PER_TABLE]; /* boot/entry.asm */

u64 swapper_pg_dir[PTRS_PER_TABLE] __aligned(4096);
static u64 level2_fixmap[PTRS_PER_TABLE] __aligned(4096);
static u64 level1_fixmap[PTRS_PER_TABLE] __aligned(4096);

static bool direct_map_ready;
static phys_addr_t window_table; /* the table that the window shows */
static unsigned fixmap_used = FIXMAP_WINDOW + 1;
static atomic64_t table_count; /* tables from the page allocator */

u64 page_table_pages(void)
{
	return (u64)atomic64_read(&table_count);
}

void count_page_tables(int tables)
{
	atomic64_add(tables, &table_count);
}

u64 *table_ptr(phys_addr_t table)
{
	if (likely(direct_map_ready))
		return __va(table);
	if (window_table != table) {
		level1_fixmap[FIXMAP_WINDOW] = table | PAGE_KERNEL;
		invlpg(FIXMAP_START);
		window_table = table;
	}
	return (u64 *)FIXMAP_START;
}

phys_addr_t alloc_table(void)
{
	phys_addr_t table;

	if (mem_init_done) {
		void *page = get_free_page(GFP_ATOMIC);

		if (!page)
			return 0;
		table = __pa(page);
		count_page_tables(1);
	} else {
		table = memblock_phys_alloc(PAGE_SIZE, PAGE_SIZE);
	}
	memset(table_ptr(table), 0, PAGE_SIZE);
	return table;
}

u64 *walk_to(unsigned long addr, enum table_level level, bool create)
{
	phys_addr_t table = __pa(swapper_pg_dir);

	for (enum table_level l = LEVEL_PGD; l > level; l--) {
		u64 entry = READ_ONCE(table_ptr(table)[table_index(addr, l)]);

		if (!(entry & _PAGE_PRESENT)) {
			phys_addr_t new = create ? alloc_table() : 0;

			if (!new)
				return NULL;
			entry = new | TABLE_FLAGS;
			WRITE_ONCE(table_ptr(table)[table_index(addr, l)], entry);
		} else if (entry & _PAGE_PSE) {
			return NULL;
		}
		table = entry & PTE_PFN_MASK;
	}
	return &table_ptr(table)[table_index(addr, level)];
}

/*
 * Maps [addr, end) to consecutive pages from phys on, with entries of one level. Fills one table at
 * a time.
 */
static void __init map_range(unsigned long addr, unsigned long end, phys_addr_t phys, pgprot_t prot,
			     enum table_level level)
{
	unsigned long step = level == LEVEL_PMD ? PMD_SIZE : PAGE_SIZE;
	pgprot_t flags = level == LEVEL_PMD ? prot | _PAGE_PSE : prot;

	while (addr < end) {
		u64 *entry = walk_to(addr, level, true);

		if (!entry)
			panic("No memory for page tables");
		do {
			*entry++ = phys | flags;
			addr += step;
			phys += step;
		} while (addr < end && table_index(addr, level) != 0);
	}
}

struct protected_range {
	const char *start, *end;
};

/* Executable or constant memory. Its alias in the direct map must not be writable either. */
static const struct protected_range protected_ranges[] = {
	{ _stext, __end_rodata },
	{ __init_begin, __init_text_end },
};

static bool __init is_protected(phys_addr_t start, phys_addr_t end)
{
	for (unsigned i = 0; i < ARRAY_SIZE(protected_ranges); i++)
		if (start < __pa(protected_ranges[i].end) && end > __pa(protected_ranges[i].start))
			return true;
	return false;
}

static void __init map_ram(phys_addr_t base, phys_addr_t end)
{
	base = ALIGN(base, PAGE_SIZE);
	end = ALIGN_DOWN(min(end, MAX_PHYS), PAGE_SIZE);
	while (base < end) {
		phys_addr_t next = base + PAGE_SIZE;
		enum table_level level = LEVEL_PTE;
		pgprot_t prot = is_protected(base, next) ? PAGE_KERNEL_RO : PAGE_KERNEL;

		if (IS_ALIGNED(base, PMD_SIZE)) {
			/* Map as many large pages as possible at once. */
			phys_addr_t large = base;

			while (end - large >= PMD_SIZE && !is_protected(large, large + PMD_SIZE))
				large += PMD_SIZE;
			if (large > base) {
				next = large;
				level = LEVEL_PMD;
			}
		}
		map_range((unsigned long)__va(base), (unsigned long)__va(next), base, prot, level);
		base = next;
	}
}

static void __init map_image(const char *start, const char *end, pgprot_t prot)
{
	map_range((unsigned long)start, (unsigned long)end, __pa(start), prot, LEVEL_PTE);
}

/*
 * Maps the fixmap in the boot tables, because the window is used before the final tables are
 * loaded. The boot table for the image has a free entry for it.
 */
static void __init install_fixmap(void)
{
	u64 *boot_pdpt = (u64 *)((boot_pml4[table_index(FIXMAP_START, LEVEL_PGD)] & PTE_PFN_MASK) +
				 KERNEL_IMAGE_BASE);

	level2_fixmap[table_index(FIXMAP_START, LEVEL_PMD)] = __pa(level1_fixmap) | TABLE_FLAGS;
	boot_pdpt[table_index(FIXMAP_START, LEVEL_PUD)] = __pa(level2_fixmap) | TABLE_FLAGS;
}

/*
 * The end of the CPU's physical addresses. Higher address bits are reserved in an entry, and an
 * access would fault.
 */
static phys_addr_t max_phys(void)
{
	return min(MAX_PHYS, 1UL << cpu_data(0)->phys_bits);
}

void __init paging_init(void)
{
	phys_addr_t base, end;
	u64 *entry;

	install_fixmap();
	entry = walk_to(FIXMAP_START, LEVEL_PUD, true);
	*entry = __pa(level2_fixmap) | TABLE_FLAGS;

	map_image(_stext, _etext, PAGE_KERNEL_ROX);
	map_image(__start_rodata, __end_rodata, PAGE_KERNEL_RO);
	map_image(_sdata, _edata, PAGE_KERNEL);
	map_image(__init_begin, __init_text_end, PAGE_KERNEL_ROX);
	map_image(__init_text_end, __init_end, PAGE_KERNEL);
	map_image(__bss_start, _end, PAGE_KERNEL);
	*walk_to((unsigned long)boot_stack_guard, LEVEL_PTE, false) = 0;
	for (unsigned i = 0; memblock_region(i, &base, &end); i++)
		map_ram(base, end);
	/*
	 * Allocate the tables of all entries of the root table that can be used later: those of
	 * vmalloc, and that of firmware tables, which the direct map may show. So a copy of the
	 * root table stays complete.
	 */
	for (unsigned long addr = VMALLOC_START; addr < VMALLOC_END; addr += PGD_SIZE)
		if (!walk_to(addr, LEVEL_PUD, true))
			panic("No memory for page tables");
	for (phys_addr_t phys = 0; phys < max_phys(); phys += PGD_SIZE)
		if (!walk_to((unsigned long)__va(phys), LEVEL_PUD, true))
			panic("No memory for page tables");

	write_cr3(__pa(swapper_pg_dir));
	direct_map_ready = true;
	level1_fixmap[FIXMAP_WINDOW] = 0;
	invlpg(FIXMAP_START);
	idt_protect();
}

static bool __init is_ram(phys_addr_t phys)
{
	phys_addr_t base, end;

	for (unsigned i = 0; memblock_region(i, &base, &end); i++)
		if (phys >= base && phys < end)
			return true;
	return false;
}

void *__init fixmap_device(phys_addr_t phys, size_t size)
{
	unsigned slot;

	if (!IS_ALIGNED(phys, DEVICE_ALIGN) || phys % PAGE_SIZE + size > PAGE_SIZE ||
	    phys >= max_phys() || is_ram(phys))
		return NULL;
	slot = fixmap_used++;
	if (slot >= FIXMAP_SLOTS)
		panic("Too many early device mappings");
	level1_fixmap[slot] = ALIGN_DOWN(phys, PAGE_SIZE) | PAGE_KERNEL_NOCACHE;
	return (void *)(FIXMAP_START + slot * PAGE_SIZE + phys % PAGE_SIZE);
}

const void *map_firmware(phys_addr_t phys, size_t size)
{
	phys_addr_t page = ALIGN_DOWN(phys, PAGE_SIZE);
	const void *result = __va(phys);
	unsigned long flags;

	if (phys >= max_phys() || size > max_phys() - phys)
		return NULL;
	spin_lock_irqsave(&init_mm_lock, flags);
	for (; page < phys + size; page += PAGE_SIZE) {
		unsigned long addr = (unsigned long)__va(page);
		unsigned long entry_size;
		u64 *entry;

		if (lookup_address(addr, &entry_size))
			continue;
		entry = walk_to(addr, LEVEL_PTE, true);
		if (!entry) {
			result = NULL;
			break;
		}
		WRITE_ONCE(*entry, page | PAGE_KERNEL_RO);
	}
	spin_unlock_irqrestore(&init_mm_lock, flags);
	return result;
}
