/* What the master sees when the slave is closed and opened again, and the slave when the master is gone. */
#include "pty.h"

int main(void)
{
	int slave, master = open_pair(&slave), zero = 0, again, n = -1;
	struct winsize size;
	unsigned index;
	char name[32], buf[8];

	ioctl(master, TIOCGPTN, &index);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	show_revents("both open", master, POLLIN | POLLOUT);
	feed(slave, "last words");
	CALL(close(slave));
	show_revents("slave closed, bytes left", master, POLLIN);
	read_show("master", master, 100);
	show_revents("slave closed", master, POLLIN);
	CALL(read(master, buf, sizeof(buf)));
	CALL(write(master, "x", 1));
	slave = OK(open(name, O_RDWR | O_NOCTTY));
	show_revents("opened again", master, POLLIN);
	fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
	CALL(read(master, buf, 0));
	drain("echo", master);
	CALL(read(master, buf, sizeof(buf)));
	again = OK(open(name, O_RDWR | O_NOCTTY));
	close(slave);
	CALL(read(master, buf, sizeof(buf)));
	close(again);
	CALL(read(master, buf, sizeof(buf)));

	slave = open(name, O_RDWR | O_NOCTTY);
	feed(master, "unread\n");
	CALL(close(master));
	show_revents("master closed", slave, POLLIN | POLLOUT);
	CALL(read(slave, buf, sizeof(buf)));
	CALL(read(slave, buf, sizeof(buf)));
	CALL(write(slave, "x", 1));
	CALL(ioctl(slave, TIOCGWINSZ, &size));
	CALL(ioctl(slave, TIOCSPGRP, &zero));
	CALL(ioctl(slave, FIONREAD, &n));
	CALL(isatty(slave));
	CALL(close(slave));

	/* A master whose slave was never open waits, and has no end of file. */
	master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
	show_revents("never opened", master, POLLIN | POLLOUT);
	CALL(read(master, buf, sizeof(buf)));
	return 0;
}
