/* The buffers of a read or write. See uio.h. */
#include "fs/file/uio.h"
#include "kernel/lib/string.h"

void iov_iter_next_range(struct iov_iter *i)
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
			iov_iter_next_range(i);
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
