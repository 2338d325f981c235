/* fcntl(2) locks and flock(2): conflicts, ranges, blocking, deadlock, what close and fork do. */
#include <pthread.h>
#include <sys/file.h>

#include "abi.h"

static int fd;

static long lock(int cmd, short type, off_t start, off_t len)
{
	struct flock fl = { .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len };
	long ret = fcntl(fd, cmd, &fl);

	if (cmd == F_GETLK && !ret)
		show("  type %d start %ld len %ld, of my parent: %d", fl.l_type, (long)fl.l_start, (long)fl.l_len,
		     fl.l_pid == getppid());
	return ret;
}

static void other(void)
{
	CALL(lock(F_GETLK, F_WRLCK, 0, 0));
	CALL(lock(F_SETLK, F_WRLCK, 0, 10));
	CALL(lock(F_SETLK, F_RDLCK, 0, 10));
	CALL(lock(F_SETLK, F_RDLCK, 20, 5));
	CALL(lock(F_SETLK, F_WRLCK, 20, 5));
	CALL(lock(F_SETLK, F_WRLCK, 100, 0));
	CALL(lock(F_GETLK, F_RDLCK, 15, 100));
}

static void waits(void)
{
	int status;
	pid_t pid;

	CALL(lock(F_SETLK, F_WRLCK, 50, 1));
	pid = fork();
	if (!pid) {
		long ret = lock(F_SETLKW, F_WRLCK, 50, 1);

		_exit(ret ? 1 : 8);
	}
	until_asleep(pid, pid);
	CALL(lock(F_SETLK, F_UNLCK, 50, 1));
	waitpid(pid, &status, 0);
	show_status("waiter", status);
}

static void deadlock(void)
{
	int p[2], status;
	char c;
	pid_t pid;

	pipe(p);
	lock(F_SETLK, F_WRLCK, 60, 1);
	pid = fork();
	if (!pid) {
		lock(F_SETLK, F_WRLCK, 61, 1);
		write(p[1], "x", 1);
		lock(F_SETLKW, F_WRLCK, 60, 1);
		_exit(4);
	}
	read(p[0], &c, 1);
	until_asleep(pid, pid);
	CALL(lock(F_SETLKW, F_WRLCK, 61, 1));
	lock(F_SETLK, F_UNLCK, 60, 1);
	waitpid(pid, &status, 0);
	show_status("waiter", status);
}

static volatile pid_t waiter_tid;

static void *wait_for_lock(void *unused)
{
	waiter_tid = (pid_t)syscall(SYS_gettid);
	CALL(lock(F_SETLKW, F_WRLCK, 70, 1));
	return NULL;
}

/* A thread closes the descriptor while another one waits for a lock on it: the process has none afterwards. */
static void closed_meanwhile(void)
{
	int held[2], go[2], status;
	pthread_t thread;
	pid_t pid;
	char c;

	pipe(held);
	pipe(go);
	pid = fork();
	if (!pid) {
		lock(F_SETLK, F_WRLCK, 70, 1);
		write(held[1], "x", 1);
		read(go[0], &c, 1);
		lock(F_SETLK, F_UNLCK, 70, 1);
		read(go[0], &c, 1);
		_exit(lock(F_SETLK, F_WRLCK, 70, 1) ? 1 : 0);
	}
	read(held[0], &c, 1);
	pthread_create(&thread, NULL, wait_for_lock, NULL);
	while (!waiter_tid)
		usleep(1000);
	until_asleep(getpid(), waiter_tid);
	close(fd);
	write(go[1], "x", 1);
	pthread_join(thread, NULL);
	write(go[1], "x", 1);
	waitpid(pid, &status, 0);
	show_status("the lock is free", status);
}

static void flock_other(void)
{
	int again = open("f", O_RDWR);

	CALL(flock(again, LOCK_SH | LOCK_NB));
	CALL(flock(again, LOCK_EX | LOCK_NB));
	CALL(flock(fd, LOCK_EX | LOCK_NB));
	CALL(flock(fd, LOCK_SH | LOCK_NB));
	CALL(flock(again, LOCK_SH | LOCK_NB));
	CALL(flock(again, LOCK_UN));
}

int main(void)
{
	int again, ro;

	CALL(fd = open("f", O_RDWR | O_CREAT, 0600));
	CALL(lock(F_SETLK, F_WRLCK, 0, 10));
	CALL(lock(F_SETLK, F_RDLCK, 20, 10));
	CALL(lock(F_SETLK, F_WRLCK, 22, 1));
	CALL(lock(F_SETLK, F_RDLCK, 22, 1));
	CALL(lock(F_GETLK, F_WRLCK, 0, 10));
	CHILD(other);
	CALL(lock(F_SETLK, F_UNLCK, 3, 4));
	CHILD(other);
	CALL(lock(F_SETLK, F_UNLCK, 0, 0));
	CHILD(waits);
	CHILD(deadlock);
	CHILD(closed_meanwhile);
	CALL(lock(F_SETLK, 99, 0, 0));
	CALL(lock(F_SETLK, F_WRLCK, -1, 0));
	CALL(lock(F_SETLK, F_WRLCK, 10, -5));
	CALL(lock(F_SETLK, F_UNLCK, 0, 0));
	CALL(ro = open("f", O_RDONLY));
	CALL(fcntl(ro, F_SETLK, &(struct flock){ .l_type = F_WRLCK }));
	CALL(lock(F_SETLK, F_WRLCK, 0, 10));
	/* Any close of the file drops the locks of the process. */
	CALL(close(ro));
	CHILD(other);

	CALL(flock(fd, LOCK_EX));
	CHILD(flock_other);
	CALL(again = open("f", O_RDWR));
	CALL(flock(again, LOCK_EX | LOCK_NB));
	CALL(flock(fd, 99));
	CALL(flock(99, LOCK_EX));
	CALL(close(fd));
	CALL(flock(again, LOCK_EX | LOCK_NB));
	return 0;
}
