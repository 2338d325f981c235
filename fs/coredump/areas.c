/*
 * Memory in a core file. As Linux with its default filter, a core file has the memory that only the
 * process knows: anonymous memory, shared memory without a name, changed pages of private files,
 * the vDSO. Of an ELF file it has the first page, by which a debugger finds out which file that is.
 *
 * Other processes may share the address space and go on running. So what is to be written is noted
 * once, with mmap_lock held, and a page that has gone by then is a hole.
 */
#include "fs/coredump/internal.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/usage.h"

#define FILES_MAX (4UL << 20) /* of NT_FILE */

/* ---- which memory. mmap_lock held ---- */

static bool has_own_pages(const struct vm_area_struct *vma)
{
	struct vm_usage usage = {};

	vma_usage(vma, &usage);
	return usage.anonymous;
}

static bool is_elf(struct vm_area_struct *vma)
{
	struct page *page = get_user_page(vma->vm_mm, vma->vm_start, false);
	bool elf;

	if (IS_ERR(page))
		return false;
	elf = !memcmp(page_address(page), "\177ELF", 4);
	put_page(page);
	return elf;
}

/* How many bytes of the area the file contains. */
static unsigned long dump_size(struct vm_area_struct *vma)
{
	unsigned long whole = vma->vm_end - vma->vm_start;

	if (vma->vm_flags & (VM_DONTDUMP | VM_IO))
		return 0;
	if (vma->vm_ops && vma->vm_ops->whole) /* the vDSO */
		return whole;
	if (vma->vm_flags & VM_SHARED)
		return !vma->vm_file || !vma->vm_file->f_inode->i_nlink ? whole : 0;
	if (!vma->vm_file || has_own_pages(vma))
		return whole;
	return !vma->vm_pgoff && (vma->vm_flags & VM_READ) && is_elf(vma) ? PAGE_SIZE : 0;
}

/* ---- NT_FILE: which files the areas show. mmap_lock held ---- */

/* Writes the note to files, size bytes. Returns its length, or 0 if it does not fit. */
static size_t write_files(const struct mm_struct *mm, char *files, size_t size)
{
	const struct vm_area_struct *vma;
	u64 *entry = (u64 *)files, count = 0;
	char *names, *path;

	for (vma = mm->mmap; vma; vma = vma->vm_next)
		count += vma->vm_file != NULL;
	names = files + (2 + 3 * count) * sizeof(u64);
	if (names + PATH_MAX > files + size)
		return 0;
	*entry++ = count;
	*entry++ = PAGE_SIZE;
	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		if (!vma->vm_file)
			continue;
		if (names + PATH_MAX > files + size)
			return 0;
		*entry++ = vma->vm_start;
		*entry++ = vma->vm_end;
		*entry++ = vma->vm_pgoff;
		path = d_path(&vma->vm_file->f_path, names, PATH_MAX);
		if (IS_ERR(path))
			path = names, *path = '\0';
		memmove(names, path, strlen(path) + 1);
		names += strlen(names) + 1;
	}
	return (size_t)(names - files);
}

static int find_files(struct coredump *core)
{
	size_t size;

	for (size = 4 * PATH_MAX; size <= FILES_MAX; size *= 4) {
		core->files = kvzalloc(size, GFP_KERNEL);
		if (!core->files)
			return -ENOMEM;
		core->files_size = write_files(core->mm, core->files, size);
		if (core->files_size)
			return 0;
		kvfree(core->files);
		core->files = NULL;
	}
	return 0; /* without the note */
}

static int find_areas(struct coredump *core)
{
	struct vm_area_struct *vma;
	struct core_area *area;

	core->areas = kvzalloc((size_t)core->mm->map_count * sizeof(*area), GFP_KERNEL);
	if (!core->areas)
		return -ENOMEM;
	for (vma = core->mm->mmap; vma; vma = vma->vm_next) {
		area = &core->areas[core->nr_areas++];
		area->start = vma->vm_start;
		area->end = vma->vm_end;
		area->vm_flags = vma->vm_flags;
		area->anonymous = !vma->vm_ops;
		area->size = dump_size(vma);
	}
	return find_files(core);
}

int core_find_areas(struct coredump *core)
{
	int error;

	mmap_read_lock(core->mm);
	error = find_areas(core);
	mmap_read_unlock(core->mm);
	return error;
}

void core_free_areas(struct coredump *core)
{
	kvfree(core->areas);
	kvfree(core->files);
}

/* ---- the contents ---- */

/* The next page that is not a hole. */
static unsigned long next_page(const struct coredump *core, const struct core_area *area,
			       unsigned long addr, unsigned long end)
{
	if (!area->anonymous || addr >= end)
		return addr;
	mmap_read_lock(core->mm);
	addr = vm_next_present(core->mm, addr, end);
	mmap_read_unlock(core->mm);
	return addr;
}

bool core_emit_area(struct coredump *core, const struct core_area *area)
{
	unsigned long end = area->start + area->size, addr;
	loff_t begin = core->pos;
	void *page = kmalloc(PAGE_SIZE, GFP_KERNEL);
	bool good = page;

	/* The holes of a file may be many: the task can be killed there, too. */
	for (addr = next_page(core, area, area->start, end);
	     good && addr < end && !fatal_signal_pending(current);
	     addr = next_page(core, area, addr + PAGE_SIZE, end)) {
		if (access_remote_vm(core->mm, addr, page, PAGE_SIZE, false) != PAGE_SIZE)
			continue; /* behind the end of the file */
		core_seek(core, begin + (loff_t)(addr - area->start));
		good = core_emit(core, page, PAGE_SIZE);
	}
	kfree(page);
	core_seek(core, begin + (loff_t)area->size);
	return good;
}
