/*
 * /proc/PID/{smaps,smaps_rollup,pagemap}: what the areas of a process use, from its page tables.
 *
 * nop5 keeps no accessed and dirty bits, and has no swap and no huge pages: all pages count as
 * referenced and dirty, and the lines of what does not exist say 0.
 */
#include "fs/proc/task/task.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/vm/usage.h"

static void show_kb(struct seq_file *m, const char *name, u64 bytes)
{
	seq_printf(m, "%-16s%8llu kB\n", name, (unsigned long long)(bytes / 1024));
}

static void show_none(struct seq_file *m, const char *const *names)
{
	for (; *names; names++)
		show_kb(m, *names, 0);
}

static u64 all_pss(const struct vm_usage *sum)
{
	u64 pss = 0;

	for (unsigned kind = 0; kind < NR_MM_COUNTERS; kind++)
		pss += sum->pss[kind];
	return pss >> PSS_SHIFT;
}

/* The lines that smaps and smaps_rollup share. */
static void show_sums(struct seq_file *m, const struct vm_usage *sum, bool rollup)
{
	static const char *const huge[] = { "LazyFree:",      "AnonHugePages:",  "ShmemPmdMapped:",
					    "FilePmdMapped:", "Shared_Hugetlb:", "Private_Hugetlb:",
					    "Swap:",          "SwapPss:",        NULL };

	show_kb(m, "Rss:", sum->rss);
	show_kb(m, "Pss:", all_pss(sum));
	show_kb(m, "Pss_Dirty:", all_pss(sum));
	if (rollup) {
		show_kb(m, "Pss_Anon:", sum->pss[MM_ANONPAGES] >> PSS_SHIFT);
		show_kb(m, "Pss_File:", sum->pss[MM_FILEPAGES] >> PSS_SHIFT);
		show_kb(m, "Pss_Shmem:", sum->pss[MM_SHMEMPAGES] >> PSS_SHIFT);
	}
	show_kb(m, "Shared_Clean:", 0);
	show_kb(m, "Shared_Dirty:", sum->shared);
	show_kb(m, "Private_Clean:", 0);
	show_kb(m, "Private_Dirty:", sum->private);
	show_kb(m, "Referenced:", sum->rss);
	show_kb(m, "Anonymous:", sum->anonymous);
	show_none(m, huge);
	show_kb(m, "Locked:", sum->locked >> PSS_SHIFT);
}

/* The two letters of each flag, as proc(5) lists them. */
static void show_flags(struct seq_file *m, unsigned long flags)
{
	static const struct {
		unsigned long flag;
		char name[3];
	} names[] = {
		{ VM_READ, "rd" },       { VM_WRITE, "wr" },       { VM_EXEC, "ex" },
		{ VM_SHARED, "sh" },     { VM_MAYREAD, "mr" },     { VM_MAYWRITE, "mw" },
		{ VM_MAYEXEC, "me" },    { VM_MAYSHARE, "ms" },    { VM_GROWSDOWN, "gd" },
		{ VM_LOCKED, "lo" },     { VM_IO, "io" },          { VM_DONTCOPY, "dc" },
		{ VM_DONTEXPAND, "de" }, { VM_LOCKONFAULT, "lf" }, { VM_ACCOUNT, "ac" },
		{ VM_NORESERVE, "nr" },  { VM_WIPEONFORK, "wf" },  { VM_DONTDUMP, "dd" },
	};

	seq_puts(m, "VmFlags: ");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			seq_printf(m, "%s ", names[i].name);
	seq_putc(m, '\n');
}

static int smaps_show(struct seq_file *m, void *v)
{
	const struct vm_area_struct *vma = v;
	struct vm_usage sum = {};
	int err = proc_maps_show(m, v);

	if (err)
		return err;
	vma_usage(vma, &sum);
	show_kb(m, "Size:", vma->vm_end - vma->vm_start);
	show_kb(m, "KernelPageSize:", PAGE_SIZE);
	show_kb(m, "MMUPageSize:", PAGE_SIZE);
	show_sums(m, &sum, false);
	seq_puts(m, "THPeligible:    0\n");
	show_flags(m, vma->vm_flags);
	return 0;
}

