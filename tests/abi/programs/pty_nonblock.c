/* O_NONBLOCK, poll and FIONREAD of both sides; ^S and ^Q; a full slave. */
#include "pty.h"

static int waiting(int fd)
{
	int n = -1;

	return ioctl(fd, FIONREAD, &n) ? -errno : n;
}

int main(void)
{
	int slave, master = open_pair(&slave);
	char buf[4096];
	ssize_t n, total = 0;
	struct termios t;

	fcntl(slave, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
	CALL(read(slave, buf, sizeof(buf)));
	CALL(read(master, buf, sizeof(buf)));
	CALL(read(slave, buf, 0));
	show_revents("slave", slave, POLLIN | POLLOUT);
	show_revents("master", master, POLLIN | POLLOUT);
	feed(slave, "12345");
	show_revents("master", master, POLLIN);
	show("master holds %d", waiting(master));
	drain("master", master);
	feed(master, "abc");
	let_others_run();
	show("slave holds %d", waiting(slave));
	feed(master, "\n");
	show_revents("slave", slave, POLLIN);
	show("slave holds %d", waiting(slave));
	CALL(read(slave, buf, sizeof(buf)));
	drain("echo", master);

	feed(master, "\023");
	let_others_run();
	show_revents("slave stopped", slave, POLLOUT);
	CALL(write(slave, "x", 1));
	feed(master, "\021");
	let_others_run();
	show_revents("slave goes on", slave, POLLOUT);
	CALL(write(slave, "x", 1));
	drain("master", master);

	tcgetattr(slave, &t);
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
	memset(buf, 'z', sizeof(buf));
	while ((n = write(slave, buf, 1000)) > 0)
		total += n;
	show("full: %s, more than 4095 %d", error_name(errno), total > 4095);
	do {
		let_others_run();
		n = read(master, buf, sizeof(buf));
		total -= n > 0 ? n : 0;
	} while (n > 0);
	show("all read: %zd left", total);
	show_revents("slave has room", slave, POLLOUT);
	return 0;
}
