/* Areas of memory that survive a restart: see kernel/mm/reserve_mem.h. Boot CPU only. */
#define pr_fmt(fmt) "reserve_mem: " fmt
#include "kernel/mm/reserve_mem.h"

#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/printk/printk.h"

#define RESERVE_MEM_MAX       8
#define RESERVE_MEM_NAME_SIZE 16
#define BELOW                 (1UL << 32) /* firmware and loaders use the highest RAM below */
#define ONE_MIB               0x100000UL

/* Constant after reserve_mem_init(). start 0: no place has been found yet. */
struct reserved_area {
	char name[RESERVE_MEM_NAME_SIZE]; /* empty: an area at a given place */
	phys_addr_t start;
	size_t size, align;
};
static struct reserved_area areas[RESERVE_MEM_MAX];
static unsigned nr_areas;

bool reserve_mem_find_by_name(const char *name, phys_addr_t *start, size_t *size)
{
	for (unsigned i = 0; i < nr_areas; i++) {
		if (!*name || !areas[i].start || strcmp(areas[i].name, name) != 0)
			continue;
		*start = areas[i].start;
		*size = areas[i].size;
		return true;
	}
	return false;
}

bool reserve_mem_has(phys_addr_t start, size_t size)
{
	for (unsigned i = 0; i < nr_areas; i++)
		if (areas[i].start == start && areas[i].size >= size)
			return true;
	return false;
}

static int __init add_area(const char *name, phys_addr_t start, size_t size, size_t align)
{
	struct reserved_area *area = &areas[nr_areas];

	if (nr_areas == RESERVE_MEM_MAX)
		return -ENOSPC;
	if (!size || (align & (align - 1)))
		return -EINVAL;
	area->start = start;
	area->size = ALIGN(size, PAGE_SIZE);
	area->align = max(align, (size_t)PAGE_SIZE);
	strscpy(area->name, name, sizeof(area->name));
	nr_areas++;
	return 0;
}

int __init reserve_mem_at(phys_addr_t start, size_t size)
{
	return start && start % PAGE_SIZE == 0 ? add_area("", start, size, PAGE_SIZE) : -EINVAL;
}

/* value: "SIZE:ALIGN:NAME". */
static int __init reserve_mem_setup(const char *value)
{
	size_t size, align;
	char *end;

	if (!value)
		return -EINVAL;
	size = memparse(value, &end);
	if (*end != ':')
		return -EINVAL;
	align = memparse(end + 1, &end);
	if (*end != ':' || !end[1] || strlen(end + 1) >= RESERVE_MEM_NAME_SIZE)
		return -EINVAL;
	for (unsigned i = 0; i < nr_areas; i++)
		if (strcmp(areas[i].name, end + 1) == 0)
			return -EEXIST;
	return add_area(end + 1, 0, size, align);
}
__setup("reserve_mem", reserve_mem_setup);

/* Returns whether all of the area is RAM that nothing has reserved. */
static bool __init is_free(phys_addr_t start, size_t size)
{
	phys_addr_t cursor = start, base, end;

	return memblock_next_free(&cursor, &base, &end) && base == start && end - start >= size;
}

/*
 * Returns three quarters of the RAM below 4 GiB. The lowest RAM holds the kernel, and the loader
 * may put other things behind it. The highest RAM holds what the firmware and QEMU put there, the
 * initramfs for one.
 */
static phys_addr_t __init middle_of_ram(void)
{
	phys_addr_t base, end, last = 0;

	for (unsigned i = 0; memblock_region(i, &base, &end); i++)
		if (base < BELOW)
			last = min(end, BELOW);
	return last / 4 * 3;
}

/* Reserves the highest place below limit. 0: there is none. */
static phys_addr_t __init reserve_highest(size_t size, size_t align, phys_addr_t limit)
{
	phys_addr_t cursor = ONE_MIB, base, end, highest = 0;

	while (memblock_next_free(&cursor, &base, &end)) {
		end = min(end, limit);
		if (end > base && end - base >= size && ALIGN_DOWN(end - size, align) >= base)
			highest = ALIGN_DOWN(end - size, align);
	}
	if (highest)
		memblock_reserve(highest, size);
	return highest;
}

/* Reserves all areas that the command line names. */
static int __init reserve_mem_init(void)
{
	for (unsigned i = 0; i < nr_areas; i++) {
		struct reserved_area *area = &areas[i];

		if (area->start && !is_free(area->start, area->size))
			area->start = 0;
		else if (area->start)
			memblock_reserve(area->start, area->size);
		else
			area->start = reserve_highest(area->size, area->align, middle_of_ram());
		if (area->start)
			pr_info("%s at %#lx, %zu KiB\n", area->name, area->start, area->size >> 10);
		else
			pr_warn("no room for %zu KiB for %s\n", area->size >> 10, area->name);
	}
	return 0;
}
memory_initcall(reserve_mem_init);
