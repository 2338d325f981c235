/*
 * The records of all call sites, in pages, sorted by address, eight bytes each. They are made once
 * at boot from the addresses that the compiler or scripts/recordmcount has put in __mcount_loc.
 * ftrace_init(), at the end of the file, makes them.
 *
 * Two kinds of sites are not there for ever. The functions that only the boot uses (init text) are
 * freed after it. They lie behind all other functions, so their records are the last ones, and the
 * numbers of the other records do not change. The records of modules are in kernel memory of the
 * module (trace/ftrace/module.c); they are numbered behind those of the image.
 */
#include "arch/patch/text_alias.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "trace/ftrace/internal.h"

#define RECORDS_PER_PAGE (PAGE_SIZE / sizeof(struct dyn_ftrace))

extern unsigned long __start_mcount_loc[], __stop_mcount_loc[];

unsigned ftrace_nr_module_records;
struct ftrace_module_ops ftrace_module_ops __ro_after_init;

static struct dyn_ftrace **pages;     /* constant, except for drop_init_records() */
static unsigned nr_records, nr_pages; /* [F] to write, once */

unsigned ftrace_record_count(void)
{
	return nr_records + ftrace_nr_module_records;
}

unsigned ftrace_page_count(void)
{
	return nr_pages;
}

struct dyn_ftrace *ftrace_record(unsigned index)
{
	if (unlikely(index >= nr_records))
		return ftrace_module_ops.record(index - nr_records);
	return &pages[index / RECORDS_PER_PAGE][index % RECORDS_PER_PAGE];
}

struct dyn_ftrace *ftrace_location(unsigned long ip)
{
	/* LAB 1: The records are sorted: halve the range until one is left. */
	unsigned low = 0, high = nr_records;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		struct dyn_ftrace *rec = ftrace_record(middle);

		if (ftrace_record_ip(rec) == ip)
			return rec;
		if (ftrace_record_ip(rec) < ip)
			low = middle + 1;
		else
			high = middle;
	}
	/* END LAB 1 */
	return ftrace_module_location(ip);
}

static int __init compare_sites(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* The linker appends file after file, but a file may have sites in several sections of code. */
static bool __init is_sorted(void)
{
	for (unsigned long *site = __start_mcount_loc + 1; site < __stop_mcount_loc; site++)
		if (site[-1] > site[0])
			return false;
	return true;
}

/* Makes a record for each site. Returns 0 or -ENOMEM. */
static int __init make_records(void)
{
	unsigned count = (unsigned)(__stop_mcount_loc - __start_mcount_loc);

	nr_pages = DIV_ROUND_UP(count, RECORDS_PER_PAGE);
	pages = kcalloc(nr_pages + 1, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (unsigned i = 0; i < nr_pages; i++) {
		pages[i] = get_free_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[i])
			return -ENOMEM;
	}
	/* LAB 1: Record i is at index i % RECORDS_PER_PAGE of page i / RECORDS_PER_PAGE. */
	for (unsigned long *site = __start_mcount_loc; site < __stop_mcount_loc; site++) {
		struct dyn_ftrace *rec =
			&pages[nr_records / RECORDS_PER_PAGE][nr_records % RECORDS_PER_PAGE];

		rec->offset = (u32)(*site - KERNEL_IMAGE_BASE);
		nr_records++;
	}
	/* END LAB 1 */
	return 0;
}

/* Replaces the calls of __fentry__ by nops. No other CPU runs yet, so no breakpoint is needed. */
static void __init nop_all_sites(void)
{
	/*
	 * LAB 2: Write many sites at once with text_alias_write(), but check before that each one
	 * holds the call that text_encode_call() makes. If one does not: panic, and name it (%pS).
	 */
	static struct text_patch patches[64] __initdata;
	unsigned long *site = __start_mcount_loc;

	while (site < __stop_mcount_loc) {
		unsigned n = 0;

		for (; n < ARRAY_SIZE(patches) && site < __stop_mcount_loc; n++, site++) {
			patches[n].addr = *site;
			text_encode_call(patches[n].old, *site, (unsigned long)__fentry__);
			if (memcmp((void *)*site, patches[n].old, TEXT_PATCH_SIZE))
				panic("ftrace: %pS does not call __fentry__", (void *)*site);
			memcpy(patches[n].new, text_nop5, TEXT_PATCH_SIZE);
		}
		text_alias_write(patches, n, TEXT_STEP_ALL);
	}
	/* END LAB 2 */
}

/*
 * init_text_free_hook: drops the records of init text, which is about to be freed. The sites stay
 * as they are, even if they call a tracer, because no CPU executes them any more. A filter keeps
 * the addresses of these sites, although they match no record now: an empty filter would mean all
 * functions.
 */
static void drop_init_records(unsigned long start, unsigned long end)
{
	unsigned first = nr_records, used;

	mutex_lock(&ftrace_lock);
	/*
	 * LAB 2: Forget the records of init text, and free the pages that have none any more. No
	 * module has been loaded yet.
	 * Starts as: (void)first, (void)used, (void)start, (void)end;
	 */
	while (first && ftrace_record_ip(ftrace_record(first - 1)) >= start)
		first--;
	WARN_ON(first < nr_records && ftrace_record_ip(ftrace_record(nr_records - 1)) >= end);
	nr_records = first;
	used = DIV_ROUND_UP(first, RECORDS_PER_PAGE);
	while (nr_pages > used)
		free_page(pages[--nr_pages]);
	/* END LAB 2 */
	mutex_unlock(&ftrace_lock);
}

/*
 * Runs after text_patch_init(), which is an early initcall, too (kernel/init.h has their order): so
 * nop_all_sites() can write through the alias of kernel text.
 */
static int __init ftrace_init(void)
{
	char value[4];
	int error;

	if (!is_sorted())
		sort(__start_mcount_loc, (size_t)(__stop_mcount_loc - __start_mcount_loc),
		     sizeof(unsigned long), compare_sites);
	/* ftrace_nop=0 is for measuring the cost of the bare calls; it has no records to trace. */
	if (cmdline_find("ftrace_nop", value, sizeof(value)) && !strcmp(value, "0")) {
		pr_info("ftrace: %zu sites keep their call of __fentry__\n",
			(size_t)(__stop_mcount_loc - __start_mcount_loc));
		return 0;
	}
	error = make_records();
	if (error) {
		nr_records = nr_pages = 0;
		return error;
	}
	nop_all_sites();
	init_text_free_hook = drop_init_records;
	pr_info("ftrace: allocating %u entries in %u pages\n", nr_records, nr_pages);
	return 0;
}
early_initcall(ftrace_init);
