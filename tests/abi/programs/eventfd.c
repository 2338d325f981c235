/* eventfd(2): the counter, semaphores, the limit, poll. */
#include "abi.h"

#include <poll.h>
#include <sys/eventfd.h>

static void show_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	int ready = poll(&p, 1, 0);

	show("poll %d: %#x", ready, p.revents);
}

int main(void)
{
	int fd = eventfd(3, EFD_NONBLOCK), pipefd[2];
	uint64_t value = 0;

	show_poll(fd);
	CALL(read(fd, &value, 4));
	CALL(read(fd, &value, sizeof(value)));
	show("%llu", (unsigned long long)value);
	show_poll(fd);
	CALL(read(fd, &value, sizeof(value)));
	value = 5;
	CALL(write(fd, &value, sizeof(value)));
	CALL(write(fd, &value, sizeof(value)));
	CALL(read(fd, &value, sizeof(value)));
	show("%llu", (unsigned long long)value);
	value = ~0ULL;
	CALL(write(fd, &value, sizeof(value)));
	value = ~0ULL - 1;
	CALL(write(fd, &value, sizeof(value)));
	show_poll(fd);
	value = 1;
	CALL(write(fd, &value, sizeof(value)));
	CALL(lseek(fd, 0, SEEK_SET));
	close(fd);

	fd = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
	CALL(read(fd, &value, sizeof(value)));
	show("%llu", (unsigned long long)value);
	CALL(read(fd, &value, sizeof(value)));
	CALL(read(fd, &value, sizeof(value)));
	close(fd);
	CALL(eventfd(0, 0x100));

	/* A reader sleeps until another process writes. */
	fd = eventfd(0, 0);
	pipe(pipefd);
	if (!fork()) {
		read(pipefd[0], &value, 1);
		value = 7;
		write(fd, &value, sizeof(value));
		_exit(0);
	}
	write(pipefd[1], "x", 1);
	CALL(read(fd, &value, sizeof(value)));
	show("%llu", (unsigned long long)value);
	return 0;
}
