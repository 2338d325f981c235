/* SO_RCVTIMEO, SO_SNDTIMEO, and what a signal does to a call that waits. */
#include "unix.h"

static void nothing(int sig)
{
}

static void set_handler(int flags)
{
	struct sigaction act = { .sa_handler = nothing, .sa_flags = flags };

	sigaction(SIGALRM, &act, NULL);
}

/* A signal comes when the next call sleeps. */
static void alarm_soon(int flags)
{
	set_handler(flags);
	signal_when_asleep(SIGALRM);
}

static long ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int main(void)
{
	int s[2], l = socket(AF_UNIX, SOCK_STREAM, 0), status;
	struct timeval tv = { 0, 100000 };
	static char big[400000];
	long start;
	char c;
	pid_t pid, parent;

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	start = ms();
	CALL(read(s[0], &c, 1));
	TRUTH(ms() - start >= 90);
	setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	start = ms();
	TRUTH(write(s[0], big, sizeof(big)) > 100000);
	TRUTH(ms() - start >= 90);
	CALL(write(s[0], big, 50000));
	CALL(read(s[1], big, sizeof(big)) > 0);
	while (recv(s[1], big, sizeof(big), MSG_DONTWAIT) > 0)
		;
	alarm_soon(0);
	CALL(read(s[1], &c, 1));
	parent = getpid();
	set_handler(SA_RESTART);
	pid = fork();
	if (!pid) {
		until_asleep(parent, parent);
		kill(parent, SIGALRM);
		until_asleep(parent, parent);
		write(s[0], "x", 1);
		_exit(0);
	}
	CALL(read(s[1], &c, 1));
	waitpid(pid, &status, 0);
	/* With a timeout a call is not started again. */
	tv.tv_sec = 50;
	setsockopt(s[1], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	alarm_soon(SA_RESTART);
	CALL(read(s[1], &c, 1));
	bind_path(l, "l");
	listen(l, 1);
	tv = (struct timeval){ 0, 50000 };
	setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	CALL(accept(l, NULL, NULL));
	alarm_soon(0);
	tv = (struct timeval){ 0, 0 };
	setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	CALL(accept(l, NULL, NULL));
	return 0;
}
