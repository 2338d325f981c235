/*
 * What waits in the kernel at sockets of this process, and how it changes /proc/self/oom_score:
 *
 *     socket_memory netlink     answers that nobody reads
 *     socket_memory listener    connections that nobody accepts, with data, and closed by the other side
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int score(void)
{
	FILE *file = fopen("/proc/self/oom_score", "r");
	int score = -1;

	if (file) {
		fscanf(file, "%d", &score);
		fclose(file);
	}
	return score;
}

static void ask(void)
{
	struct {
		struct nlmsghdr header;
		struct rtgenmsg message;
	} request = { { sizeof(request), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 0, 0 }, { AF_UNSPEC } };

	for (int i = 0; i < 100; i++) {
		int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

		/* When the queue is full, no answer comes. */
		for (int n = 0; n < 400; n++)
			send(fd, &request, sizeof(request), MSG_DONTWAIT);
	}
}

static void connect_many(void)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) }, .sin_port = htons(9999) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	static char data[4096];

	bind(listener, (struct sockaddr *)&name, sizeof(name));
	listen(listener, 4096);
	for (int i = 0; i < 1500; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(fd, (struct sockaddr *)&name, sizeof(name)))
			perror("connect");
		send(fd, data, sizeof(data), MSG_DONTWAIT);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	int before = score();

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "netlink"))
		ask();
	else
		connect_many();
	printf("score: %d more\n", score() - before);
	return 0;
}
