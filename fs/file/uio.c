/* The buffers of a read or write. See uio.h. */
#include "fs/file/uio.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

void iov_iter_vector(struct iov_iter *i, const struct iovec *iov, unsigned nr, size_t count)
{
	(void)nr; /* count says where the last range ends */
	*i = (struct iov_iter){
		.base = (char *)iov->iov_base,
		.len = iov->iov_len,
		.count = count,
		.iov = iov + 1,
	};
}

/* Makes the next range that is not empty the one in use. i->count is not 0. */
static void next_range(struct iov_iter *i)
{
	while (!i->len) {
		i->base = (char *)i->iov->iov_base;
		i->len = i->iov->iov_len;
		i->iov++;
	}
}

static __always_inline void consume(struct iov_iter *i, size_t n)
{
	i->base += n;
	i->len -= n;
	i->count -= n;
}

enum iter_copy { TO_ITER, FROM_ITER, ZERO_ITER };

/* Copies n bytes of the range in use. Returns the number of bytes that it has not copied. */
static __always_inline size_t copy_range(struct iov_iter *i, void *kernel, size_t n,
					 enum iter_copy what)
{
	if (i->kernel) {
		if (what == TO_ITER)
			memcpy(i->base, kernel, n);
		else if (what == FROM_ITER)
			memcpy(kernel, i->base, n);
		else
			memset(i->base, 0, n);
		return 0;
	}
	if (what == TO_ITER)
		return copy_to_user((void __user *)i->base, kernel, n);
	if (what == FROM_ITER)
		return copy_from_user(kernel, (const void __user *)i->base, n);
	return clear_user((void __user *)i->base, n);
}

static __always_inline size_t copy_ranges(struct iov_iter *i, void *kernel, size_t bytes,
					  enum iter_copy what)
{
	size_t done = 0;

	bytes = min(bytes, i->count);
	while (done < bytes) {
		size_t n, left;

		if (unlikely(!i->len))
			next_range(i);
		n = min(bytes - done, i->len);
		left = copy_range(i, (char *)kernel + done, n, what);
		consume(i, n - left);
		done += n - left;
		if (unlikely(left))
			break;
	}
	return done;
}

size_t copy_to_iter(const void *from, size_t bytes, struct iov_iter *i)
{
	return copy_ranges(i, (void *)from, bytes, TO_ITER);
}

size_t copy_from_iter(void *to, size_t bytes, struct iov_iter *i)
{
	return copy_ranges(i, to, bytes, FROM_ITER);
}

size_t iov_iter_zero(size_t bytes, struct iov_iter *i)
{
	return copy_ranges(i, NULL, bytes, ZERO_ITER);
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
	next_range(i);
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
