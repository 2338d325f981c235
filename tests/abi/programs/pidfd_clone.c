/* clone and clone3 with CLONE_PIDFD; pidfds of threads; a parent that ignores its children. */
#include <poll.h>
#include <pthread.h>

#include "abi.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#define CLONE_DETACHED_    0x400000
#define CLONE_THREAD_      0x10000
#define CLONE_VM_          0x100
#define CLONE_SIGHAND_     0x800
#define CLONE_PARENT_SET_  0x100000

static volatile pid_t tid;
static volatile int stop;

static void *worker(void *arg)
{
	tid = (pid_t)syscall(SYS_gettid);
	while (!stop)
		usleep(1000);
	return NULL;
}

static void ignoring(void)
{
	struct pollfd one;
	pid_t pid;
	int fd, go[2];
	char c;

	signal(SIGCHLD, SIG_IGN);
	pipe(go);
	pid = fork();
	if (!pid) {
		read(go[0], &c, 1);
		_exit(0);
	}
	fd = (int)syscall(434, pid, 0);
	write(go[1], "x", 1);
	one = (struct pollfd){ fd, POLLIN, 0 };
	CALL(poll(&one, 1, -1));
	show("%x", one.revents);
	CALL(waitid(3, (id_t)fd, NULL, WEXITED));
}

int main(void)
{
	uint64_t args[8] = { CLONE_PIDFD };
	int fd = -1, other = -1;
	pthread_t thread;
	struct pollfd one;
	siginfo_t info;
	long pid;

	pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, NULL, 0);
	if (!pid) {
		/* The child does not have the descriptor. */
		_exit(fcntl(fd, F_GETFD) == -1 ? 7 : 8);
	}
	TRUTH(fd > 2);
	show("%x", fcntl(fd, F_GETFD));
	one = (struct pollfd){ fd, POLLIN, 0 };
	CALL(poll(&one, 1, -1));
	CALL(waitid(3, (id_t)fd, &info, WEXITED));
	show("mine %d status %d", info.si_pid == pid, info.si_status);
	args[1] = (uint64_t)(uintptr_t)&other;
	args[4] = SIGCHLD;
	pid = syscall(435, args, sizeof(args));
	if (!pid)
		_exit(9);
	TRUTH(other > 2);
	CALL(waitid(3, (id_t)other, &info, WEXITED));
	show("mine %d status %d", info.si_pid == pid, info.si_status);
	CALL(syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SET_ | SIGCHLD, 0, &fd, NULL, 0));
	CALL(syscall(SYS_clone, CLONE_PIDFD | CLONE_DETACHED_ | SIGCHLD, 0, &fd, NULL, 0));
	CALL(syscall(SYS_clone, CLONE_PIDFD | CLONE_THREAD_ | CLONE_VM_ | CLONE_SIGHAND_, 0, &fd, NULL, 0));
	CALL(syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, 1, NULL, 0));
	pthread_create(&thread, NULL, worker, NULL);
	while (!tid)
		usleep(1000);
	CALL(syscall(434, tid, 0));
	stop = 1;
	pthread_join(thread, NULL);
	CHILD(ignoring);
	return 0;
}
