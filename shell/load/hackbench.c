/* hackbench: groups of tasks that pass messages through pipes. */
#include "kernel/sched/completion.h"
#include "kernel/time/ktime.h"
#include "shell/load/children.h"

#define PAIRS      20  /* a group has so many senders, and so many receivers */
#define MESSAGE    100 /* bytes */
#define GROUPS_MAX 1000

/* Each sender writes to all pipes of the group. Each receiver reads one pipe. */
struct group {
	long loops;
	struct completion *start; /* the time starts when all tasks exist */
	atomic_t tasks; /* tasks that run; task N < PAIRS receives from pipe N, the others send */
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

	/* An unused end that stays open would hide that the other tasks have closed theirs. */
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

/*
 * Makes the pipes and tasks of a group, and closes its own descriptors of the pipes. Returns 0 or
 * an error.
 */
static long start_group(struct group *group, struct children *children)
{
	unsigned pipes = 0;
	long error = 0;

	for (; pipes < PAIRS && !error; pipes += !error)
		error = sys_pipe(group->pipes[pipes]);
	for (unsigned i = 0; i < 2 * PAIRS && !error; i++)
		error = add_child(children, hackbench_task, group);
	while (pipes--) {
		sys_close(group->pipes[pipes][0]);
		sys_close(group->pipes[pipes][1]);
	}
	return error;
}

static int hackbench(struct call *call, long count, long loops)
{
	struct group *groups = kcalloc((size_t)count, sizeof(*groups), GFP_KERNEL);
	struct children *children = alloc_children((size_t)count * 2 * PAIRS);
	long error = groups && children ? 0 : -ENOMEM;
	DECLARE_COMPLETION(start);
	unsigned failures = 0;
	unsigned long ms;

	out_printf(call, "Running with %ld groups using %d file descriptors each (== %ld tasks)\n",
		   count, 2 * PAIRS, count * 2 * PAIRS);
	out_printf(call, "Each sender will pass %ld messages of %d bytes\n", loops, MESSAGE);
	for (long i = 0; i < count && !error; i++) {
		groups[i].loops = loops;
		groups[i].start = &start;
		error = stopped(call) ? -EINTR : start_group(&groups[i], children);
	}
	for (long i = 0; i < count && error && groups; i++)
		groups[i].loops = 0; /* the tasks that exist already return at once */
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

static int cmd_hackbench(struct call *call)
{
	long count = option(call, 'g', 10);

	return count < 1 || count > GROUPS_MAX ? usage(call)
					       : hackbench(call, count, option(call, 'l', 100));
}
SHELL_COMMAND("hackbench", "g:l:", 0, "[-g GROUPS] [-l LOOPS]",
	      "tasks that pass messages through pipes (10 groups, 100 loops)",
	      .run = cmd_hackbench);
