/* TCP: connections are reset by both sides, and made again with the same ports, on several CPUs at once. */
#include "inet.h"

#include <pthread.h>

static int listeners[2], to[2];
static bool ended;

static void reset_at_close(int fd)
{
	struct linger linger = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

static void *serve(void *arg)
{
	for (;;) {
		int fd = accept(*(int *)arg, NULL, NULL);

		if (__atomic_load_n(&ended, __ATOMIC_SEQ_CST))
			return NULL;
		if (fd >= 0)
			reset_at_close(fd);
	}
}

/* The second connect(2) follows at once on a first one that was reset; or it fails. */
static void *client(void *arg)
{
	struct sockaddr_in none = { .sin_family = AF_UNSPEC };
	int one = 1, port = *(int *)arg;

	for (int i = rounds(500); i > 0; i--) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (i % 2)
			bind_to(fd, "127.0.0.1", port);
		for (int n = 0; n < 4; n++) {
			connect_to(fd, "127.0.0.1", to[n % 2]);
			connect_to(fd, "127.0.0.1", to[(n + 1) % 2]);
			if (n % 2)
				connect(fd, (struct sockaddr *)&none, sizeof(none));
		}
		reset_at_close(fd);
	}
	return NULL;
}

int main(void)
{
	pthread_t servers[2], clients[4];
	int ports[4];

	for (int i = 0; i < 2; i++) {
		listeners[i] = listener();
		listen(listeners[i], 1000); /* Linux drops a SYN without room, and it comes again after a second */
		to[i] = own_port(listeners[i]);
		pthread_create(&servers[i], NULL, serve, &listeners[i]);
	}
	for (int i = 0; i < 4; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		bind_to(fd, "127.0.0.1", 0);
		ports[i] = own_port(fd);
		close(fd);
	}
	for (int i = 0; i < 4; i++)
		pthread_create(&clients[i], NULL, client, &ports[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(clients[i], NULL);
	show("all clients have ended");
	__atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 2; i++) {
		shutdown(listeners[i], SHUT_RD);
		pthread_join(servers[i], NULL);
	}
	show("all servers have ended");
	return 0;
}
