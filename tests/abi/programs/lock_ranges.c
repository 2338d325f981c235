/* fcntl(2) locks: ranges join and split, whence, lengths, the modes a lock needs, errors. */
#include "abi.h"

static int fd;

static long set(short type, short whence, long start, long len)
{
	struct flock l = { .l_type = type, .l_whence = whence, .l_start = start, .l_len = len };

	return fcntl(fd, F_SETLK, &l);
}

/* What a child sees of all locks: for the child, they belong to another process. */
static void look(void)
{
	long at = 0;

	for (int i = 0; i < 10; i++) {
		struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at };

		if (fcntl(fd, F_GETLK, &l) || l.l_type == F_UNLCK)
			break;
		show("  %s from %ld, length %ld%s", l.l_type == F_RDLCK ? "read" : "write", (long)l.l_start, (long)l.l_len,
		     l.l_pid == getppid() ? "" : ", not the parent's");
		if (!l.l_len)
			break;
		at = (long)(l.l_start + l.l_len);
	}
}

static void locks(const char *what)
{
	int status;
	pid_t pid;

	show("%s:", what);
	pid = fork();
	if (!pid) {
		look();
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

int main(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int other;

	fd = open("f", O_RDWR | O_CREAT, 0644);
	ftruncate(fd, 100);
	CALL(set(F_WRLCK, SEEK_SET, 10, 10));
	CALL(set(F_WRLCK, SEEK_SET, 30, 10));
	locks("two");
	CALL(set(F_WRLCK, SEEK_SET, 20, 10));
	locks("joined");
	CALL(set(F_RDLCK, SEEK_SET, 15, 10));
	locks("a read lock inside");
	CALL(set(F_UNLCK, SEEK_SET, 18, 2));
	locks("a hole");
	CALL(set(F_RDLCK, SEEK_SET, 18, 2));
	locks("closed");
	CALL(set(F_UNLCK, SEEK_SET, 0, 0));
	locks("none");
	lseek(fd, 50, SEEK_SET);
	CALL(set(F_WRLCK, SEEK_CUR, -10, 5));
	CALL(set(F_RDLCK, SEEK_END, -10, 20));
	CALL(set(F_RDLCK, SEEK_SET, 20, -10));
	CALL(set(F_WRLCK, SEEK_END, 100, 0));
	locks("whence and negative lengths");
	CALL(set(F_WRLCK, SEEK_SET, -1, 5));
	CALL(set(F_WRLCK, SEEK_SET, 5, -6));
	CALL(set(F_WRLCK, SEEK_CUR, -51, 5));
	CALL(set(F_WRLCK, 3, 0, 5));
	CALL(set(3, SEEK_SET, 0, 5));
	CALL(set(F_WRLCK, SEEK_SET, INT64_MAX, 1));
	CALL(set(F_WRLCK, SEEK_SET, INT64_MAX, 2));
	CALL(set(F_UNLCK, SEEK_SET, 0, INT64_MAX));
	locks("the very last byte");

	/* F_GETLK does not see its own. */
	CALL(fcntl(fd, F_GETLK, &l));
	show("type %d", l.l_type == F_UNLCK);
	l.l_type = F_UNLCK;
	CALL(fcntl(fd, F_GETLK, &l));
	CALL(fcntl(fd, F_SETLK, (void *)8));
	other = open("f", O_RDONLY);
	l.l_type = F_WRLCK;
	CALL(fcntl(other, F_SETLK, &l));
	l.l_type = F_RDLCK;
	CALL(fcntl(other, F_SETLK, &l));
	locks("by another descriptor");
	close(other);
	locks("closed");
	other = open("f", O_WRONLY);
	l.l_type = F_RDLCK;
	CALL(fcntl(other, F_SETLK, &l));
	CALL(fcntl(99, F_SETLK, &l));
	CALL(fcntl(open("f", O_PATH), F_SETLK, &l));

	CALL(set(F_WRLCK, SEEK_SET, 0, 5));
	other = open("f", O_PATH);
	dup2(1, dup2(other, 50));
	close(50);
	locks("an O_PATH descriptor is replaced");
	close(other);
	locks("the other one is closed");
	close(dup(fd));
	locks("another one is closed");
	return 0;
}
