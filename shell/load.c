/* Loads that are worth tracing: hackbench (tasks that pass messages) and stress (tasks that
 * compute). */
#include "fs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "shell/command.h"

/* Wait for n children of this task; how many of them failed. Passes a signal of ours on to them. */
static unsigned wait_for_children(const pid_t *pids, unsigned n)
{
	unsigned failed = 0;
	bool killed = false;

	for (unsigned i = 0; i < n;) {
		int status = 0, sig = pending_signal(current);
		pid_t pid;

		if (sig && !killed) {
			for (unsigned j = i; j < n; j++) {
				struct task_struct *p = find_get_task_by_pid(pids[j]);

				if (!p)
					continue;
				(void)send_signal(SIGTERM, p); /* it may be a zombie by now */
				put_task_struct(p);
			}
			killed = true;
		}
		if (sig)
			flush_signals(current);
		pid = kernel_wait4(pids[i], &status, 0);
		if (pid == -EINTR)
			continue;
		failed += pid < 0 || status != 0;
		i++;
	}
	if (killed)
		(void)send_signal(SIGTERM,
				  current); /* what ended us is not forgotten: never refused */
	return failed;
}

/* ---- hackbench ---- */

#define HACKBENCH_PAIR    20  /* senders, and receivers, of a group */
#define HACKBENCH_MESSAGE 100 /* bytes */

/*
 * What all groups share. Receivers and senders say that they are ready, and start together when the
 * gate opens, so that what is timed is messages and not the making of tasks.
 */
struct hackbench {
	unsigned groups;
	long loops;
	atomic_t ready;
	bool open, abort; /* [A] */
	wait_queue_head_t all_ready, gate;
};

/* One task's part. The pipes are made by the parent, one for each receiver of the group. */
struct hackbench_task {
	struct hackbench *bench;
	bool sender;
	unsigned nr_fds;
	/* Sender: to write to. Receiver: fds[0] to read from, the rest it has no use for. */
	int fds[HACKBENCH_PAIR + 1];
};

static void hackbench_wait_for_start(struct hackbench *bench)
{
	atomic_inc(&bench->ready);
	wake_up(&bench->all_ready);
	(void)wait_event_interruptible(bench->gate,
				       READ_ONCE(bench->open)); /* -EINTR: seen below */
}

