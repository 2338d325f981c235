/*
 * /sys/kernel/debug/page_tables: the mapped address ranges and their access rights, read from the
 * page tables themselves. The lines have the format of Linux's kernel_page_tables. The last line
 * counts the pages that are writable and executable.
 */
#include "arch/mm/pgtable.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"

static void show_size(struct seq_file *m, unsigned long size)
{
	static const char units[] = "KMGTPE";
	const char *unit = units;

	size /= 1024;
	while (!(size % 1024) && unit[1]) {
		size /= 1024;
		unit++;
	}
	seq_printf(m, " %9lu%c ", size, *unit);
}

static const char *level_name(unsigned long entry_size)
{
	return entry_size >= 1UL << 30 ? "pud" : entry_size >= 1UL << 21 ? "pmd" : "pte";
}

static void show_range(struct seq_file *m, const struct page_table_range *r)
{
	seq_printf(m, "0x%016lx-0x%016lx", r->start, r->end);
	show_size(m, r->end - r->start);
	seq_printf(m, "%s%s %s%s%s%s%s%s\n", r->prot & _PAGE_USER ? "USR " : "    ",
		   r->prot & _PAGE_RW ? "RW" : "ro", r->prot & _PAGE_PWT ? "PWT " : "    ",
		   r->prot & _PAGE_PCD ? "PCD " : "    ",
		   r->entry_size > PAGE_SIZE ? "PSE " : "    ",
		   r->prot & _PAGE_GLOBAL ? "GLB " : "    ", r->prot & _PAGE_NX ? "NX " : "x  ",
		   level_name(r->entry_size));
}

static int page_tables_show(struct seq_file *m, void *v)
{
	struct page_table_range range;
	const char *area = "";
	unsigned long addr = 0;

	(void)v;
	while (page_table_next_range(addr, &range)) {
		const char *name = page_table_area_name(range.start);

		if (strcmp(name, area)) {
			seq_printf(m, "---[ %s ]---\n", name);
			area = name;
		}
		show_range(m, &range);
		addr = range.end;
		if (!addr)
			break;
	}
	seq_printf(m, "W+X pages: %llu\n", (unsigned long long)page_table_count_wx());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(page_tables);

static int __init page_tables_init(void)
{
	struct dentry *dentry =
		debugfs_create_file("page_tables", 0400, NULL, NULL, &page_tables_fops);

	return IS_ERR(dentry) ? (int)PTR_ERR(dentry) : 0;
}
device_initcall(page_tables_init);
