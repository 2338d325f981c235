/* flock(2): whose the lock is: duplicates, children, other opens; conversion, waiting, errors. */
#include "abi.h"
#include <sys/file.h>

static int a, b;

static void child_unlocks(void)
{
	CALL(flock(a, LOCK_UN));
}

static void child_exec_like(void)
{
	int own = open("f", O_RDONLY);

	CALL(flock(own, LOCK_EX | LOCK_NB));
	close(own);
	close(a);
}

static void handler(int sig)
{
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };
	struct itimerval timer = { { 0, 20000 }, { 0, 20000 } }, off = { 0 };
	int ready[2], status, d;
	pid_t pid;
	char c;

	a = open("f", O_RDWR | O_CREAT, 0644);
	b = open("f", O_RDONLY);
	CALL(flock(a, LOCK_SH));
	CALL(flock(b, LOCK_SH | LOCK_NB));
	CALL(flock(a, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_UN));
	/* A failed conversion has lost the lock that was there. */
	CALL(flock(b, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_UN));
	CALL(flock(a, LOCK_EX | LOCK_NB));
	CALL(flock(a, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_SH | LOCK_NB));
	d = dup(a);
	close(a);
	CALL(flock(b, LOCK_SH | LOCK_NB));
	a = d;
	CHILD(child_exec_like);
	CALL(flock(b, LOCK_SH | LOCK_NB));
	CHILD(child_unlocks);
	CALL(flock(b, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_UN));

	/* A lock of the other kind does not matter. */
	CALL(flock(a, LOCK_EX));
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	CALL(fcntl(b, F_SETLK, &lock));

	/* Waiting: until the holder closes; a signal ends it. */
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	CALL(flock(b, LOCK_SH));
	setitimer(ITIMER_REAL, &off, NULL);
	pipe(ready);
	pid = fork();
	if (!pid) {
		close(a);
		write(ready[1], "x", 1);
		if (flock(b, LOCK_SH))
			_exit(1);
		_exit(0);
	}
	read(ready[0], &c, 1);
	until_asleep(pid, pid);
	show("still waiting: %d", waitpid(pid, &status, WNOHANG));
	close(a);
	waitpid(pid, &status, 0);
	show_status("child", status);

	CALL(flock(99, LOCK_SH));
	CALL(flock(b, 0));
	CALL(flock(b, LOCK_SH | LOCK_EX));
	CALL(flock(b, LOCK_NB));
	CALL(flock(b, LOCK_UN | LOCK_NB));
	CALL(flock(open("f", O_PATH), LOCK_SH));
	CALL(flock(open(".", O_RDONLY), LOCK_EX | LOCK_NB));
	pipe(ready);
	CALL(flock(ready[0], LOCK_EX | LOCK_NB));
	return 0;
}