static bool move_message(int fd, char *message, bool send)
{
	size_t done = 0;

	while (done < HACKBENCH_MESSAGE) {
		ssize_t n = send ? sys_write(fd, message + done, HACKBENCH_MESSAGE - done)
				 : sys_read(fd, message + done, HACKBENCH_MESSAGE - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int hackbench_sender(const struct hackbench_task *task)
{
	char message[HACKBENCH_MESSAGE] = { 0 };

	for (long loop = 0; loop < task->bench->loops; loop++)
		for (unsigned i = 0; i < HACKBENCH_PAIR; i++)
			if (!move_message(task->fds[i], message, true))
				return 1;
	return 0;
}

static int hackbench_receiver(const struct hackbench_task *task)
{
	char message[HACKBENCH_MESSAGE];

	/* Or there would be no end of file when senders have failed. */
	for (unsigned i = 1; i < task->nr_fds; i++)
		sys_close(task->fds[i]);
	for (long n = 0; n < task->bench->loops * HACKBENCH_PAIR; n++)
		if (!move_message(task->fds[0], message, false))
			return 1;
	return 0;
}

static int hackbench_task(void *arg)
{
	struct hackbench_task *task = arg;
	int status = 1;

	current->ignored_signals = 0;
	hackbench_wait_for_start(task->bench);
	if (!signal_pending(current) && !READ_ONCE(task->bench->abort))
		status = task->sender ? hackbench_sender(task) : hackbench_receiver(task);
	kfree(task);
	return status;
}

static pid_t hackbench_start(struct hackbench *bench, bool sender, const int *fds, unsigned n)
{
	struct hackbench_task *task = kzalloc(sizeof(*task), GFP_KERNEL);
	struct task_struct *p;
	pid_t pid;

	if (!task)
		return -ENOMEM;
	task->bench = bench;
	task->sender = sender;
	task->nr_fds = n;
	memcpy(task->fds, fds, n * sizeof(*fds));
	p = kernel_clone(hackbench_task, task, sender ? "hackbench-send" : "hackbench-recv");
	if (IS_ERR(p)) {
		kfree(task);
		return (pid_t)PTR_ERR(p);
	}
	pid = p->pid;
	put_task_struct(p);
	return pid;
}

/* The tasks of one group; their descriptors are copies, so ours are closed. Adds to pids; 0 or an
 * error. */
static int hackbench_group(struct hackbench *bench, pid_t *pids, unsigned *nr_pids)
{
	int fds[HACKBENCH_PAIR + 1], *const writers = fds + 1; /* fds[0]: the last pipe's reader */
	unsigned nr_pipes = 0;
	pid_t pid = 0;

	for (; nr_pipes < HACKBENCH_PAIR && pid >= 0; nr_pipes++) {
		int pipe[2];

		pid = (pid_t)sys_pipe(pipe);
		if (pid < 0)
			break;
		fds[0] = pipe[0];
		writers[nr_pipes] = pipe[1];
		pid = hackbench_start(bench, false, fds, nr_pipes + 2);
		if (pid > 0)
			pids[(*nr_pids)++] = pid;
		sys_close(fds[0]);
	}
	for (unsigned i = 0; i < HACKBENCH_PAIR && pid >= 0; i++) {
		pid = hackbench_start(bench, true, writers, HACKBENCH_PAIR);
		if (pid > 0)
			pids[(*nr_pids)++] = pid;
	}
	while (nr_pipes)
		sys_close(writers[--nr_pipes]);
	return pid < 0 ? pid : 0;
}

/* All messages of all groups. */
static int hackbench_run(struct sh_io *io, struct hackbench *bench, pid_t *pids)
{
	unsigned nr_pids = 0, failed;
	int error = 0;
	u64 start;

	for (unsigned i = 0; i < bench->groups && !error; i++)
		error = hackbench_group(bench, pids, &nr_pids);
	if (!error)
		error = wait_event_interruptible(bench->all_ready,
						 (unsigned)atomic_read(&bench->ready) == nr_pids);
	WRITE_ONCE(bench->abort, error != 0);
	start = ktime_get();
	WRITE_ONCE(bench->open, true);
	wake_up_all(&bench->gate);
	failed = wait_for_children(pids, nr_pids);
	if (error && error != -EINTR)
		return fail_with(io, "can't make the tasks", error);
	if (failed || error)
		return 1;
	start = ktime_get() - start;
	out_printf(io, "Time: %llu.%03llu\n", (unsigned long long)(start / NSEC_PER_SEC),
		   (unsigned long long)(start / NSEC_PER_MSEC % 1000));
	return 0;
}

static int cmd_hackbench(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	struct hackbench *bench;
	long groups = 10, loops = 100;
	pid_t *pids;
	int c, status;

	while ((c = next_option(io, argc, argv, "g:l:", &options)) > 0)
		if (!parse_number(io, options.value, 1, c == 'g' ? 1000 : 1L << 40,
				  c == 'g' ? &groups : &loops))
			return 1;
	if (c < 0)
		return 1;
	bench = kzalloc(sizeof(*bench), GFP_KERNEL);
	pids = kcalloc((size_t)groups * 2 * HACKBENCH_PAIR, sizeof(*pids), GFP_KERNEL);
	if (bench && pids) {
		bench->groups = (unsigned)groups;
		bench->loops = loops;
		init_waitqueue_head(&bench->all_ready);
		init_waitqueue_head(&bench->gate);
		out_printf(
			io,
			"Running with %ld groups using %d file descriptors each (== %ld tasks)\n",
			groups, 2 * HACKBENCH_PAIR, groups * 2 * HACKBENCH_PAIR);
		out_printf(io, "Each sender will pass %ld messages of %d bytes\n", loops,
			   HACKBENCH_MESSAGE);
		out_flush(io);
		status = hackbench_run(io, bench, pids);
	} else {
		status = fail_with(io, "no room for the tasks", -ENOMEM);
	}
	kfree(pids);
	kfree(bench);
	return status;
}

/* ---- stress ---- */

#define STRESS_WORDS 4096

struct stress {
	u64 end; /* ktime */
	atomic64_t rounds;
	atomic_t mismatches;
};

static u64 xorshift(u64 x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ (x << 17);
}

/* Time is up, or a signal came. Lets others run. */
static bool stress_over(const struct stress *s)
{
	cond_resched();
	return signal_pending(current) || ktime_get() >= s->end;
}

static u64 compute(u64 seed)
{
	u64 x = seed, sum = 0;

	for (unsigned i = 0; i < 64 * STRESS_WORDS; i++) {
		x = xorshift(x);
		sum = (sum << 7 | sum >> 57) + x;
	}
	return sum;
}

/* The same computation again and again: each must give what the first gave. */
static int stress_cpu(void *arg)
{
	struct stress *s = arg;
	u64 seed = 0x9e3779b97f4a7c15ULL * (u64)current->pid, expected = compute(seed);

	current->ignored_signals = 0;
	while (!stress_over(s)) {
		if (compute(seed) != expected)
			atomic_inc(&s->mismatches);
		atomic64_inc(&s->rounds);
	}
	return 0;
}

#define STRESS_BLOCKS 64

struct stress_block {
	u64 *words;
	size_t count;
	u64 seed;
	bool virtual;
};

static void stress_fill(struct stress_block *b, u64 seed)
{
	b->seed = seed;
	b->count = 1 + (seed >> 8) % STRESS_WORDS;
	b->virtual = seed % 8 == 0;
	b->words = b->virtual ? vmalloc(b->count * sizeof(u64))
			      : kmalloc(b->count * sizeof(u64), GFP_KERNEL);
	for (size_t i = 0; b->words && i < b->count; i++)
		b->words[i] = seed = xorshift(seed);
}

/* What was written must still be there when the block is given back. */
static void stress_check_and_free(struct stress *s, struct stress_block *b)
{
	u64 x = b->seed;

	for (size_t i = 0; b->words && i < b->count; i++) {
		x = xorshift(x);
		if (b->words[i] != x) {
			atomic_inc(&s->mismatches);
			break;
		}
	}
	if (b->virtual)
		vfree(b->words);
	else
		kfree(b->words);
	b->words = NULL;
}

static int stress_memory(void *arg)
{
	struct stress *s = arg;
	struct stress_block *blocks = kcalloc(STRESS_BLOCKS, sizeof(*blocks), GFP_KERNEL);
	u64 seed = 0x9e3779b97f4a7c15ULL * (u64)current->pid;

	current->ignored_signals = 0;
	if (!blocks)
		return 1;
	while (!stress_over(s)) {
		struct stress_block *b;

		seed = xorshift(seed);
		b = &blocks[seed % STRESS_BLOCKS];
		stress_check_and_free(s, b);
		stress_fill(b, xorshift(seed));
		atomic64_inc(&s->rounds);
	}
	for (unsigned i = 0; i < STRESS_BLOCKS; i++)
		stress_check_and_free(s, &blocks[i]);
	kfree(blocks);
	return 0;
}

static int stress_run(struct sh_io *io, struct stress *s, pid_t *pids, unsigned cpu,
		      unsigned memory)
{
	unsigned n = 0, failed;
	long error = 0;

	for (unsigned i = 0; i < cpu + memory && !error; i++) {
		struct task_struct *p =
			kernel_clone(i < cpu ? stress_cpu : stress_memory, s, "stress");

		if (IS_ERR(p)) {
			error = PTR_ERR(p);
			WRITE_ONCE(s->end, 0);
			break;
		}
		pids[n++] = p->pid;
		put_task_struct(p);
	}
	failed = wait_for_children(pids, n);
	if (error)
		return fail_with(io, "can't make the tasks", error);
	if (atomic_read(&s->mismatches)) {
		out_printf(io, "stress: %d checksums are WRONG (mismatch)\n",
			   atomic_read(&s->mismatches));
		return 1;
	}
	if (failed) {
		out_printf(io, "stress: %u tasks did not complete\n", failed);
		return 1;
	}
	out_printf(io, "stress: %lld checksums verified\n", (long long)atomic64_read(&s->rounds));
	return 0;
}

static int cmd_stress(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	long cpu = 0, memory = 0, seconds = 10;
	struct stress *s;
	pid_t *pids;
	int c, status;

	while ((c = next_option(io, argc, argv, "c:m:t:", &options)) > 0)
		if (!parse_number(io, options.value, 0, c == 't' ? 1000000 : 10000,
				  c == 'c'   ? &cpu
				  : c == 'm' ? &memory
					     : &seconds))
			return 1;
	if (c < 0)
		return 1;
	if (!cpu && !memory)
		cpu = memory = 1;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	pids = kcalloc((size_t)(cpu + memory), sizeof(*pids), GFP_KERNEL);
	if (s && pids) {
		s->end = ktime_get() + (u64)seconds * NSEC_PER_SEC;
		status = stress_run(io, s, pids, (unsigned)cpu, (unsigned)memory);
	} else {
		status = fail_with(io, "no room for the tasks", -ENOMEM);
	}
	kfree(pids);
	kfree(s);
	return status;
}

const struct sh_command_def load_commands[] = {
	{ "hackbench", cmd_hackbench, "[-g GROUPS] [-l LOOPS]",
	  "tasks that pass messages through pipes (10 groups of 40, 100 loops)" },
	{ "stress", cmd_stress, "[-c N] [-m N] [-t SECONDS]",
	  "tasks that compute (-c) and allocate (-m), results verified" },
	{ 0 },
};
