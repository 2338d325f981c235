/*
 * What the address space of a process tells: /proc/PID/{cmdline,environ,auxv,maps,mem,statm} and
 * the lines of status that begin with Vm and Rss. smaps.c has what needs the page tables.
 */
#include "fs/proc/task/task.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/vm/mm.h"

/* ---- memory as a file: cmdline, environ, mem ---- */

struct mm_struct *proc_mem_open(struct inode *inode, unsigned mode)
{
	struct task_struct *task = proc_object(inode)->task;
	struct mm_struct *mm;

	if (!proc_task_alive(task))
		return ERR_PTR(-ESRCH);
	mm = mm_access(task, mode | PTRACE_MODE_FSCREDS);
	if (IS_ERR_OR_NULL(mm))
		return mm;
	mmgrab(mm);
	mmput(mm);
	return mm;
}

/* For files whose private_data is the address space. */
static int mm_open(struct inode *inode, struct file *file, unsigned mode)
{
	struct mm_struct *mm = proc_mem_open(inode, mode);

	if (IS_ERR(mm))
		return (int)PTR_ERR(mm);
	file->private_data = mm;
	return 0;
}

static int mm_open_read(struct inode *inode, struct file *file)
{
	return mm_open(inode, file, PTRACE_MODE_READ);
}

static int mm_release_file(struct inode *inode, struct file *file)
{
	struct mm_struct *mm = file->private_data;

	(void)inode;
	if (mm)
		mmdrop(mm);
	return 0;
}

/*
 * The end of the text of cmdline. A program that shows a title writes it over its arguments. If the
 * title is longer than they are, it goes on in the environment, up to the first NUL.
 */
static unsigned long cmdline_end(struct mm_struct *mm, unsigned long arg_end, unsigned long env_end)
{
	char last, text[64];

	if (access_remote_vm(mm, arg_end - 1, &last, 1, false) != 1 || !last)
		return arg_end;
	for (unsigned long at = arg_end; at < env_end;) {
		size_t n = access_remote_vm(mm, at, text, min(sizeof(text), env_end - at), false);
		size_t len = strnlen(text, n);

		at += len;
		if (len < sizeof(text))
			return at;
	}
	return env_end;
}

/* Reads from the range [start, end) of the address space. Releases mm. */
static ssize_t read_range(struct mm_struct *mm, unsigned long start, unsigned long end, char *buf,
			  size_t count, loff_t *pos)
{
	size_t n = 0;

	if (start < end && (u64)*pos < end - start) {
		n = min(count, end - start - (unsigned long)*pos);
		n = access_remote_vm(mm, start + (unsigned long)*pos, buf, n, false);
	}
	mmput(mm);
	*pos += (loff_t)n;
	return (ssize_t)n;
}

static ssize_t cmdline_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct mm_struct *mm = get_task_mm(proc_object(file->f_inode)->task);
	unsigned long start, end, env_end;

	if (!mm)
		return 0;
	mmap_read_lock(mm);
	start = mm->arg_start;
	end = mm->arg_end;
	env_end = mm->env_end;
	mmap_read_unlock(mm);
	if (start < end)
		end = cmdline_end(mm, end, env_end);
	return read_range(mm, start, end, buf, count, pos);
}

static ssize_t environ_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct mm_struct *mm = file->private_data;
	unsigned long start, end;

	if (!mm || !mmget_not_zero(mm))
		return 0;
	mmap_read_lock(mm);
	start = mm->env_start;
	end = mm->env_end;
	mmap_read_unlock(mm);
	return read_range(mm, start, end, buf, count, pos);
}

/* The position is an address. 0: the memory that the file was opened for has gone. */
static ssize_t mem_access(struct file *file, char *buf, size_t count, loff_t *pos, bool write)
{
	struct mm_struct *mm = file->private_data;
	size_t n;

	if (!mm || !mmget_not_zero(mm))
		return 0;
	n = access_remote_vm(mm, (unsigned long)*pos, buf, count, write);
	mmput(mm);
	if (!n && count)
		return -EIO;
	*pos += (loff_t)n;
	return (ssize_t)n;
}

static ssize_t mem_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	return mem_access(file, buf, count, pos, false);
}

