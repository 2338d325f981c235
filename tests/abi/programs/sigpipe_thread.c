/* A signal for what a thread does, as SIGPIPE, is for this thread, even if only others do not block it. */
#include "abi.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

static volatile int handled;

static void handler(int sig)
{
	handled = sig;
}

/* What waits for this thread, and takes it. */
static void show_pending(const char *name)
{
	struct timespec none = { 0 };
	siginfo_t info = { 0 };
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sig = sigtimedwait(&set, &info, &none);
	show("%s: signal %d code %d from this process: %s", name, sig, info.si_code, info.si_pid == getpid() ? "yes" : "no");
}

static int tcp_pair(int *other)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(to);
	int listener = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0);

	bind(listener, (struct sockaddr *)&to, sizeof(to));
	listen(listener, 1);
	getsockname(listener, (struct sockaddr *)&to, &len);
	if (connect(s, (struct sockaddr *)&to, sizeof(to)))
		show("connect: %s", error_name(errno));
	*other = accept(listener, NULL, NULL);
	close(listener);
	return s;
}

static void *writes(void *unused)
{
	struct rlimit limit = { 1000, 1000 };
	int fds[2], file;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);

	pipe(fds);
	close(fds[0]);
	CALL(write(fds[1], "x", 1));
	show_pending("pipe");

	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	close(fds[0]);
	CALL(write(fds[1], "x", 1));
	show_pending("local socket");

	fds[0] = tcp_pair(&fds[1]);
	shutdown(fds[0], SHUT_WR);
	CALL(write(fds[0], "x", 1));
	show_pending("TCP socket");

	file = open("file", O_CREAT | O_RDWR, 0600);
	setrlimit(RLIMIT_FSIZE, &limit);
	CALL(ftruncate(file, 2000));
	show_pending("truncate");
	CALL(pwrite(file, "x", 1, 1000));
	show_pending("write");
	return unused;
}

int main(void)
{
	pthread_t t;

	signal(SIGPIPE, handler);
	signal(SIGXFSZ, handler);
	pthread_create(&t, NULL, writes, NULL);
	pthread_join(t, NULL);
	show("handled by the first thread: %d", handled);
	return 0;
}
