/* ioctl(2): the modes of a terminal as struct termio and struct termios2, locked modes, the line discipline. */
#include "abi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct old_termio {
	unsigned short iflag, oflag, cflag, lflag;
	unsigned char line, cc[8];
};

struct new_termios {
	unsigned iflag, oflag, cflag, lflag;
	unsigned char line, cc[19];
	unsigned ispeed, ospeed;
};

#define GETS  0x5401
#define SETS  0x5402
#define GETA  0x5405
#define SETA  0x5406
#define SETAF 0x5408
#define GETS2 0x802c542aU
#define SETS2 0x402c542bU
#define GLCK  0x5456
#define SLCK  0x5457
#define GETD  0x5424
#define SETD  0x5423
#define GSOFT 0x5419
#define SSOFT 0x541a

static int open_slave(int *master)
{
	char path[32];
	int unlock = 0, number;

	*master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	ioctl(*master, TIOCSPTLCK, &unlock);
	ioctl(*master, TIOCGPTN, &number);
	snprintf(path, sizeof(path), "/dev/pts/%d", number);
	return open(path, O_RDWR | O_NOCTTY);
}

static void show_modes(int fd)
{
	struct new_termios t;

	CALL(ioctl(fd, GETS2, &t));
	show("%x %x %x %x line %d speeds %u %u", t.iflag, t.oflag, t.cflag, t.lflag, t.line, t.ispeed, t.ospeed);
	for (int i = 0; i < 19; i += 6)
		show("  %x %x %x %x %x %x", t.cc[i], i + 1 < 19 ? t.cc[i + 1] : 0, i + 2 < 19 ? t.cc[i + 2] : 0,
		     i + 3 < 19 ? t.cc[i + 3] : 0, i + 4 < 19 ? t.cc[i + 4] : 0, i + 5 < 19 ? t.cc[i + 5] : 0);
}

int main(void)
{
	struct new_termios new, locked;
	struct old_termio old;
	int master, fd = open_slave(&master), n = -1;

	show_modes(fd);
	show_modes(master);
	CALL(ioctl(fd, GETA, &old));
	show("%x %x %x %x line %d: %x %x %x %x", old.iflag, old.oflag, old.cflag, old.lflag, old.line, old.cc[0], old.cc[1],
	     old.cc[4], old.cc[7]);
	old.lflag &= ~8;
	old.cc[0] = 1;
	CALL(ioctl(fd, SETA, &old));
	show_modes(fd);

	ioctl(fd, GETS2, &new);
	new.cflag = (new.cflag & ~0x100fU) | 0x1000;
	new.ispeed = new.ospeed = 12345;
	CALL(ioctl(fd, SETS2, &new));
	show_modes(fd);
	new.cflag = (new.cflag & ~0x100fU) | 13;
	CALL(ioctl(fd, SETS2, &new));
	show_modes(fd);

	memset(&locked, 0, sizeof(locked));
	CALL(ioctl(fd, GLCK, &locked));
	show("%x %x", locked.lflag, locked.cc[0]);
	locked.lflag = 8 | 2;
	locked.cc[0] = 1;
	CALL(ioctl(fd, SLCK, &locked));
	new.lflag ^= 8 | 2 | 1;
	new.cc[0] = 5;
	new.cc[1] = 6;
	CALL(ioctl(fd, SETS, &new));
	show_modes(fd);

	CALL(ioctl(fd, GETD, &n));
	show("discipline %d", n);
	n = 0;
	CALL(ioctl(fd, SETD, &n));
	CALL(ioctl(fd, GSOFT, &n));
	show("carrier %d", n);
	n = !n;
	CALL(ioctl(fd, SSOFT, &n));
	CALL(ioctl(fd, GSOFT, &n));
	show("carrier %d", n);
	CALL(ioctl(fd, GETA, 8));
	CALL(ioctl(fd, SETAF, 8));
	return 0;
}
