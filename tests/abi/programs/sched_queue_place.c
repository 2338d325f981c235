/*
 * The place in the queue of a real-time task that changes its policy or priority: it keeps the place with the priority,
 * is the first one of a lower level and the last one of a higher level; a slice goes on.
 */
#include "abi.h"

#include <sched.h>

static volatile struct {
	int ready, go, goes_on;
	unsigned long other;
} *shared;

static void set(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (syscall(SYS_sched_setscheduler, 0, policy, &param))
		show("sched_setscheduler: %s", error_name(errno));
}

static void stop(pid_t a, pid_t b)
{
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* A task changes itself while another one waits behind it, or comes to wait with its new priority. */
static void change(const char *name, int policy, int priority, int new_policy, int new_priority)
{
	int fds[2];
	pid_t other, task;

	memset((void *)shared, 0, sizeof(*shared));
	pipe(fds);
	other = fork();
	if (!other) {
		char byte;

		set(SCHED_FIFO, 10);
		read(fds[0], &byte, 1);
		for (;;)
			shared->other++;
	}
	until_asleep(other, other);
	task = fork();
	if (!task) {
		set(policy, priority);
		shared->ready = 1;
		while (!shared->go)
			;
		set(new_policy, new_priority);
		shared->goes_on = 1;
		for (;;)
			;
	}
	while (!shared->ready)
		usleep(1000);
	write(fds[1], "", 1);
	shared->go = 1;
	while (!shared->goes_on && !shared->other)
		usleep(1000);
	show("%s: %s", name, shared->goes_on ? "goes on" : "the other one runs");
	stop(task, other);
}

/* A task sets what it has already, more often than its slice ends. */
static void same_again(void)
{
	pid_t other, task;

	memset((void *)shared, 0, sizeof(*shared));
	task = fork();
	if (!task) {
		set(SCHED_RR, 10);
		shared->ready = 1;
		for (;;) {
			for (volatile int i = 0; i < 1000000; i++)
				;
			set(SCHED_RR, 10);
		}
	}
	while (!shared->ready)
		usleep(1000);
	other = fork();
	if (!other) {
		set(SCHED_RR, 10);
		for (;;)
			shared->other++;
	}
	while (!shared->other)
		usleep(1000);
	show("the other one has had its turn");
	stop(task, other);
}

int main(void)
{
	unsigned long mask[16] = { 1 };

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask);
	set(SCHED_FIFO, 90);
	change("the same", SCHED_FIFO, 10, SCHED_FIFO, 10);
	change("FIFO, then RR", SCHED_FIFO, 10, SCHED_RR, 10);
	change("RR, then FIFO", SCHED_RR, 10, SCHED_FIFO, 10);
	change("lower", SCHED_FIFO, 20, SCHED_FIFO, 10);
	change("below", SCHED_FIFO, 20, SCHED_FIFO, 9);
	same_again();
	return 0;
}
