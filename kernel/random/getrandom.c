/* getrandom(2). */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/random/random.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"

#define GRND_NONBLOCK 1
#define GRND_RANDOM   2
#define GRND_INSECURE 4

SYSCALL_DEFINE3(getrandom, char __user *, ubuf, size_t, len, unsigned int, flags)
{
	struct random_stream stream = { 0 };
	size_t done = 0;

	if (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	if ((flags & (GRND_INSECURE | GRND_RANDOM)) == (GRND_INSECURE | GRND_RANDOM))
		return -EINVAL;
	len = min(len, (size_t)INT32_MAX);
	random_stream_begin(&stream);
	while (done < len) {
		size_t n = min(len - done, sizeof(stream.block)), left;

		random_stream_next(&stream);
		left = copy_to_user(ubuf + done, stream.block, n);
		done += n - left;
		/* The counter has 32 bits; a new key also gives other tasks their turn. */
		if (left || (done % PAGE_SIZE == 0 && signal_pending(current)))
			break;
		if (done % PAGE_SIZE == 0)
			cond_resched();
	}
	memset(&stream, 0, sizeof(stream));
	return done || !len ? (long)done : -EFAULT;
}
