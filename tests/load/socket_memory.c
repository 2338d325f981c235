/*
 * What waits in the kernel at sockets of this process, and how it changes /proc/self/oom_score:
 *
 *     socket_memory netlink     answers that nobody reads
 *     socket_memory listener    connections that nobody accepts, with data, and closed by the other side
 *     socket_memory file        a memfd in a message to such a connection
 *     socket_memory socket      a socket with messages, in a message
 *     socket_memory mapping     a memfd that has only a mapping: no socket, but the same
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MB (1 << 20)

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

/* Sends fd through `to`, and closes it here. */
static void send_away(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { control, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = (struct cmsghdr *)control;

	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	if (sendmsg(to, &msg, 0) < 0)
		perror("sendmsg");
	close(fd);
}

static int full_memfd(void)
{
	static char data[8 * MB];
	int fd = memfd_create("m", 0);

	if (write(fd, data, sizeof(data)) != sizeof(data))
		perror("memfd");
	return fd;
}

static void hide_file(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0hidden" };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&name, sizeof(name)) || listen(listener, 1) ||
	    connect(fd, (struct sockaddr *)&name, sizeof(name)))
		perror("connect");
	send_away(fd, full_memfd());
	close(fd);
}

static void hide_messages(void)
{
	static char data[1 << 16];
	int carrier[2], pair[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, carrier);
	for (int i = 0; i < 40; i++) {
		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		while (send(pair[1], data, sizeof(data), MSG_DONTWAIT) > 0)
			;
		close(pair[1]);
		send_away(carrier[1], pair[0]);
	}
}

static void hide_mapped(void)
{
	int fd = full_memfd();

	mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} kinds[] = {
		{ "netlink", ask }, { "listener", connect_many }, { "file", hide_file }, { "socket", hide_messages }, { "mapping", hide_mapped },
	};
	int before = score();

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc == 2 && !strcmp(argv[1], kinds[i].name))
			kinds[i].fn();
	printf("score: %d more\n", score() - before);
	return 0;
}
