/* Loads that are worth tracing: hackbench (tasks that pass messages), stress (tasks that compute
 * and allocate, and verify what they get). */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

/* Children of a command. */
struct children {
	unsigned count;
	pid_t pids[];
};

static struct children *alloc_children(size_t max)
{
	return kzalloc(sizeof(struct children) + max * sizeof(pid_t), GFP_KERNEL);
}

static long add_child(struct children *children, int (*fn)(void *arg), void *arg, const char *name)
{
	pid_t pid = spawn(fn, arg, name);

	if (pid < 0)
		return pid;
	children->pids[children->count++] = pid;
	return 0;
}

/* Wait for all: how many of them failed. A signal to us is for them too. */
static unsigned wait_for_children(const struct children *children)
{
	unsigned failures = 0;
	int status, sig = 0;

	for (unsigned i = 0; i < children->count;) {
		if (kernel_wait4(children->pids[i], &status, 0) != -EINTR) {
			failures += status != 0;
			i++;
			continue;
		}
		sig = pending_signal(current);
		flush_signals(current);
		for (unsigned j = i; j < children->count; j++)
			(void)kill_pid(children->pids[j], sig); /* it may have ended by now */
	}
	if (sig)
		(void)send_signal(sig, current); /* what has ended us is not forgotten */
	return failures;
}

/* ---- hackbench ---- */

#define PAIRS   20  /* senders, and receivers, of a group */
#define MESSAGE 100 /* bytes */

/* Each sender writes to each pipe, each receiver reads one. */
struct group {
	long loops;
	struct completion *start; /* what is timed is messages, and not the making of tasks */
	atomic_t tasks; /* that have come: the first PAIRS are receivers, of the pipe so numbered */
	int pipes[PAIRS][2];
};

static bool receive(int fd, char *message)
{
	ssize_t n = 1;

	for (size_t done = 0; done < MESSAGE && n > 0; done += (size_t)n)
		n = sys_read(fd, message + done, MESSAGE - done);
	return n > 0;
}

static int hackbench_task(void *arg)
{
	struct group *group = arg;
	unsigned number = (unsigned)atomic_inc_return(&group->tasks) - 1;
	bool sender = number >= PAIRS, ok = true;
	char message[MESSAGE] = { 0 };

	/* The ends that it has no use for would hide that the others have gone. */
	for (unsigned i = 0; i < PAIRS; i++) {
		if (i != number)
			sys_close(group->pipes[i][0]);
		if (!sender)
			sys_close(group->pipes[i][1]);
	}
	set_task_comm(current, sender ? "hackbench-send" : "hackbench-recv");
	wait_for_completion(group->start);
	for (long loop = 0; loop < group->loops && ok; loop++)
		for (unsigned i = 0; i < PAIRS && ok; i++)
			ok = sender ? sys_write(group->pipes[i][1], message, MESSAGE) == MESSAGE
				    : receive(group->pipes[number][0], message);
	return !ok;
}

/* Make the pipes and tasks of a group; the descriptors here are closed again. 0 or an error. */
static long start_group(struct group *group, struct children *children)
{
	unsigned pipes = 0;
	long error = 0;

	for (; pipes < PAIRS && !error; pipes += !error)
		error = sys_pipe(group->pipes[pipes]);
	for (unsigned i = 0; i < 2 * PAIRS && !error; i++)
		error = add_child(children, hackbench_task, group, "hackbench");
	while (pipes--) {
		sys_close(group->pipes[pipes][0]);
		sys_close(group->pipes[pipes][1]);
	}
	return error;
}

int cmd_hackbench(struct call *call)
{
	long count = min(max(option(call, 'g', 10), 1L), 1000L), loops = option(call, 'l', 100);
	struct group *groups = kcalloc((size_t)count, sizeof(*groups), GFP_KERNEL);
	struct children *children = alloc_children((size_t)count * 2 * PAIRS);
	long error = groups && children ? 0 : -ENOMEM;
	DECLARE_COMPLETION(start);
	unsigned failures = 0;
	unsigned long ms;

	out_printf(call, "Running with %ld groups using %d file descriptors each (== %ld tasks)\n",
		   count, 2 * PAIRS, count * 2 * PAIRS);
	out_printf(call, "Each sender will pass %ld messages of %d bytes\n", loops, MESSAGE);
	out_flush(call);
	for (long i = 0; i < count && !error; i++) {
		groups[i].loops = loops;
		groups[i].start = &start;
		error = stopped(call) ? -EINTR : start_group(&groups[i], children);
	}
	for (long i = 0; i < count && error && groups; i++)
		groups[i].loops = 0; /* who is there already comes back at once */
	ms = ktime_get() / NSEC_PER_MSEC;
	complete_all(&start);
	if (children)
		failures = wait_for_children(children);
	ms = ktime_get() / NSEC_PER_MSEC - ms;
	kfree(children);
	kfree(groups);
	if (error)
		return failed(call, "can't make the tasks", error);
	if (!failures)
		out_printf(call, "Time: %lu.%03lu\n", ms / 1000, ms % 1000);
	return failures != 0;
}

/* ---- stress ---- */

#define WORDS  4096 /* in a block of memory, at most */
#define BLOCKS 64   /* that a task has at a time */

struct stress {
	ktime_t end;
	atomic64_t checked;
	atomic_t wrong;
};

/* Count a check. True when time is up, or a signal came; lets others run. */
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

/* The same computation again and again: each must give what the first gave. */
static int stress_cpu(void *arg)
{
	u64 seed = (u64)current->pid, expected = compute(seed);

	/* READ_ONCE: or the compiler would compute it once, and compare that with itself. */
	while (!stress_over(arg, compute(READ_ONCE(seed)) == expected))
		;
	return 0;
}

/* Write what the seed gives into a block, or check that it is there still. */
static bool pass_over(u64 *block, u64 seed, bool check)
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

/* Blocks come and go. An allocation that fails is no error. */
static int stress_memory(void *arg)
{
	u64 *blocks[BLOCKS] = { 0 }, seeds[BLOCKS] = { 0 }, x = (u64)current->pid;
	bool right;

	do {
		unsigned i = (x >> 16) % BLOCKS;

		right = pass_over(blocks[i], seeds[i], true);
		kfree(blocks[i]);
		seeds[i] = x = xorshift(x);
		blocks[i] = kmalloc((1 + x % WORDS) * sizeof(u64), GFP_KERNEL);
		pass_over(blocks[i], x, false);
	} while (!stress_over(arg, right));
	for (unsigned i = 0; i < BLOCKS; i++) {
		stress_over(arg, pass_over(blocks[i], seeds[i], true));
		kfree(blocks[i]);
	}
	return 0;
}

int cmd_stress(struct call *call)
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
		error = add_child(children, i < cpu ? stress_cpu : stress_memory, &s, "stress");
	if (error)
		WRITE_ONCE(s.end, 0); /* who is there already comes back at once */
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
