/* Sets of registers in the formats of core dumps: GETREGSET and SETREGSET. */
#include "arch/mm/uaccess.h"
#include "arch/user/ptrace.h"
#include "kernel/mm/slab.h"
#include "kernel/ptrace/ptrace.h"

struct iovec_of_registers {
	void __user *base;
	size_t len;
};

static long get_regset(struct task_struct *task, const struct user_regset *regset,
		       struct iovec_of_registers *iov, u8 *buf)
{
	long error = regset->get(task, buf);

	if (error)
		return error;
	return copy_to_user(iov->base, buf, iov->len) ? -EFAULT : 0;
}

/* What the program gives replaces the beginning. */
static long set_regset(struct task_struct *task, const struct user_regset *regset,
		       struct iovec_of_registers *iov, u8 *buf)
{
	long error = regset->get(task, buf);

	if (error)
		return error;
	if (copy_from_user(buf, iov->base, iov->len))
		return -EFAULT;
	return regset->set(task, buf, iov->len);
}

long ptrace_regset(struct task_struct *task, unsigned long type, void __user *uiov, bool set)
{
	const struct user_regset *regset = arch_regset((unsigned)type);
	struct iovec_of_registers iov;
	long error;
	u8 *buf;

	if (copy_from_user(&iov, uiov, sizeof(iov)))
		return -EFAULT;
	if (!regset || iov.len % sizeof(u64))
		return -EINVAL;
	buf = kzalloc(regset->size(), GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	iov.len = min(iov.len, regset->size());
	error = set ? set_regset(task, regset, &iov, buf) : get_regset(task, regset, &iov, buf);
	kfree(buf);
	if (!error && put_user(iov.len, &((struct iovec_of_registers __user *)uiov)->len))
		error = -EFAULT;
	return error;
}
