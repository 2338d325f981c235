/* fs.pipe-*: how many pages the pipes of a user may have, and that the maker of a pipe pays for it (pipe(7)). */
#include "user_limits.h"
#include "unix.h"

static int pair[2], inherited[2], opened[64], count;

/* The size of a new pipe, which stays open; or -1. */
static long new_pipe(void)
{
	int p[2];

	if (pipe(p))
		return -1;
	opened[count++] = p[0];
	close(p[1]);
	return fcntl(p[0], F_GETPIPE_SZ);
}

static void close_all(void)
{
	while (count)
		close(opened[--count]);
}

static void soft(void)
{
	for (int i = 0; i < 6; i++)
		CALL(new_pipe());
	CALL(fcntl(opened[5], F_SETPIPE_SZ, 16384));
	CALL(fcntl(opened[5], F_SETPIPE_SZ, 4096));
	CALL(fcntl(opened[5], F_SETPIPE_SZ, 8192));
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 4096));
	CALL(fcntl(opened[5], F_SETPIPE_SZ, 16384));
	CALL(new_pipe());
	close_all();
	CALL(new_pipe());
	CALL(mkfifo("fifo", 0600));
	for (int i = 0; i < 3; i++)
		new_pipe();
	opened[count++] = open("fifo", O_RDWR);
	CALL(fcntl(opened[count - 1], F_GETPIPE_SZ));
	unlink("fifo");
}

static void hard(void)
{
	for (int i = 0; i < 4; i++)
		CALL(new_pipe());
	CALL(new_pipe());
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 131072));
	mkfifo("fifo", 0600);
	CALL(open("fifo", O_RDWR));
	unlink("fifo");
	close(opened[--count]);
	CALL(new_pipe());
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 4096));
	CALL(new_pipe());
}

static void one(void)
{
	CALL(new_pipe());
}

static void largest(void)
{
	CALL(new_pipe());
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 65536));
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 4096));
	CALL(fcntl(opened[0], F_SETPIPE_SZ, 8192));
}

/* The pipe that root has made is root's, whoever enlarges it. */
static void of_root(void)
{
	for (int i = 0; i < 4; i++) {
		new_pipe();
		fcntl(opened[i], F_SETPIPE_SZ, 1 << 20);
	}
	CALL(new_pipe());
	CALL(fcntl(inherited[0], F_SETPIPE_SZ, 131072));
	CALL(new_pipe());
	CALL(fcntl(inherited[0], F_SETPIPE_SZ, 65536));
}

/* Gives its pipes to root. */
static void give(void)
{
	for (int i = 0; i < 4; i++)
		new_pipe();
	CALL(send_fds(pair[0], "x", 1, opened, 4));
}

static void take(void)
{
	char buf[1], control[256];
	struct iovec iov = { buf, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };

	CALL(recvmsg(pair[1], &msg, 0));
	memcpy(opened, CMSG_DATA(CMSG_FIRSTHDR(&msg)), 4 * sizeof(int));
	count = 4;
}

int main(void)
{
	chmod(".", 0777);
	show("%ld %ld %ld", sysctl_get("fs/pipe-max-size"), sysctl_get("fs/pipe-user-pages-soft"),
	     sysctl_get("fs/pipe-user-pages-hard"));

	show("soft");
	sysctl_set("fs/pipe-user-pages-soft", 64);
	as_user(1000, soft);
	show("as root");
	for (int i = 0; i < 6; i++)
		new_pipe();
	CALL(fcntl(opened[5], F_SETPIPE_SZ, 131072));
	close_all();

	show("hard");
	sysctl_set("fs/pipe-user-pages-soft", 0);
	sysctl_set("fs/pipe-user-pages-hard", 64);
	as_user(1000, hard);
	as_user(1001, one);
	one();
	close_all();
	sysctl_set("fs/pipe-user-pages-hard", 0);

	show("who pays");
	sysctl_set("fs/pipe-user-pages-soft", 1024);
	pipe(inherited);
	as_user(1000, of_root);
	sysctl_set("fs/pipe-user-pages-soft", 64);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	as_user(1000, give);
	as_user(1000, one);
	as_user(1001, one);
	take();
	as_user(1000, one);
	close_all();
	as_user(1000, one);
	sysctl_set("fs/pipe-user-pages-soft", 16384);

	show("pipe-max-size");
	CALL(sysctl_write("fs/pipe-max-size", "0\n"));
	CALL(sysctl_get("fs/pipe-max-size"));
	CALL(sysctl_write("fs/pipe-max-size", "4097\n"));
	CALL(sysctl_get("fs/pipe-max-size"));
	as_user(1000, largest);
	CALL(new_pipe());
	CALL(sysctl_write("fs/pipe-max-size", "2147483649\n"));
	CALL(sysctl_write("fs/pipe-max-size", "many\n"));
	CALL(sysctl_get("fs/pipe-max-size"));
	CALL(sysctl_write("fs/pipe-max-size", "1048576\n"));
	CALL(sysctl_write("fs/pipe-user-pages-soft", "-5\n"));
	CALL(sysctl_get("fs/pipe-user-pages-soft"));
	return 0;
}
