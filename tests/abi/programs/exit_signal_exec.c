/* The end of a child of clone(2) with another signal than SIGCHLD, whose parent has called exec meanwhile. */
#include "abi.h"

static void handler(int sig)
{
	show("signal %d", sig);
}

static void handle(void)
{
	signal(SIGUSR1, handler);
	signal(SIGCHLD, handler);
}

/* A child that ends when its pipe is closed. */
static int start(int exit_signal, pid_t *pid)
{
	int fds[2];
	char c;

	pipe(fds);
	*pid = (pid_t)syscall(SYS_clone, exit_signal, 0, 0, 0, 0);
	if (!*pid) {
		close(fds[1]);
		read(fds[0], &c, 1);
		_exit(3);
	}
	close(fds[0]);
	return fds[1];
}

static void end(int fd, pid_t pid)
{
	int status = 0;
	pid_t found;

	close(fd);
	do
		found = waitpid(pid, &status, __WALL);
	while (found < 0 && errno == EINTR);
	TRUTH(found == pid);
	show_status("child", status);
}

int main(int argc, char **argv)
{
	char fd_text[16], pid_text[16];
	pid_t pid;
	int fd;

	handle();
	if (argc > 2) {
		CALL(waitpid(atoi(argv[2]), NULL, WNOHANG)); /* still no child of fork(2) */
		end(atoi(argv[1]), atoi(argv[2]));
		fd = start(SIGUSR1, &pid);
		end(fd, pid);
		return 0;
	}
	fd = start(SIGUSR1, &pid);
	end(fd, pid);
	fd = start(SIGUSR1, &pid);
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	snprintf(pid_text, sizeof(pid_text), "%d", pid);
	execl("/proc/self/exe", "again", fd_text, pid_text, NULL);
	return 1;
}
