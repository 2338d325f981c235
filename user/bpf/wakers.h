/* wakers: what its part in the kernel counts for its part in ring 3. */
#define SLOTS 27 /* slot N: 2^N to 2^(N+1) - 1 microseconds; the last one has all above, too */

struct pair {
	char waker[16], woken[16]; /* names of tasks */
};

struct waits {
	unsigned long long count, total, longest; /* times in nanoseconds */
};
