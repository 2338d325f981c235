/* Many clients of one server at once: all messages arrive, and in order. */
#include "unix.h"

#define CLIENTS 8
#define ROUNDS  300

static void client(int id)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), back;

	while (connect_path(fd, "l"))
		if (errno != ECONNREFUSED && errno != EAGAIN)
			_exit(1);
	for (int i = 0; i < ROUNDS; i++) {
		int out[2] = { id, i };

		if (write(fd, out, sizeof(out)) != sizeof(out) ||
		    read(fd, &back, sizeof(back)) != sizeof(back) || back != id * 1000 + i)
			_exit(2);
	}
	_exit(0);
}

int main(void)
{
	int l = socket(AF_UNIX, SOCK_STREAM, 0), status, bad = 0, rounds = 0;
	struct pollfd p[CLIENTS + 1] = { { l, POLLIN, 0 } };
	int n = 1, open_ones = 0;

	bind_path(l, "l");
	listen(l, 2);
	for (int i = 0; i < CLIENTS; i++)
		if (!fork())
			client(i);
	while (n < CLIENTS + 1 || open_ones) {
		if (n == CLIENTS + 1)
			p[0].fd = -1;
		poll(p, (nfds_t)n, -1);
		if (p[0].fd >= 0 && (p[0].revents & POLLIN)) {
			p[n].fd = accept(l, NULL, NULL);
			p[n].events = POLLIN;
			p[n++].revents = 0;
			open_ones++;
		}
		for (int i = 1; i < n; i++) {
			int in[2], back;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			if (recv(p[i].fd, in, sizeof(in), MSG_WAITALL) != sizeof(in)) {
				close(p[i].fd);
				p[i].fd = -1;
				open_ones--;
				continue;
			}
			back = in[0] * 1000 + in[1];
			write(p[i].fd, &back, sizeof(back));
			rounds++;
		}
	}
	while (wait(&status) > 0)
		bad += status != 0;
	show("%d rounds, %d bad", rounds, bad);
	return 0;
}
