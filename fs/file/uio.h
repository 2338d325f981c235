/*
 * The buffers of a read or write: a list of ranges in the memory of a program, or of the kernel.
 * The functions copy from or to the front of what is left, and consume it.
 *
 * Context: task, may sleep, because a page of the program may have to be brought in.
 */
#pragma once

#include "arch/mm/uaccess.h"
#include "fs/vfs/fs.h"

#define UIO_MAXIOV  1024
#define UIO_FASTIOV 8

/* readv(2). */
struct iovec {
	void __user *iov_base;
	size_t iov_len;
};

struct iov_iter {
	char *base;              /* the rest of the range in use */
	size_t len;              /* its length */
	size_t count;            /* bytes left in all ranges */
	const struct iovec *iov; /* the ranges that follow */
	bool kernel;             /* the ranges are memory of the kernel */
};

/* One read or write of a file. */
struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
	unsigned ki_flags; /* IOCB_* */
};
#define IOCB_APPEND 1U /* write at the end of the file */

static __always_inline void iov_iter_user(struct iov_iter *i, void __user *buf, size_t count)
{
	*i = (struct iov_iter){ .base = (char *)buf, .len = count, .count = count };
}
static __always_inline void iov_iter_kernel(struct iov_iter *i, void *buf, size_t count)
{
	*i = (struct iov_iter){ .base = buf, .len = count, .count = count, .kernel = true };
}
/* Makes the next range that is not empty the one in use. i->count is not 0. */
void iov_iter_next_range(struct iov_iter *i);

/*
 * Copy at most bytes. They return how many bytes they have copied: fewer if the iterator holds
 * fewer, or at an address that cannot be used.
 */
size_t copy_to_iter(const void *from, size_t bytes, struct iov_iter *i);
size_t copy_from_iter(void *to, size_t bytes, struct iov_iter *i);
size_t iov_iter_zero(size_t bytes, struct iov_iter *i);
/* copy_to_iter() of a word, quick if all of it goes into one range of a program. False: not all. */
static __always_inline bool put_to_iter(u64 word, struct iov_iter *i)
{
	if (unlikely(i->kernel || i->len < sizeof(word) || i->count < sizeof(word)))
		return copy_to_iter(&word, sizeof(word), i) == sizeof(word);
	if (put_user(word, (u64 __user *)i->base))
		return false;
	i->base += sizeof(word);
	i->len -= sizeof(word);
	i->count -= sizeof(word);
	return true;
}
/* Makes i shorter: at most count bytes are left. */
static inline void iov_iter_truncate(struct iov_iter *i, size_t count)
{
	i->count = min(i->count, count);
}
/*
 * The copy without page faults, which may be done with a spinlock held; iov_iter_fault_in() then
 * brings in the page at the front, for reading or writing by the kernel: 0 or -EFAULT.
 */
size_t copy_to_iter_nofault(const void *from, size_t bytes, struct iov_iter *i);
size_t copy_from_iter_nofault(void *to, size_t bytes, struct iov_iter *i);
int iov_iter_fault_in(struct iov_iter *i, bool kernel_writes);

/*
 * Reads the ranges that a program gives. *iov is fast on entry, and on success may be an
 * allocation, which the caller kfree()s if it is not fast. Returns the sum of the lengths; -EINVAL
 * (too many, or too long), -EFAULT, -ENOMEM.
 */
ssize_t import_iovec(const struct iovec __user *uvec, unsigned long nr, struct iovec **iov,
		     struct iovec *fast, struct iov_iter *i);