static ssize_t mem_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return mem_access(file, (char *)buf, count, pos, true);
}

loff_t proc_mem_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

const struct file_operations proc_cmdline_operations = {
	.no_splice_read = true,
	.read = cmdline_read,
	.llseek = generic_file_llseek,
};
const struct file_operations proc_environ_operations = {
	.no_splice_read = true,
	.open = mm_open_read,
	.read = environ_read,
	.llseek = generic_file_llseek,
	.release = mm_release_file,
};

static int mem_open(struct inode *inode, struct file *file)
{
	return mm_open(inode, file, PTRACE_MODE_ATTACH);
}

const struct file_operations proc_mem_operations = {
	.no_splice_read = true,
	.open = mem_open,
	.read = mem_read,
	.write = mem_write,
	.llseek = proc_mem_llseek,
	.release = mm_release_file,
};

/* The vector is in the struct, so the file shows it also when the memory has gone. */
static ssize_t auxv_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct mm_struct *mm = file->private_data;
	unsigned words = 0;
	size_t size, n;

	if (!mm)
		return 0;
	while (words + 2 < AT_VECTOR_SIZE && mm->saved_auxv[words])
		words += 2;
	size = (words + 2) * sizeof(mm->saved_auxv[0]);
	if (*pos < 0 || (u64)*pos >= size)
		return 0;
	n = min(count, size - (size_t)*pos);
	memcpy(buf, (const char *)mm->saved_auxv + *pos, n);
	*pos += (loff_t)n;
	return (ssize_t)n;
}

const struct file_operations proc_auxv_operations = {
	.no_splice_read = true,
	.open = mm_open_read,
	.read = auxv_read,
	.llseek = generic_file_llseek,
	.release = mm_release_file,
};

/* ---- maps ---- */

static void put_locked_mm(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	mmput(mm);
}

/*
 * While there is an area, mm has a user and is locked.
 *
 * The record number is the address where the next area may begin, so that the reader goes on at the
 * right place after the process has changed its areas.
 */
void *proc_maps_start(struct seq_file *m, loff_t *pos)
{
	struct mm_struct *mm = m->private;
	struct vm_area_struct *vma;

	if (!proc_task_alive(proc_object(m->file->f_inode)->task))
		return ERR_PTR(-ESRCH);
	if (!mm || !mmget_not_zero(mm))
		return NULL;
	mmap_read_lock(mm);
	vma = find_vma(mm, (unsigned long)*pos);
	if (vma)
		*pos = (loff_t)vma->vm_start;
	else
		put_locked_mm(mm);
	return vma;
}

void *proc_maps_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct vm_area_struct *vma = v, *next = vma->vm_next;

	*pos = (loff_t)(next ? next->vm_start : vma->vm_end);
	if (!next)
		put_locked_mm(m->private);
	return next;
}

void proc_maps_stop(struct seq_file *m, void *v)
{
	if (v)
		put_locked_mm(m->private);
}

const char *proc_area_name(struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_ops && vma->vm_ops->name)
		return vma->vm_ops->name(vma);
	if (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return NULL;
}

int proc_maps_show(struct seq_file *m, void *v)
{
	struct vm_area_struct *vma = v;
	unsigned long flags = vma->vm_flags;
	const struct inode *inode = vma->vm_file ? vma->vm_file->f_inode : NULL;
	u32 dev = inode ? inode->i_sb->s_dev : 0;
	const char *name = NULL;
	char line[128], *path = NULL;

	snprintf(line, sizeof(line), "%08lx-%08lx %c%c%c%c %08llx %02x:%02x %llu ", vma->vm_start,
		 vma->vm_end, flags & VM_READ ? 'r' : '-', flags & VM_WRITE ? 'w' : '-',
		 flags & VM_EXEC ? 'x' : '-', flags & VM_MAYSHARE ? 's' : 'p',
		 inode ? (unsigned long long)vma->vm_pgoff << PAGE_SHIFT : 0, MAJOR(dev),
		 MINOR(dev), inode ? (unsigned long long)inode->i_ino : 0);
	if (vma->vm_file) {
		path = proc_path_text(&vma->vm_file->f_path);
		if (IS_ERR(path))
			return (int)PTR_ERR(path);
		name = path;
	} else {
		name = proc_area_name(vma);
	}
	if (name) {
		seq_printf(m, "%-72s ", line);
		seq_escape(m, name, "\n");
	} else {
		seq_puts(m, line);
	}
	seq_putc(m, '\n');
	kfree(path);
	return 0;
}

