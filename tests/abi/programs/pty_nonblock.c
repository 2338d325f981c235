/* O_NONBLOCK, poll and FIONREAD of both sides; ^S and ^Q; a full slave, and modes set while a writer waits for room. */
#include "pty.h"

static int waiting(int fd)
{
	int n = -1;

	return ioctl(fd, FIONREAD, &n) ? -errno : n;
}

/* The one thread that empties the master also sets the modes, as setecho() of pexpect does. */
static void modes_beside_a_writer(int slave, int master)
{
	static char buf[200000];
	ssize_t n, total = 0;
	struct termios t;
	pid_t child = fork();
	int status;

	fcntl(slave, F_SETFL, O_RDWR);
	fcntl(master, F_SETFL, O_RDWR);
	if (!child)
		_exit(write(slave, buf, sizeof(buf)) != sizeof(buf));
	until_asleep(child, child);
	CALL(tcgetattr(master, &t));
	t.c_lflag ^= ECHO;
	CALL(tcsetattr(master, TCSANOW, &t));
	t.c_lflag ^= ECHO;
	CALL(tcsetattr(slave, TCSANOW, &t));
	while (total < (ssize_t)sizeof(buf) && (n = read(master, buf, sizeof(buf))) > 0)
		total += n;
	show("read %zd", total);
	waitpid(child, &status, 0);
	show_status("the writer", status);
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
	modes_beside_a_writer(slave, master);
	return 0;
}
