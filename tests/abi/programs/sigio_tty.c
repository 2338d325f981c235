/* O_ASYNC on a pseudo-terminal: lines, bytes, output, hang-up; and the owner that a terminal gets. */
#include "sigio.h"
#include "pty.h"

/* Linux hands input over from a worker. */
static void settle(const char *after, int first, int second)
{
	let_others_run();
	pending(after, first, second);
}

static void run(void)
{
	int master, slave;
	struct termios t;
	char buf[100];

	block_signals();
	setsid();
	master = open_pair(&slave);
	CALL(fcntl(slave, F_SETFL, O_NONBLOCK | O_ASYNC));
	TRUTH(fcntl(slave, F_GETOWN) == getpid());
	fcntl(slave, F_SETSIG, SIGRTMIN + 3);
	feed(master, "ab");
	settle("half a line", slave, master);
	feed(master, "c\n");
	settle("a line", slave, master);
	CALL(read(slave, buf, 100));
	settle("read", slave, master);
	tcgetattr(slave, &t);
	t.c_lflag &= ~(unsigned)(ICANON | ECHO);
	tcsetattr(slave, TCSANOW, &t);
	settle("raw", slave, master);
	feed(master, "x");
	settle("a byte", slave, master);
	feed(master, "yz");
	settle("two bytes", slave, master);
	CALL(read(slave, buf, 100));
	CALL(fcntl(slave, F_SETFL, O_NONBLOCK));
	feed(master, "x");
	settle("off", slave, master);

	/* The master. */
	CALL(fcntl(master, F_SETFL, O_NONBLOCK | O_ASYNC));
	fcntl(master, F_SETSIG, SIGRTMIN + 3);
	TRUTH(fcntl(master, F_GETOWN) == getpid());
	write(slave, "out", 3);
	settle("output", slave, master);
	CALL(read(master, buf, 100));
	settle("master reads", slave, master);
	close(slave);
	settle("slave closes", slave, master);
	close(master);

	/* A terminal with a job in the foreground belongs to the job. */
	master = open_pair(&slave);
	ioctl(slave, TIOCSCTTY, 0);
	CALL(fcntl(slave, F_SETFL, O_NONBLOCK | O_ASYNC));
	TRUTH(fcntl(slave, F_GETOWN) == -getpgrp());
	fcntl(slave, F_SETSIG, SIGRTMIN + 3);
	signal(SIGHUP, SIG_IGN);
	close(master);
	settle("hang-up", slave, master);
	show("flags %x", fcntl(slave, F_GETFL) & ~0100000);
	CALL(fcntl(slave, F_SETFL, O_NONBLOCK));
	CALL(fcntl(slave, F_SETFL, O_NONBLOCK | O_ASYNC));
}

int main(void)
{
	in_child("child", run);
	return 0;
}
