/* F_OFD_SETLK: locks that belong to the open file, not to the process. */
#include "abi.h"

static int a, b;

static long lock(int fd, int cmd, short type, long start, long len)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len };
	long ret = fcntl(fd, cmd, &l);

	if (!ret && cmd == F_OFD_GETLK)
		show("  type %s, from %ld, length %ld, pid %d",
		     l.l_type == F_UNLCK ? "none" : l.l_type == F_RDLCK ? "read" : "write", (long)l.l_start, (long)l.l_len,
		     (int)l.l_pid);
	return ret;
}

static void child(void)
{
	CALL(lock(a, F_OFD_SETLK, F_UNLCK, 0, 5));
	close(a);
}

static void traditional(void)
{
	CALL(lock(b, F_SETLK, F_WRLCK, 0, 10));
	CALL(lock(b, F_SETLK, F_WRLCK, 100, 10));
	CALL(lock(a, F_OFD_SETLK, F_WRLCK, 100, 10));
}

/* Each of two open files waits for the other: tasks that share them could still unlock. */
static void circle(void)
{
	pid_t one, other;

	lock(a, F_OFD_SETLK, F_WRLCK, 200, 1);
	lock(b, F_OFD_SETLK, F_WRLCK, 201, 1);
	one = fork();
	if (!one)
		_exit(lock(a, F_OFD_SETLKW, F_WRLCK, 201, 1) ? 1 : 0);
	until_asleep(one, one);
	other = fork();
	if (!other)
		_exit(lock(b, F_OFD_SETLKW, F_WRLCK, 200, 1) ? 1 : 0);
	until_asleep(other, other);
	show("both wait");
	kill(one, SIGKILL);
	kill(other, SIGKILL);
}

int main(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_pid = 1 };
	int status, c;
	pid_t pid;

	a = open("f", O_RDWR | O_CREAT, 0644);
	b = open("f", O_RDWR);
	CALL(lock(a, F_OFD_SETLK, F_WRLCK, 0, 10));
	CALL(lock(b, F_OFD_SETLK, F_WRLCK, 5, 10));
	CALL(lock(b, F_OFD_SETLK, F_RDLCK, 9, 1));
	CALL(lock(b, F_OFD_SETLK, F_RDLCK, 10, 1));
	CALL(lock(b, F_OFD_GETLK, F_WRLCK, 0, 0));
	CALL(lock(a, F_OFD_GETLK, F_WRLCK, 0, 0));
	CALL(lock(b, F_OFD_GETLK, F_RDLCK, 30, 0));
	CHILD(traditional);

	CHILD(circle);

	/* Closing another descriptor of the file does nothing; a child shares the lock. */
	c = open("f", O_RDWR);
	close(c);
	CALL(lock(b, F_OFD_SETLK, F_WRLCK, 0, 5));
	CHILD(child);
	CALL(lock(b, F_OFD_SETLK, F_WRLCK, 0, 5));
	CALL(lock(b, F_OFD_SETLK, F_WRLCK, 5, 5));

	/* Waiting for the last close. */
	pid = fork();
	if (!pid) {
		close(a);
		c = (int)lock(b, F_OFD_SETLKW, F_WRLCK, 5, 5);
		_exit(c ? 1 : 0);
	}
	usleep(20000);
	show("waiting: %d", waitpid(pid, &status, WNOHANG));
	c = dup(a);
	close(a);
	usleep(20000);
	show("waiting: %d", waitpid(pid, &status, WNOHANG));
	close(c);
	waitpid(pid, &status, 0);
	show_status("child", status);

	CALL(fcntl(b, F_OFD_SETLK, &l));
	CALL(lock(99, F_OFD_SETLK, F_WRLCK, 0, 1));
	CALL(lock(open("f", O_RDONLY), F_OFD_SETLK, F_WRLCK, 1000, 1));
	CALL(lock(b, F_OFD_SETLK, 9, 0, 1));
	return 0;
}
