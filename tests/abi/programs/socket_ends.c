/* What was sent before the end of a connection is received before it, also if the reader is about
 * to sleep at that moment. */
#include "inet.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static _Atomic int next = -1;

/* Sends a byte on each socket that it is given, and closes it. */
static void *send_last_words(void *times)
{
	for (long i = 0; i < (long)times; i++) {
		int fd;

		for (unsigned spins = 1; (fd = atomic_load(&next)) < 0; spins++)
			if (spins % 100000 == 0) /* the other thread may need this CPU */
				sched_yield();
		atomic_store(&next, -1);
		for (volatile int pause = rand() % 400; pause; pause--)
			;
		write(fd, "x", 1);
		close(fd);
	}
	return NULL;
}

/* The peer closes with a byte unread: that resets the connection. */
static void race(const char *what, int listener, long times, int unread)
{
	int received = 0, s[2];
	pthread_t sender;

	pthread_create(&sender, NULL, send_last_words, (void *)times);
	for (long i = 0; i < times; i++) {
		char c;

		if (listener < 0) {
			socketpair(AF_UNIX, SOCK_STREAM, 0, s);
		} else {
			struct sockaddr_in name;
			socklen_t len = sizeof(name);

			getsockname(listener, (struct sockaddr *)&name, &len);
			s[0] = socket(AF_INET, SOCK_STREAM, 0);
			connect(s[0], (struct sockaddr *)&name, len);
			s[1] = accept(listener, NULL, NULL);
		}
		if (unread)
			write(s[0], "u", 1);
		atomic_store(&next, s[1]);
		received += read(s[0], &c, 1) == 1;
		close(s[0]);
	}
	pthread_join(sender, NULL);
	show("%s: %s", what, received == times ? "all" : "not all");
}

int main(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	bind_to(listener, "127.0.0.1", 0);
	listen(listener, 5);
	race("unix", -1, rounds(5000), 0);
	race("unix, reset", -1, rounds(5000), 1);
	race("tcp", listener, rounds(300), 0);
	return 0;
}
