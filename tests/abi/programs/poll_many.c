/* poll: many files, the same one several times, RLIMIT_NOFILE, bad addresses, a file closed or made ready meanwhile. */
#include <poll.h>
#include <pthread.h>

#include "abi.h"

static struct pollfd many[1000];
static int p[2];

/* poll looks at one file after the other: a write in between would show in some of them. */
static void *writer(void *arg)
{
	until_asleep(getpid(), getpid());
	write(p[1], "x", 1);
	return NULL;
}

static void *closer(void *arg)
{
	until_asleep(getpid(), getpid());
	close(p[0]);
	usleep(30000);
	write(p[1], "x", 1);
	return NULL;
}

static void limited(void)
{
	struct rlimit limit = { 10, 10 };

	setrlimit(RLIMIT_NOFILE, &limit);
	CALL(poll(many, 10, 0));
	CALL(poll(many, 11, 0));
}

int main(void)
{
	pthread_t thread;

	pipe(p);
	for (int i = 0; i < 1000; i++)
		many[i] = (struct pollfd){ i % 3 ? p[0] : p[1], POLLIN | POLLOUT, 0x55 };
	CALL(poll(many, 1000, 0));
	show("%x %x %x", many[0].revents, many[1].revents, many[999].revents);
	for (int i = 0; i < 1000; i++)
		many[i].events = POLLIN;
	CALL(poll(many, 1000, 10));
	pthread_create(&thread, NULL, writer, NULL);
	CALL(poll(many, 1000, -1));
	pthread_join(thread, NULL);
	show("%x %x", many[0].revents, many[1].revents);
	CHILD(limited);
	CALL(syscall(SYS_poll, 1, 1, 0));
	CALL(syscall(SYS_poll, many, 0x80000000U, 0));
	CALL(poll(NULL, 0, 0));
	many[0] = (struct pollfd){ -5, POLLIN, 0x77 };
	many[1] = (struct pollfd){ 500, POLLIN, 0x77 };
	CALL(poll(many, 2, -1));
	show("%x %x", many[0].revents, many[1].revents);
	/* Closed by another thread while it is polled: the poll goes on with the file. */
	read(p[0], many, 1);
	many[0] = (struct pollfd){ p[0], POLLIN, 0 };
	pthread_create(&thread, NULL, closer, NULL);
	signal(SIGPIPE, SIG_IGN);
	CALL(poll(many, 1, 300) >= 0);
	pthread_join(thread, NULL);
	return 0;
}
