/* process_vm_readv(2) and process_vm_writev(2): data goes from one address space to another. */
#include "fs/file/uio.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/task/pid.h"
#include "kernel/process/ptrace.h"
#include "kernel/sched/mm.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

/* Through a page of the kernel. Returns the number of bytes moved; *failed: an address is bad. */
static size_t move_range(struct mm_struct *mm, const struct iovec *remote, struct iov_iter *local,
			 void *page, bool write, bool *failed)
{
	unsigned long addr = (unsigned long)remote->iov_base;
	size_t left = min(remote->iov_len, local->count), done = 0;

	while (left && !*failed) {
		size_t n = min(left, PAGE_SIZE - (addr & ~PAGE_MASK)), moved;

		if (write) {
			moved = copy_from_iter(page, n, local);
			*failed = moved < n;
			n = moved;
			moved = access_process_vm(mm, addr, page, n, true);
		} else {
			moved = access_process_vm(mm, addr, page, n, false);
			*failed = moved < n;
			n = moved;
			moved = copy_to_iter(page, n, local);
		}
		*failed |= moved < n;
		addr += moved;
		done += moved;
		left -= moved;
	}
	return done;
}

static ssize_t move_all(struct mm_struct *mm, const struct iovec *remote, unsigned long nr,
			struct iov_iter *local, bool write)
{
	void *page = get_free_page(GFP_KERNEL);
	bool failed = false;
	size_t done = 0;

	if (!page)
		return -ENOMEM;
	for (unsigned long i = 0; i < nr && !failed; i++)
		done += move_range(mm, &remote[i], local, page, write, &failed);
	free_page(page);
	return failed && !done ? -EFAULT : (ssize_t)done;
}

/* The address space of a process that the current task may look into; or an ERR_PTR. */
static struct mm_struct *mm_of(pid_t pid)
{
	struct task_struct *task = find_get_task_by_pid(pid);
	struct mm_struct *mm;

	if (!task)
		return ERR_PTR(-ESRCH);
	mm = mm_access(task, PTRACE_MODE_ATTACH_REALCREDS);
	put_task_struct(task);
	if (mm == ERR_PTR(-EACCES)) /* what Linux returns */
		return ERR_PTR(-EPERM);
	return mm ? mm : ERR_PTR(-ESRCH);
}

static ssize_t process_vm_rw(pid_t pid, const struct iovec __user *lvec, unsigned long liovcnt,
			     const struct iovec __user *rvec, unsigned long riovcnt,
			     unsigned long flags, bool write)
{
	struct iovec fast_local[UIO_FASTIOV], fast_remote[UIO_FASTIOV], *local, *remote;
	struct iov_iter iter, unused;
	struct mm_struct *mm;
	ssize_t ret;

	if (flags)
		return -EINVAL;
	ret = import_iovec(lvec, liovcnt, &local, fast_local, &iter);
	if (ret < 0)
		return ret;
	if (!ret || !riovcnt)
		goto free_local;
	ret = import_iovec(rvec, riovcnt, &remote, fast_remote, &unused);
	if (ret < 0)
		goto free_local;
	mm = mm_of(pid);
	ret = PTR_ERR(mm);
	if (!IS_ERR(mm)) {
		ret = move_all(mm, remote, riovcnt, &iter, write);
		mmput(mm);
	}
	if (remote != fast_remote)
		kfree(remote);
free_local:
	if (local != fast_local)
		kfree(local);
	return riovcnt || ret < 0 ? ret : 0;
}

SYSCALL_DEFINE6(process_vm_readv, pid_t, pid, const struct iovec __user *, lvec, unsigned long,
		liovcnt, const struct iovec __user *, rvec, unsigned long, riovcnt, unsigned long,
		flags)
{
	return process_vm_rw(pid, lvec, liovcnt, rvec, riovcnt, flags, false);
}

SYSCALL_DEFINE6(process_vm_writev, pid_t, pid, const struct iovec __user *, lvec, unsigned long,
		liovcnt, const struct iovec __user *, rvec, unsigned long, riovcnt, unsigned long,
		flags)
{
	return process_vm_rw(pid, lvec, liovcnt, rvec, riovcnt, flags, true);
}
