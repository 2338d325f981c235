/* The memory of all checks that run now. See check_memory.h. */
#include "trace/bpf/core/check_memory.h"

#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/wait.h"

static atomic64_t total;                 /* [A] bytes of all checks */
static struct bpf_check_memory *growing; /* [A] the one that may go beyond the limit; NULL: none */
static DECLARE_WAIT_QUEUE_HEAD(turn_queue); /* checks that would go beyond it, too */

/* True: it is within the limit, or it is now the one that may go beyond. */
static bool may_grow(struct bpf_check_memory *memory, size_t size)
{
	u64 limit = (u64)total_pages() * PAGE_SIZE / 8;

	return READ_ONCE(growing) == memory || (u64)atomic64_read(&total) + size <= limit ||
	       !cmpxchg(&growing, NULL, memory);
}

static void count(struct bpf_check_memory *memory, ssize_t size)
{
	memory->bytes += (size_t)size;
	atomic64_add(size, &total);
}

static int wait(struct bpf_check_memory *memory, size_t size)
{
	return wait_event_interruptible(turn_queue, may_grow(memory, size)) ? -EAGAIN : 0;
}

int bpf_check_memory_begin(struct bpf_check_memory *memory, size_t size)
{
	int error = wait(memory, size);

	if (!error)
		count(memory, (ssize_t)size);
	return error;
}

void *bpf_check_memory_alloc(struct bpf_check_memory *memory, size_t size, int *error)
{
	void *object;

	*error = wait(memory, size);
	if (*error)
		return NULL;
	object = kzalloc(size, GFP_KERNEL);
	if (object)
		count(memory, (ssize_t)ksize(object));
	else
		*error = -ENOMEM;
	return object;
}

void bpf_check_memory_free(struct bpf_check_memory *memory, void *object)
{
	if (object)
		count(memory, -(ssize_t)ksize(object));
	kfree(object);
}

void bpf_check_memory_end(struct bpf_check_memory *memory)
{
	count(memory, -(ssize_t)memory->bytes);
	(void)cmpxchg(&growing, memory, NULL);
	wake_up_all(&turn_queue);
}
