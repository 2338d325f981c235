/* splice(2), sendfile(2), tee(2) and vmsplice(2) with too little room: what was not moved stays where it was. */
#include "abi.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define splice(in, off_in, out, off_out, n, flags) syscall(SYS_splice, in, off_in, out, off_out, (size_t)(n), flags)
#define tee(from, to, n, flags)                    syscall(SYS_tee, from, to, (size_t)(n), flags)
#define vmsplice(fd, v, n, flags)                  syscall(SYS_vmsplice, fd, v, n, flags)
#define sendfile(out, in, off, n)                  syscall(SYS_sendfile, out, in, off, (size_t)(n))
#define NONBLOCK 2

static int p[2], q[2], in;
static char big[200000] __attribute__((aligned(4096)));

static int waiting(int fd)
{
	int n = -1;

	ioctl(fd, FIONREAD, &n);
	return n;
}

/* The program is the only reader of the pipe: a call that waits for it does not come back. */
static void to_a_pipe(void)
{
	struct iovec v = { big, 100000 };

	pipe(p);
	CALL(sendfile(p[1], in, NULL, 200000));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(splice(in, NULL, p[1], NULL, 10, NONBLOCK));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(read(p[0], big, 8192));
	CALL(splice(in, NULL, p[1], NULL, 65536, 0));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(fcntl(p[0], F_SETPIPE_SZ, 131072));
	CALL(read(p[0], big, 65536));
	CALL(write(p[1], "x", 1));
	CALL(splice(in, NULL, p[1], NULL, 200000, 0) > 0);
	CALL(read(p[0], big, sizeof(big)) > 0);
	CALL(vmsplice(p[1], &v, 1, 0));
	CALL(fcntl(p[0], F_SETPIPE_SZ, 131072));
	CALL(read(p[0], big, sizeof(big)));
	CALL(fcntl(p[0], F_SETPIPE_SZ, 4096));
	CALL(vmsplice(p[1], &v, 1, 0));
	CALL(vmsplice(p[1], &v, 1, NONBLOCK));
}

static void from_pipe_to_full_file(void)
{
	long at = 4000;
	int fd;

	pipe(p);
	mkdir("small", 0755);
	CALL(mount("none", "small", "tmpfs", 0, "size=4k"));
	fd = open("small/f", O_RDWR | O_CREAT, 0644);
	memset(big, 'a', 600);
	memset(big + 600, 'b', 400);
	write(p[1], big, 1000);
	CALL(splice(p[0], NULL, fd, &at, 1000, 0));
	show("at %ld, %d wait", at, waiting(p[0]));
	CALL(splice(p[0], NULL, fd, &at, 1000, 0));
	show("at %ld, %d wait", at, waiting(p[0]));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(splice(p[0], NULL, fd, NULL, 1000, 0));
	show("%d wait", waiting(p[0]));
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	CALL(read(p[0], big, 1000));
	close(fd);
	CALL(umount2("small", 0));
}

/* Reads until there is no more, and checks what comes: `pos` bytes have come before. Returns how many have come. */
static int drain(int fd, int pos, bool *in_order)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++, pos++)
			*in_order &= bytes[i] == (char)(pos % 65536 % 251);
	return pos;
}

/* All that was written to the pipe comes out of the socket or out of the pipe, in its order. */
static void from_pipe_to_full_socket(void)
{
	int s[2], pos;
	bool in_order = true;

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	pipe2(p, O_NONBLOCK);
	for (int i = 0; i < 65536; i++)
		big[i] = (char)(i % 251);
	do {
		if (waiting(p[0]) == 0)
			write(p[1], big, 65536);
	} while (splice(p[0], NULL, s[0], NULL, 65536, 0) > 0);
	show("%s", error_name(errno));
	pos = drain(s[1], 0, &in_order);
	pos = drain(p[0], pos, &in_order);
	show("in order: %d, all: %d", in_order, pos % 65536 == 0);
}

static void from_pipe_to_pipe(void)
{
	int status;
	pid_t pid;

	pipe(p);
	pipe(q);
	fcntl(q[0], F_SETPIPE_SZ, 4096);
	write(p[1], big, 10000);
	CALL(splice(p[0], NULL, q[1], NULL, 10000, 0));
	show("%d %d wait", waiting(p[0]), waiting(q[0]));
	CALL(splice(p[0], NULL, q[1], NULL, 10000, NONBLOCK));
	CALL(tee(p[0], q[1], 10, NONBLOCK));
	show("%d %d wait", waiting(p[0]), waiting(q[0]));
	/* tee(2) and splice(2) wait for room; a signal ends the wait, and nothing is lost. */
	pid = fork();
	if (!pid)
		_exit((int)tee(p[0], q[1], 10, 0));
	until_asleep(pid, pid);
	read(q[0], big, 4096);
	waitpid(pid, &status, 0);
	show_status("tee", status);
	show("%d %d wait", waiting(p[0]), waiting(q[0]));
	read(q[0], big, 4096);
	write(q[1], big, 4096);
	pid = fork();
	if (!pid)
		_exit((int)splice(p[0], NULL, q[1], NULL, 100, 0));
	until_asleep(pid, pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	show_status("splice", status);
	show("%d %d wait", waiting(p[0]), waiting(q[0]));
	close(q[0]);
	signal(SIGPIPE, SIG_IGN);
	CALL(splice(p[0], NULL, q[1], NULL, 10, 0));
	CALL(tee(p[0], q[1], 10, 0));
	CALL(splice(in, NULL, q[1], NULL, 10, 0));
	CALL(sendfile(q[1], in, NULL, 10));
	show("%d wait", waiting(p[0]));
}

static void nonblocking_pipe(void)
{
	int out = open("out", O_RDWR | O_CREAT, 0644);

	pipe2(p, O_NONBLOCK);
	pipe(q);
	CALL(splice(p[0], NULL, out, NULL, 10, 0));
	CALL(splice(p[0], NULL, q[1], NULL, 10, 0));
	CALL(splice(q[0], NULL, p[1], NULL, 10, 0));
	CALL(splice(q[0], NULL, out, NULL, 10, NONBLOCK));
	CALL(tee(q[0], p[1], 10, 0));
}

int main(void)
{
	in = open("in", O_RDWR | O_CREAT, 0644);
	ftruncate(in, 300000);
	CHILD(to_a_pipe);
	CHILD(from_pipe_to_full_file);
	CHILD(from_pipe_to_full_socket);
	CHILD(from_pipe_to_pipe);
	CHILD(nonblocking_pipe);
	return 0;
}
