/* Pipes with O_DIRECT: each write is a packet; what does not fit the reader's buffer is gone. */
#include "abi.h"
#include <sys/ioctl.h>

static int p[2];

static void get(size_t size)
{
	static char buf[10000];
	ssize_t n = read(p[0], buf, size);

	if (n < 0)
		show("read %zu: %s", size, error_name(errno));
	else
		show("read %zu: %zd \"%.*s\"", size, n, n > 20 ? 1 : (int)n, buf);
}

int main(void)
{
	static char big[10000];
	int waiting, n = 0;

	memset(big, 'b', sizeof(big));
	CALL(pipe2(p, O_DIRECT | O_NONBLOCK));
	show("flags %x %x", fcntl(p[0], F_GETFL) & ~0100000, fcntl(p[1], F_GETFL) & ~0100000);
	write(p[1], "one", 3);
	write(p[1], "two", 3);
	CALL(ioctl(p[0], FIONREAD, &waiting));
	show("waiting %d", waiting);
	get(100);
	get(100);
	get(100);
	write(p[1], "abcdef", 6);
	write(p[1], "next", 4);
	get(2);
	get(100);

	/* Longer than a page: packets of a page. */
	CALL(write(p[1], big, 5000));
	get(10000);
	get(10000);
	get(1);

	/* Each packet takes a slot, however small. */
	while (write(p[1], "x", 1) == 1)
		n++;
	show("%d packets, then %s", n, error_name(errno));
	get(10);
	CALL(write(p[1], "y", 1));
	for (n = 0; read(p[0], big, 10) > 0; n++)
		;
	show("%d read", n);

	/* An empty write is nothing; a mode that can be changed by F_SETFL. */
	CALL(write(p[1], "", 0));
	get(10);
	CALL(fcntl(p[1], F_SETFL, O_NONBLOCK));
	write(p[1], "a", 1);
	write(p[1], "b", 1);
	get(10);
	CALL(fcntl(p[1], F_SETFL, O_NONBLOCK | O_DIRECT));
	write(p[1], "c", 1);
	write(p[1], "d", 1);
	get(10);
	get(10);
	return 0;
}
