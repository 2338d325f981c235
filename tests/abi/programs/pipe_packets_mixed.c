/* Packets and plain bytes in one pipe, other sizes of it, FIFOs, poll and splice. */
#include "abi.h"
#include <poll.h>
#include <sys/ioctl.h>

static int p[2];
static char big[100000];

static void get(size_t size)
{
	ssize_t n = read(p[0], big, size);

	if (n < 0)
		show("read %zu: %s", size, error_name(errno));
	else
		show("read %zu: %zd \"%.*s\"", size, n, n > 20 ? 1 : (int)n, big);
}

static void mode(int packets)
{
	fcntl(p[1], F_SETFL, O_NONBLOCK | (packets ? O_DIRECT : 0));
}

int main(void)
{
	struct pollfd w;
	int fd, waiting, q[2];

	pipe2(p, O_NONBLOCK);
	write(p[1], "ab", 2);
	mode(1);
	write(p[1], "cd", 2);
	write(p[1], "ef", 2);
	mode(0);
	write(p[1], "gh", 2);
	mode(1);
	write(p[1], "ij", 2);
	get(3);
	get(100);
	get(100);

	/* A packet behind a page that is partly full, and plain bytes behind packets. */
	memset(big, 'p', sizeof(big));
	mode(0);
	write(p[1], big, 4000);
	mode(1);
	write(p[1], big, 200);
	write(p[1], "xyz", 3);
	mode(0);
	write(p[1], "12", 2);
	write(p[1], "34", 2);
	ioctl(p[0], FIONREAD, &waiting);
	show("waiting %d", waiting);
	get(3999);
	get(2);
	get(1000);
	get(2);
	get(100);
	get(100);

	/* As long as the ring, in one write. */
	mode(1);
	memset(big, 'q', sizeof(big));
	CALL(write(p[1], big, 70000));
	w = (struct pollfd){ p[1], POLLOUT, 0 };
	CALL(poll(&w, 1, 0));
	get(100);
	CALL(poll(&w, 1, 0));
	CALL(write(p[1], "r", 1));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 4096 * 8));
	while (read(p[0], big, 4096) > 0)
		;
	CALL(fcntl(p[1], F_SETPIPE_SZ, 4096 * 4));
	write(p[1], "1", 1);
	write(p[1], "22", 2);
	write(p[1], "333", 3);
	CALL(fcntl(p[1], F_SETPIPE_SZ, 4096 * 32));
	write(p[1], "4444", 4);
	get(10);
	get(2);
	get(10);
	get(10);
	get(10);

	/* What splice moves is no packet any more for a plain reader, but stays apart. */
	pipe2(q, O_NONBLOCK);
	write(p[1], "one", 3);
	write(p[1], "two", 3);
	CALL(splice(p[0], NULL, q[1], NULL, 3, 0));
	CALL(read(q[0], big, 100));
	get(100);

	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	CALL(write(p[1], "a", 1));
	close(p[1]);

	/* A FIFO. */
	mkfifo("fifo", 0600);
	p[0] = open("fifo", O_RDONLY | O_NONBLOCK);
	CALL(open("fifo", O_WRONLY | O_NONBLOCK | O_DIRECT));
	fd = open("fifo", O_WRONLY | O_NONBLOCK);
	CALL(fcntl(fd, F_SETFL, O_NONBLOCK | O_DIRECT));
	write(fd, "c", 1);
	write(fd, "d", 1);
	get(10);
	get(10);
	close(fd);

	/* Other files on tmpfs have no O_DIRECT; the open has made the file all the same. */
	CALL(open("file", O_RDWR | O_CREAT | O_DIRECT, 0600));
	CALL(access("file", F_OK));
	fd = open("file", O_RDWR);
	CALL(fcntl(fd, F_SETFL, O_DIRECT));
	CALL(fcntl(fd, F_SETFL, O_APPEND));
	CALL(open(".", O_RDONLY | O_DIRECT));
	CALL(open("/dev/null", O_RDWR | O_DIRECT));
	CALL(open("/proc/stat", O_RDONLY | O_DIRECT));
	return 0;
}
