/* Packet mode: each read of the master begins with a byte that says what it is. */
#include "pty.h"

int main(void)
{
	int slave, master = open_pair(&slave), on = 1, value = -1;
	struct termios t;
	char buf[8];

	CALL(ioctl(slave, TIOCPKT, &on));
	CALL(ioctl(master, TIOCGPKT, &value));
	show("packet mode %d", value);
	CALL(ioctl(master, TIOCPKT, &on));
	CALL(ioctl(master, TIOCGPKT, &value));
	show("packet mode %d", value);
	feed(slave, "data\n");
	read_show("data", master, 100);
	feed(slave, "abcdef");
	read_show("part", master, 3);
	read_show("rest", master, 100);
	CALL(tcflow(slave, TCOOFF));
	show_revents("stopped", master, POLLIN | POLLPRI);
	read_show("status", master, 100);
	CALL(tcflow(slave, TCOON));
	read_show("status", master, 100);
	CALL(tcflow(slave, TCOOFF));
	CALL(tcflow(slave, TCOON));
	read_show("the last one", master, 100);
	CALL(tcflush(slave, TCIFLUSH));
	read_show("flushed", master, 100);
	CALL(tcflush(slave, TCIOFLUSH));
	read_show("flushed", master, 100);
	tcgetattr(slave, &t);
	t.c_iflag &= ~(unsigned)IXON;
	tcsetattr(slave, TCSANOW, &t);
	read_show("no flow control", master, 100);
	t.c_iflag |= IXON;
	tcsetattr(slave, TCSANOW, &t);
	read_show("flow control", master, 100);
	on = 0;
	CALL(ioctl(master, TIOCPKT, &on));
	feed(slave, "plain");
	read_show("plain", master, 100);
	fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
	CALL(read(master, buf, sizeof(buf)));
	return 0;
}
