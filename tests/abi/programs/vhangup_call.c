/* vhangup(2): hangs up the controlling terminal, for root only. */
#include "pty.h"

static void nobody(void)
{
	setuid(65534);
	CALL(vhangup());
}

static int slave, master;

static void hangs_up(void)
{
	char c;

	setsid();
	signal(SIGHUP, SIG_IGN);
	CALL(ioctl(slave, TIOCSCTTY, 0));
	OK(open("/dev/tty", O_RDWR | O_NOCTTY));
	CALL(vhangup());
	CALL(read(slave, &c, 1));
	CALL(write(slave, "x", 1));
	CALL(open("/dev/tty", O_RDWR));
	CALL(vhangup());
}

static void gets_sighup(void)
{
	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	vhangup();
	pause();
}

int main(void)
{
	CHILD(nobody);
	for (int i = 0; i < 2; i++) {
		master = open_pair(&slave);
		if (!i)
			CHILD(hangs_up);
		else
			CHILD(gets_sighup);
		close(master), close(slave);
	}
	return 0;
}
