/* Buffers that a program names by a list of ranges, and copies with a lock held. See uio.h. */
#include "fs/file/uio.h"
#include "kernel/mm/slab.h"

static void iov_iter_vector(struct iov_iter *i, const struct iovec *iov, unsigned nr, size_t count)
{
	(void)nr; /* count says where the last range ends */
	*i = (struct iov_iter){
		.base = (char *)iov->iov_base,
		.len = iov->iov_len,
		.count = count,
		.iov = iov + 1,
	};
}

size_t copy_to_iter_nofault(const void *from, size_t bytes, struct iov_iter *i)
{
	size_t n;

	pagefault_disable();
	n = copy_to_iter(from, bytes, i);
	pagefault_enable();
	return n;
}

size_t copy_from_iter_nofault(void *to, size_t bytes, struct iov_iter *i)
{
	size_t n;

	pagefault_disable();
	n = copy_from_iter(to, bytes, i);
	pagefault_enable();
	return n;
}

int iov_iter_fault_in(struct iov_iter *i, bool kernel_writes)
{
	char byte;

	if (!i->count)
		return 0;
	iov_iter_next_range(i);
	if (i->kernel)
		return -EFAULT;
	if (get_user(byte, (char __user *)i->base))
		return -EFAULT;
	return kernel_writes ? put_user(byte, (char __user *)i->base) : 0;
}

ssize_t import_iovec(const struct iovec __user *uvec, unsigned long nr, struct iovec **iov,
		     struct iovec *fast, struct iov_iter *i)
{
	struct iovec *vec = fast;
	size_t count = 0;
	ssize_t err = -EFAULT;

	if (nr > UIO_MAXIOV)
		return -EINVAL;
	if (nr > UIO_FASTIOV) {
		vec = kmalloc(nr * sizeof(*vec), GFP_KERNEL);
		if (!vec)
			return -ENOMEM;
	}
	if (copy_from_user(vec, uvec, nr * sizeof(*vec)))
		goto fail;
	for (unsigned long n = 0; n < nr; n++) {
		err = -EINVAL;
		if ((ssize_t)vec[n].iov_len < 0)
			goto fail;
		err = -EFAULT;
		if (!access_ok(vec[n].iov_base, vec[n].iov_len))
			goto fail;
		vec[n].iov_len = min(vec[n].iov_len, MAX_RW_COUNT - count);
		count += vec[n].iov_len;
	}
	if (nr)
		iov_iter_vector(i, vec, (unsigned)nr, count);
	else
		iov_iter_user(i, NULL, 0);
	*iov = vec;
	return (ssize_t)count;
fail:
	if (vec != fast)
		kfree(vec);
	return err;
}
