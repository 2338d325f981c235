/* stress: tasks that compute and allocate, and verify their results. */
#include "kernel/time/ktime.h"
#include "shell/load/children.h"

#define WORDS  4096 /* the most words in a block of memory */
#define BLOCKS 64   /* blocks of one task */

struct stress {
	ktime_t end;
	atomic64_t checked;
	atomic_t wrong;
};

/* Counts a check, and lets other tasks run. Returns true if the time is over or a signal came. */
static bool stress_over(struct stress *s, bool right)
{
	atomic64_inc(&s->checked);
	if (!right)
		atomic_inc(&s->wrong);
	cond_resched();
	return signal_pending(current) || ktime_get() >= READ_ONCE(s->end);
}

static u64 xorshift(u64 x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ (x << 17);
}

static u64 compute(u64 x)
{
	u64 sum = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		x = xorshift(x);
		sum = (sum << 7 | sum >> 57) + x;
	}
	return sum;
}

/* Repeats one computation, which must always have the result of the first time. */
static int stress_cpu(void *arg)
{
	u64 seed = (u64)current->pid, expected = compute(seed);

	/* Without READ_ONCE the compiler computes once, and compares the result with itself. */
	while (!stress_over(arg, compute(READ_ONCE(seed)) == expected))
		;
	return 0;
}

/* Fills a block with the numbers that follow from seed, or checks that the block has them still. */
static bool fill_or_check(u64 *block, u64 seed, bool check)
{
	size_t n = block ? 1 + seed % WORDS : 0;
	bool right = true;

	for (size_t i = 0; i < n; i++) {
		seed = xorshift(seed);
		if (check)
			right &= block[i] == seed;
		else
			block[i] = seed;
	}
	return right;
}

/* Allocates and frees blocks in a random order. A failed allocation is not an error. */
static int stress_memory(void *arg)
{
	u64 *blocks[BLOCKS] = { 0 }, seeds[BLOCKS] = { 0 }, x = (u64)current->pid;
	bool right;

	do {
		unsigned i = (x >> 16) % BLOCKS;

		right = fill_or_check(blocks[i], seeds[i], true);
		kfree(blocks[i]);
		seeds[i] = x = xorshift(x);
		blocks[i] = kmalloc((1 + x % WORDS) * sizeof(u64), GFP_KERNEL);
		fill_or_check(blocks[i], x, false);
	} while (!stress_over(arg, right));
	for (unsigned i = 0; i < BLOCKS; i++) {
		stress_over(arg, fill_or_check(blocks[i], seeds[i], true));
		kfree(blocks[i]);
	}
	return 0;
}

static int cmd_stress(struct call *call)
{
	long cpu = min(option(call, 'c', 0), 10000L), memory = min(option(call, 'm', 0), 10000L);
	u64 seconds = (u64)min(option(call, 't', 10), 1000000L);
	struct stress s = { .end = ktime_get() + seconds * NSEC_PER_SEC };
	struct children *children;
	unsigned failures;
	long error = 0;

	if (!cpu && !memory)
		cpu = memory = 1;
	children = alloc_children((size_t)(cpu + memory));
	if (!children)
		return failed(call, "can't make the tasks", -ENOMEM);
	for (long i = 0; i < cpu + memory && !error; i++)
		error = add_child(children, i < cpu ? stress_cpu : stress_memory, &s);
	if (error)
		WRITE_ONCE(s.end, 0); /* the tasks that exist already return at once */
	failures = wait_for_children(children);
	kfree(children);
	if (error)
		return failed(call, "can't make the tasks", error);
	out_printf(call, "stress: %ld checksums verified\n", (long)atomic64_read(&s.checked));
	if (failures)
		out_printf(call, "stress: %u tasks did not complete\n", failures);
	if (atomic_read(&s.wrong))
		out_printf(call, "stress: %d mismatches\n", atomic_read(&s.wrong));
	return failures || atomic_read(&s.wrong);
}
SHELL_COMMAND("stress", "c:m:t:", 0, "[-c N] [-m N] [-t SECONDS]",
	      "tasks that compute (-c) and allocate (-m), their results verified",
	      .run = cmd_stress);