static const struct seq_operations maps_sops = {
	.start = proc_maps_start,
	.next = proc_maps_next,
	.stop = proc_maps_stop,
	.show = proc_maps_show,
};

int proc_maps_open(struct inode *inode, struct file *file, const struct seq_operations *op)
{
	struct mm_struct *mm = proc_mem_open(inode, PTRACE_MODE_READ);
	int err;

	if (IS_ERR(mm))
		return (int)PTR_ERR(mm);
	err = seq_open(file, op);
	if (!err)
		((struct seq_file *)file->private_data)->private = mm;
	else if (mm)
		mmdrop(mm);
	return err;
}

int proc_maps_release(struct inode *inode, struct file *file)
{
	struct mm_struct *mm = ((struct seq_file *)file->private_data)->private;

	if (mm)
		mmdrop(mm);
	return seq_release(inode, file);
}

static int maps_open(struct inode *inode, struct file *file)
{
	return proc_maps_open(inode, file, &maps_sops);
}

const struct file_operations proc_maps_operations = {
	.no_splice_read = true,
	.open = maps_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = proc_maps_release,
};

/* ---- sizes ---- */

/* The pages of the program's own code; other executable pages are of libraries. */
static unsigned long text_pages(const struct mm_struct *mm)
{
	unsigned long start = mm->start_code & ~(PAGE_SIZE - 1);
	unsigned long end = (mm->end_code + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);

	return min((end - start) >> PAGE_SHIFT, mm->exec_vm);
}

static unsigned long mm_counter(const struct mm_struct *mm, enum mm_counter kind)
{
	long pages = READ_ONCE(mm->rss[kind]);

	return pages > 0 ? (unsigned long)pages : 0;
}

static void show_pages(struct seq_file *m, const char *name, unsigned long pages)
{
	seq_printf(m, "%s:\t%8lu kB\n", name, pages << (PAGE_SHIFT - 10));
}

void proc_show_mm_status(struct seq_file *m, struct mm_struct *mm)
{
	unsigned long rss = get_mm_rss(mm), text = text_pages(mm);

	show_pages(m, "VmPeak", max(mm->hiwater_vm, mm->total_vm));
	show_pages(m, "VmSize", mm->total_vm);
	show_pages(m, "VmLck", mm->locked_vm);
	show_pages(m, "VmPin", (unsigned long)atomic64_read(&mm->pinned_vm));
	show_pages(m, "VmHWM", max(READ_ONCE(mm->hiwater_rss), rss));
	show_pages(m, "VmRSS", rss);
	show_pages(m, "RssAnon", mm_counter(mm, MM_ANONPAGES));
	show_pages(m, "RssFile", mm_counter(mm, MM_FILEPAGES));
	show_pages(m, "RssShmem", mm_counter(mm, MM_SHMEMPAGES));
	show_pages(m, "VmData", mm->data_vm);
	show_pages(m, "VmStk", mm->stack_vm);
	show_pages(m, "VmExe", text);
	show_pages(m, "VmLib", mm->exec_vm - text);
	show_pages(m, "VmPTE", READ_ONCE(mm->pgtables));
	show_pages(m, "VmSwap", 0);
}

int proc_pid_statm(struct seq_file *m, void *v)
{
	struct mm_struct *mm = get_task_mm(((struct proc_object *)m->private)->task);

	(void)v;
	if (!mm) {
		seq_puts(m, "0 0 0 0 0 0 0\n");
		return 0;
	}
	seq_printf(m, "%lu %lu %lu %lu 0 %lu 0\n", mm->total_vm, get_mm_rss(mm),
		   mm_counter(mm, MM_FILEPAGES) + mm_counter(mm, MM_SHMEMPAGES), text_pages(mm),
		   mm->data_vm + mm->stack_vm);
	mmput(mm);
	return 0;
}