static const struct seq_operations smaps_sops = {
	.start = proc_maps_start,
	.next = proc_maps_next,
	.stop = proc_maps_stop,
	.show = smaps_show,
};

static int smaps_open(struct inode *inode, struct file *file)
{
	return proc_maps_open(inode, file, &smaps_sops);
}

const struct file_operations proc_smaps_operations = {
	.no_splice_read = true,
	.open = smaps_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = proc_maps_release,
};

/* ---- smaps_rollup ---- */

static int smaps_rollup_show(struct seq_file *m, void *v)
{
	struct mm_struct *mm = m->private;
	const struct vm_area_struct *vma;
	unsigned long start = 0, end = 0;
	struct vm_usage sum = {};
	char line[128];

	(void)v;
	if (!mm || !mmget_not_zero(mm))
		return -ESRCH;
	mmap_read_lock(mm);
	start = mm->mmap ? mm->mmap->vm_start : 0;
	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		vma_usage(vma, &sum);
		end = vma->vm_end;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	snprintf(line, sizeof(line), "%08lx-%08lx ---p 00000000 00:00 0 ", start, end);
	seq_printf(m, "%-72s [rollup]\n", line);
	show_sums(m, &sum, true);
	return 0;
}

static int smaps_rollup_open(struct inode *inode, struct file *file)
{
	struct mm_struct *mm = proc_mem_open(inode, PTRACE_MODE_READ);
	int err;

	if (IS_ERR(mm))
		return (int)PTR_ERR(mm);
	err = single_open(file, smaps_rollup_show, mm);
	if (err && mm)
		mmdrop(mm);
	return err;
}

static int smaps_rollup_release(struct inode *inode, struct file *file)
{
	struct mm_struct *mm = ((struct seq_file *)file->private_data)->private;

	if (mm)
		mmdrop(mm);
	return single_release(inode, file);
}

const struct file_operations proc_smaps_rollup_operations = {
	.no_splice_read = true,
	.open = smaps_rollup_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = smaps_rollup_release,
};

/* ---- pagemap ---- */

/* private_data. [C] */
struct pagemap_file {
	struct mm_struct *mm; /* mmgrab()bed, or NULL */
	bool show_frame;      /* the task that opened it had CAP_SYS_ADMIN */
};

static int pagemap_open(struct inode *inode, struct file *file)
{
	struct pagemap_file *p = kmalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	p->mm = proc_mem_open(inode, PTRACE_MODE_READ);
	if (IS_ERR(p->mm)) {
		int err = (int)PTR_ERR(p->mm);

		kfree(p);
		return err;
	}
	p->show_frame = capable(CAP_SYS_ADMIN);
	file->private_data = p;
	return 0;
}

static int pagemap_release(struct inode *inode, struct file *file)
{
	struct pagemap_file *p = file->private_data;

	(void)inode;
	if (p->mm)
		mmdrop(p->mm);
	kfree(p);
	return 0;
}

/* Eight bytes for each page of the address space: the position says for which. */
static ssize_t pagemap_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct pagemap_file *p = file->private_data;
	struct mm_struct *mm = p->mm;
	unsigned long addr = (unsigned long)*pos / sizeof(u64) * PAGE_SIZE;
	size_t done = 0;
	u64 entry;

	if (*pos < 0 || *pos % (loff_t)sizeof(u64) || count % sizeof(u64))
		return -EINVAL;
	if (!mm || !mmget_not_zero(mm))
		return 0;
	mmap_read_lock(mm);
	for (; done < count && (u64)*pos < TASK_SIZE_MAX / PAGE_SIZE * sizeof(u64);
	     done += sizeof(u64)) {
		entry = pagemap_entry(mm, addr, p->show_frame);
		memcpy(buf + done, &entry, sizeof(entry));
		addr += PAGE_SIZE;
		*pos += (loff_t)sizeof(u64);
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return (ssize_t)done;
}

const struct file_operations proc_pagemap_operations = {
	.no_splice_read = true,
	.open = pagemap_open,
	.read = pagemap_read,
	.llseek = proc_mem_llseek,
	.release = pagemap_release,
};
