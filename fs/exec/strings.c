/*
 * The strings of exec: arguments, environment, file name. They are copied once, from the memory of
 * the caller to pages of the new stack, and lie there from the top down: file name, environment,
 * arguments; the strings of each kind upwards in their order.
 */
#include "fs/exec/binprm.h"

#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/mm/user_page.h"

#define STACK_LIMIT_MAX (6UL << 20)   /* three quarters of the default stack size */
#define ARG_MAX         (128UL << 10) /* that much is allowed however small RLIMIT_STACK is */

int count_strings(const char __user *const __user *strings)
{
	const char __user *string;
	int count = 0;

	if (!strings)
		return 0;
	for (;; count++) {
		if (get_user(string, strings + count))
			return -EFAULT;
		if (!string)
			return count;
		if (count == INT32_MAX)
			return -E2BIG;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

int bprm_stack_limits(struct linux_binprm *bprm)
{
	unsigned long limit = min(STACK_LIMIT_MAX, rlimit(RLIMIT_STACK) / 4);
	/* Linux counts an argv[0] that it adds to an empty list. */
	unsigned long pointers =
		((unsigned long)max(bprm->argc, 1) + (unsigned long)bprm->envc) * sizeof(void *);

	limit = max(limit, ARG_MAX);
	if (limit <= pointers)
		return -E2BIG;
	bprm->arg_limit = bprm->p - (limit - pointers);
	return 0;
}

/*
 * Copies len bytes from src, a user address or, for from_kernel, a kernel address, to addr in the
 * new address space.
 */
static int copy_to_stack(struct linux_binprm *bprm, unsigned long addr, const char *src, size_t len,
			 bool from_kernel)
{
	while (len) {
		size_t offset = addr & (PAGE_SIZE - 1), n = min(len, PAGE_SIZE - offset);
		struct page *page;
		char *to;
		bool failed = false;

		mmap_read_lock(bprm->mm);
		page = get_user_page(bprm->mm, addr, true);
		mmap_read_unlock(bprm->mm);
		if (IS_ERR(page))
			return -E2BIG; /* as Linux: no page for arguments */
		to = (char *)page_address(page) + offset;
		if (from_kernel)
			memcpy(to, src, n);
		else
			failed = copy_from_user(to, (const char __user *)src, n);
		put_page(page);
		if (failed)
			return -EFAULT;
		addr += n;
		src += n;
		len -= n;
		cond_resched();
	}
	return 0;
}

/* Makes room for len bytes, and copies them. */
static int push_string(struct linux_binprm *bprm, const char *src, size_t len, bool from_kernel)
{
	if (len > MAX_ARG_STRLEN)
		return -E2BIG;
	if (bprm->p - len < bprm->arg_limit)
		return -E2BIG;
	bprm->p -= len;
	return copy_to_stack(bprm, bprm->p, src, len, from_kernel);
}

int copy_strings(struct linux_binprm *bprm, int count, const char __user *const __user *strings)
{
	while (count-- > 0) {
		const char __user *string;
		long len;
		int error;

		if (get_user(string, strings + count))
			return -EFAULT;
		len = strnlen_user(string, (long)MAX_ARG_STRLEN);
		if (!len)
			return -EFAULT;
		error = push_string(bprm, (__force const char *)string, (size_t)len, false);
		if (error)
			return error;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

int copy_string_kernel(struct linux_binprm *bprm, const char *string)
{
	return push_string(bprm, string, strlen(string) + 1, true);
}

int remove_arg_zero(struct linux_binprm *bprm)
{
	char c;

	if (!bprm->argc)
		return 0;
	do {
		if (access_remote_vm(bprm->mm, bprm->p, &c, 1, false) != 1)
			return -EFAULT;
		bprm->p++;
	} while (c);
	bprm->argc--;
	return 0;
}
