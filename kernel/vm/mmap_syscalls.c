/* The system calls that make and remove areas: mmap, munmap, brk. */
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/internal.h"

SYSCALL_DEFINE6(mmap, unsigned long, addr, unsigned long, len, unsigned long, prot, unsigned long,
		flags, unsigned long, fd, unsigned long, off)
{
	struct file *file = NULL;
	unsigned long ret;

	if (off & ~PAGE_MASK)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS)) {
		file = vm_file_hooks->fget((unsigned)fd);
		if (IS_ERR(file))
			return PTR_ERR(file);
	} else if (flags & MAP_HUGETLB) {
		return -ENOMEM; /* there are no huge pages */
	}
	ret = vm_mmap(file, addr, len, prot, flags, off);
	if (file)
		vm_file_hooks->fput(file);
	return (long)ret;
}

SYSCALL_DEFINE2(munmap, unsigned long, addr, size_t, len)
{
	return vm_munmap(addr, len);
}

SYSCALL_DEFINE1(brk, unsigned long, brk)
{
	return (long)do_brk(brk);
}
