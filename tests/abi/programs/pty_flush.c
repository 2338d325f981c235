/* tcflush, TIOCOUTQ, FIONREAD, tcflow, tcdrain, tcsendbreak on both sides of a pty; ENOTTY elsewhere. */
#include "pty.h"

static int master, slave;

static int count(int fd, unsigned long request)
{
	int n = -1;

	return ioctl(fd, request, &n) ? -errno : n;
}

static void without_terminal(void)
{
	setsid();
	CALL(open("/dev/tty", O_RDWR));
}

static void waits(const char *text)
{
	feed(master, text);
	until_readable(slave, (int)strlen(text));
}

int main(void)
{
	struct termios t;
	int file = open("f", O_RDWR | O_CREAT, 0600), p[2];

	master = open_pair(&slave);
	tcgetattr(slave, &t);
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	fcntl(master, F_SETFL, O_NONBLOCK);
	waits("input");
	show("FIONREAD %d", count(slave, FIONREAD));
	CALL(tcflush(slave, TCOFLUSH));
	show("FIONREAD %d", count(slave, FIONREAD));
	CALL(tcflush(slave, TCIFLUSH));
	show("FIONREAD %d", count(slave, FIONREAD));
	waits("again");
	CALL(tcflush(slave, TCIOFLUSH));
	drain("slave", slave);
	CALL(tcflush(slave, 3));
	CALL(tcflush(slave, -1));
	show("TIOCOUTQ %d", count(slave, TIOCOUTQ));
	CALL(tcdrain(slave));
	CALL(tcsendbreak(slave, 0));
	CALL(tcsendbreak(master, 0));

	/* TCOOFF stops what the slave writes. */
	CALL(tcflow(slave, TCOOFF));
	CALL(write(slave, "stopped", 7));
	drain("master", master);
	CALL(tcflow(slave, TCOON));
	CALL(write(slave, "going", 5));
	drain("master", master);
	CALL(tcflow(slave, TCIOFF));
	drain("master", master);
	CALL(tcflow(slave, TCION));
	drain("master", master);
	CALL(tcflow(slave, 7));

	/* What is no terminal. */
	pipe(p);
	CALL(tcgetattr(file, &t));
	CALL(tcgetattr(p[0], &t));
	CALL(tcgetattr(99, &t));
	CALL(tcflush(file, TCIFLUSH));
	CALL(isatty(file));
	CALL(isatty(slave));
	CALL(isatty(master));
	CALL(ioctl(open("/dev/null", O_RDWR), TCGETS, &t));
	CALL(ioctl(slave, 0x54ff, &t));
	CALL(ioctl(slave, TCGETS, (void *)8));
	CALL(ioctl(slave, TCSETS, (void *)8));
	CHILD(without_terminal);
	CALL(lseek(slave, 0, SEEK_SET));
	CALL(pread(slave, &t, 1, 0));
	return 0;
}
