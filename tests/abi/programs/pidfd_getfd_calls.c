/* pidfd_getfd(2): a descriptor of another process: what it shares, errors, who may. */
#include "abi.h"
#include <sys/prctl.h>
#include <sys/socket.h>

#define GETFD(pidfd, fd, flags) syscall(438, pidfd, fd, flags)

static int open_pid(pid_t pid)
{
	return (int)syscall(434, pid, 0);
}

/* A child with descriptor 50; it does one letter of work for each letter of the socket, and answers. */
static void child(int sock, int fd)
{
	char c;

	dup2(fd, 50);
	write(sock, "r", 1);
	while (read(sock, &c, 1) == 1) {
		if (c == 'p')
			prctl(PR_SET_DUMPABLE, 0);
		if (c == 'u')
			setuid(1000);
		if (c == 'c')
			close(50);
		write(sock, &c, 1);
	}
	_exit(0);
}

static void ask(int sock, char c)
{
	write(sock, &c, 1);
	read(sock, &c, 1);
}

static void as_user(uid_t uid, int pidfd)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setuid(uid);
		show("user %d: %s", (int)uid, GETFD(pidfd, 50, 0) < 0 ? error_name(errno) : "ok");
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

int main(void)
{
	int sock[2], file = open("f", O_RDWR | O_CREAT | O_TRUNC, 0644), pidfd, got, path, status;
	struct rlimit limit;
	char buf[8] = "";
	pid_t pid;

	socketpair(AF_UNIX, SOCK_STREAM, 0, sock);
	pid = fork();
	if (!pid) {
		close(sock[0]);
		child(sock[1], file);
	}
	close(sock[1]);
	read(sock[0], buf, 1);
	pidfd = open_pid(pid);
	CALL(GETFD(pidfd, 50, 1));
	CALL(GETFD(0, 50, 0));
	CALL(GETFD(-1, 50, 0));
	CALL(GETFD(file, 50, 0));
	CALL(GETFD(pidfd, 51, 0));
	CALL(GETFD(pidfd, -1, 0));
	CALL(GETFD(pidfd, 1 << 30, 0));
	OK(got = (int)GETFD(pidfd, 50, 0));
	CALL(fcntl(got, F_GETFD));
	CALL(write(file, "text", 4));
	CALL(lseek(got, 0, SEEK_CUR));
	CALL(lseek(got, 1, SEEK_SET));
	CALL(lseek(file, 0, SEEK_CUR));
	close(got);
	path = open("f", O_PATH);
	dup2(path, 60);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)(dup(0));
	close((int)limit.rlim_cur);
	setrlimit(RLIMIT_NOFILE, &limit);
	CALL(GETFD(pidfd, 50, 0));
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	as_user(0, pidfd);
	as_user(1000, pidfd);
	ask(sock[0], 'u');
	as_user(0, pidfd);
	as_user(1000, pidfd);
	as_user(1001, pidfd);
	ask(sock[0], 'p');
	as_user(0, pidfd);
	as_user(1000, pidfd);
	ask(sock[0], 'c');
	CALL(GETFD(pidfd, 50, 0));
	close(sock[0]);
	while (state_of(pid, pid) != 'Z')
		let_others_run();
	CALL(GETFD(pidfd, 1, 0));
	waitpid(pid, &status, 0);
	CALL(GETFD(pidfd, 1, 0));
	pidfd = open_pid(getpid());
	OK(got = (int)GETFD(pidfd, 60, 0));
	CALL(fcntl(got, F_GETFL) & O_PATH);
	CALL(read(got, buf, 1));
	return 0;
}
