/*
 * The allocator of the early boot, until mem_init().
 *
 * It has two sorted tables of page-aligned ranges: the usable RAM from the boot loader's map, and
 * the reserved ranges. An allocation finds a gap between reserved ranges and reserves it. Boot CPU
 * only.
 */
#define pr_fmt(fmt) "memblock: " fmt
#include "kernel/boot/boot_info.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"

#define MAX_RESERVED 128
#define LOW_MEMORY                                                                                 \
	0x10000UL /* below: data of the BIOS, and page 0, which would have the address NULL */
#define ONE_MIB 0x100000UL /* the memory below it is kept for real-mode code */

struct range {
	phys_addr_t base, end;
};

static struct range usable[BOOT_MEMORY_REGIONS];
static unsigned usable_count;
static struct range reserved[MAX_RESERVED];
static unsigned reserved_count;

/* Joins neighbouring and overlapping ranges, so that many small reservations need few entries. */
void memblock_reserve(phys_addr_t base, size_t size)
{
	phys_addr_t end = ALIGN(base + size, PAGE_SIZE);
	unsigned first = 0, last;

	base = ALIGN_DOWN(base, PAGE_SIZE);
	if (!size)
		return;
	while (first < reserved_count && reserved[first].end < base)
		first++;
	for (last = first; last < reserved_count && reserved[last].base <= end; last++) {
		base = min(base, reserved[last].base);
		end = max(end, reserved[last].end);
	}
	/* Replaces the entries [first, last) by one. */
	if (first == last && reserved_count == MAX_RESERVED)
		panic("memblock: too many reserved ranges");
	memmove(&reserved[first + 1], &reserved[last],
		(reserved_count - last) * sizeof(reserved[0]));
	reserved_count += 1 + first - last;
	reserved[first] = (struct range){ base, end };
}

/* The first gap of size bytes in [from, limit); 0: none. */
static phys_addr_t find_free(size_t size, size_t align, phys_addr_t from, phys_addr_t limit)
{
	phys_addr_t cursor = from, base, end;

	while (memblock_next_free(&cursor, &base, &end)) {
		base = ALIGN(base, align);
		if (base < end && min(end, limit) > base && min(end, limit) - base >= size)
			return base;
	}
	return 0;
}

bool memblock_next_free(phys_addr_t *cursor, phys_addr_t *base, phys_addr_t *end)
{
	phys_addr_t at = *cursor;

	for (unsigned i = 0; i < usable_count; i++) {
		at = max(at, usable[i].base);
		if (at >= usable[i].end)
			continue;
		*end = usable[i].end;
		for (unsigned r = 0; r < reserved_count && at < usable[i].end; r++) {
			if (reserved[r].end <= at)
				continue;
			if (reserved[r].base > at) {
				*end = min(*end, reserved[r].base);
				break;
			}
			at = reserved[r].end;
		}
		if (at < usable[i].end) {
			*base = at;
			*cursor = *end;
			return true;
		}
	}
	return false;
}

phys_addr_t memblock_phys_alloc(size_t size, size_t align)
{
	phys_addr_t phys;

	size = ALIGN(size, PAGE_SIZE);
	align = max(align, PAGE_SIZE);
	phys = find_free(size, align, ONE_MIB, ~0UL);
	if (!phys)
		panic("memblock: no room for %zu bytes", size);
	memblock_reserve(phys, size);
	return phys;
}

phys_addr_t memblock_phys_alloc_below(size_t size, size_t align, phys_addr_t limit)
{
	phys_addr_t phys;

	size = ALIGN(size, PAGE_SIZE);
	phys = find_free(size, max(align, PAGE_SIZE), LOW_MEMORY, limit);
	if (phys)
		memblock_reserve(phys, size);
	return phys;
}

void *memblock_alloc(size_t size, size_t align)
{
	/*
	 * Small pieces share pages, because the boot allocates many small tables and per-CPU data.
	 */
	static phys_addr_t piece, piece_end;
	phys_addr_t phys;

	size = ALIGN(size, 16);
	align = max(align, (size_t)16);
	if (size > PAGE_SIZE / 2 || align > PAGE_SIZE / 2) {
		phys = memblock_phys_alloc(size, align);
	} else {
		if (!piece || ALIGN(piece, align) + size > piece_end) {
			piece = memblock_phys_alloc(PAGE_SIZE, PAGE_SIZE);
			piece_end = piece + PAGE_SIZE;
		}
		phys = ALIGN(piece, align);
		piece = phys + size;
	}
	return memset(__va(phys), 0, size);
}

phys_addr_t memblock_end_of_ram(void)
{
	return usable_count ? usable[usable_count - 1].end : 0;
}

bool memblock_region(unsigned index, phys_addr_t *base, phys_addr_t *end)
{
	if (index >= usable_count)
		return false;
	*base = usable[index].base;
	*end = usable[index].end;
	return true;
}

/*
 * The array of struct page covers all addresses up to the end of RAM, with the holes. If a region
 * lies so high that the array would need an eighth of all memory, drops the region.
 */
static void drop_far_regions(void)
{
	while (usable_count > 1) {
		struct range *last = &usable[usable_count - 1];
		u64 bytes = 0;

		for (unsigned i = 0; i < usable_count; i++)
			bytes += usable[i].end - usable[i].base;
		if ((last->end >> PAGE_SHIFT) * sizeof(struct page) <= bytes / 8)
			return;
		pr_warn("RAM at %#lx-%#lx lies too far up, not used\n", last->base, last->end - 1);
		usable_count--;
	}
}

void memblock_init(void)
{
	u64 bytes = 0;

	usable_count = 0;
	reserved_count = 0;
	for (unsigned i = 0; i < boot_info.memory_count; i++) {
		const struct memory_region *region = &boot_info.memory[i];
		phys_addr_t base = ALIGN(region->base, PAGE_SIZE);
		phys_addr_t end = ALIGN_DOWN(region->base + region->size, PAGE_SIZE);

		if (region->type == MEMORY_USABLE && base < end)
			usable[usable_count++] = (struct range){ base, end };
	}
	if (!usable_count)
		boot_refuse("usable memory, of which the boot loader names none (%s)",
			    boot_info.problem ? boot_info.problem : "its memory map has none");
	drop_far_regions();

	memblock_reserve(0, LOW_MEMORY);
	memblock_reserve((phys_addr_t)__boot_begin, __pa(_end) - (phys_addr_t)__boot_begin);
	for (unsigned i = 0; i < boot_info.module_count; i++)
		memblock_reserve(boot_info.modules[i].start,
				 boot_info.modules[i].end - boot_info.modules[i].start);

	for (unsigned i = 0; i < usable_count; i++)
		bytes += usable[i].end - usable[i].base;
	pr_info("%lu MiB of RAM in %u regions\n", bytes >> 20, usable_count);
}
