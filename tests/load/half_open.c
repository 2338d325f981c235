/*
 * A side of a connection that has lost its peer without being told: the closed peer in FIN_WAIT2 is
 * forgotten after a minute. Then its port connects again.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in name(int port)
{
	return (struct sockaddr_in){ AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
}

static int connected(void)
{
	struct sockaddr_in own = name(5555), to = name(9000);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		perror("connect");
	return fd;
}

int main(void)
{
	struct sockaddr_in to = name(9000);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client, old, new;
	char bytes[4] = "";

	bind(listener, (struct sockaddr *)&to, sizeof(to));
	listen(listener, 5);
	client = connected();
	old = accept(listener, NULL, NULL);
	close(client);
	sleep(62);
	alarm(20);
	client = connected();
	new = accept(listener, NULL, NULL);
	send(client, "there", 4, 0);
	printf("new: %zd bytes\n", recv(new, bytes, sizeof(bytes), 0));
	printf("old: %zd bytes\n", recv(old, bytes, sizeof(bytes), 0));
	if (send(old, "x", 1, MSG_NOSIGNAL) < 0)
		printf("old: %s\n", errno == EPIPE ? "EPIPE" : strerror(errno));
	return 0;
}
