/* Who gets the signal of a file: a process, one thread, a group; and who may send it. */
#include "sigio.h"
#include <pthread.h>

static int p[2], back[2], go[2];
static volatile int thread_tid;

static void *thread(void *unused)
{
	char c;

	(void)unused;
	thread_tid = (int)syscall(SYS_gettid);
	write(back[1], "x", 1);
	read(go[0], &c, 1);
	pending("thread", p[0], p[1]);
	return NULL;
}

/* Waits in sigwait, and tells what came. */
static void child(const char *name)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 3);
	write(back[1], "x", 1);
	if (sigwaitinfo(&set, &info) == SIGRTMIN + 3)
		show("%s: code %d", name, info.si_code);
	_exit(0);
}

int main(void)
{
	struct f_owner_ex ex;
	pthread_t t;
	int pid, q[2], status;
	char c;

	block_signals();
	pipe(p);
	pipe(q);
	pipe(back);
	pipe(go);

	/* One thread: the others do not see it. */
	pthread_create(&t, NULL, thread, NULL);
	read(back[0], &c, 1);
	ex = (struct f_owner_ex){ F_OWNER_TID, thread_tid };
	fcntl(p[0], F_SETOWN_EX, &ex);
	fcntl(p[0], F_SETSIG, SIGRTMIN + 3);
	fcntl(p[0], F_SETFL, O_ASYNC);
	write(p[1], "ab", 2);
	pending("main", p[0], p[1]);
	write(go[1], "x", 1);
	pthread_join(t, NULL);

	/* A group. */
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (!fork())
			child("second");
		read(back[0], &c, 1);
		fcntl(p[0], F_SETOWN, -getpid());
		write(p[1], "c", 1);
		wait(NULL);
		pending("first", p[0], p[1]);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pending("parent", p[0], p[1]);

	/* nobody may not signal root, and the file remembers who set the owner. */
	pid = fork();
	if (!pid) {
		setuid(65534);
		fcntl(q[0], F_SETOWN, getppid());
		fcntl(q[0], F_SETSIG, SIGRTMIN + 3);
		fcntl(q[0], F_SETFL, O_ASYNC);
		write(q[1], "a", 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pending("set by nobody", q[0], q[1]);
	write(q[1], "b", 1);
	pending("used by root", q[0], q[1]);
	fcntl(q[0], F_SETOWN, getpid());
	pid = fork();
	if (!pid) {
		setuid(65534);
		write(q[1], "c", 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pending("set by root, used by nobody", q[0], q[1]);
	return 0;
}
