/* Files in the memory of programs: what kernel/vm asks of the VFS. */
#include "fs/file/file.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/open.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/task/task_work.h"
#include "kernel/vm/mm.h"
#include "kernel/workqueue/workqueue.h"

static struct file *vm_fget(unsigned fd)
{
	struct file *file = fget(fd);

	return file ? file : ERR_PTR(-EBADF);
}

static void vm_get_file(struct file *file)
{
	get_file(file);
}

static void fput_work(struct callback_head *work)
{
	fput(container_of(work, struct file, f_task_work));
}

/* Files whose last reference kernel threads and ending tasks leave to a worker. [A] */
static struct callback_head *delayed_files;

static void delayed_fput(struct work_struct *unused __unused)
{
	struct callback_head *file = xchg(&delayed_files, NULL), *next;

	for (; file; file = next) {
		next = file->next;
		fput_work(file);
	}
}
static DECLARE_WORK(delayed_fput_work, delayed_fput);

/*
 * fput() of a task that holds mmap_lock. The last fput() takes locks that stand above mmap_lock:
 * those of epoll, which watches the file. So the task calls it on its way to user mode, before its
 * system call returns; or a worker calls it. Meanwhile nobody else can get a reference.
 */
static void fput_deferred(struct file *file)
{
	struct callback_head *work = &file->f_task_work, *seen;

	if (!atomic_dec_and_test(&file->f_count))
		return;
	atomic_set(&file->f_count, 1);
	work->func = fput_work;
	if (!(current->flags & PF_KTHREAD) && !task_work_add(current, work))
		return;
	do {
		seen = READ_ONCE(delayed_files);
		work->next = seen;
	} while (cmpxchg(&delayed_files, seen, work) != seen);
	schedule_work(&delayed_fput_work);
}

static int vm_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	bool noexec = file->f_path.mnt->mnt_flags & MS_NOEXEC;
	bool shared = vma->vm_flags & VM_SHARED;

	/* A private mapping reads the file, too. */
	if (!(file->f_mode & FMODE_READ))
		return -EACCES;
	if (noexec && (vma->vm_flags & VM_EXEC))
		return -EPERM;
	if (shared && !(file->f_mode & FMODE_WRITE)) {
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		vma->vm_flags &= ~VM_MAYWRITE;
	}
	if (noexec)
		vma->vm_flags &= ~VM_MAYEXEC;
	return file->f_op->mmap ? file->f_op->mmap(file, vma) : -ENODEV;
}

static long vm_punch_hole(struct file *file, u64 offset, u64 len)
{
	if (!file->f_op->fallocate)
		return -EOPNOTSUPP;
	return file->f_op->fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				     (loff_t)offset, (loff_t)len);
}

static const char *vm_file_name(struct file *file, char *buf, size_t size)
{
	const char *path = d_path(&file->f_path, buf, size), *slash;

	if (IS_ERR(path))
		return "?";
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void vm_get_exe_file(struct file *file)
{
	get_file(file);
	WARN_ON(deny_write_access(
		file)); /* exec, or the address space that is copied, has denied */
}

static void vm_put_exe_file(struct file *file)
{
	allow_write_access(file);
	fput(file);
}

static const struct vm_file_hooks file_hooks = {
	.fget = vm_fget,
	.get_file = vm_get_file,
	.fput = fput,
	.fput_deferred = fput_deferred,
	.get_exe_file = vm_get_exe_file,
	.put_exe_file = vm_put_exe_file,
	.mmap = vm_mmap_file,
	.name = vm_file_name,
	.punch_hole = vm_punch_hole,
	.memory = file_memory,
	.task_pages = task_file_pages,
};

static int vm_hooks_init(void)
{
	vm_set_file_hooks(&file_hooks);
	return 0;
}
core_initcall(vm_hooks_init);
