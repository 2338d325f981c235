/* TIOCGPTPEER: opens the slave without its name. */
#include "pty.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER 0x5441
#endif

int main(void)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY), slave, zero = 0;
	char link[64], text[64] = "", name[32];
	unsigned index;

	ioctl(master, TIOCGPTN, &index);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	CALL(ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY));
	ioctl(master, TIOCSPTLCK, &zero);
	slave = OK(ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
	CALL(fcntl(slave, F_GETFD));
	TRUTH((fcntl(slave, F_GETFL) & O_ACCMODE) == O_RDWR);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", slave);
	readlink(link, text, sizeof(text) - 1);
	TRUTH(!strcmp(text, name));
	feed(slave, "peer\n");
	read_show("master", master, 100);
	close(slave);
	slave = OK(ioctl(master, TIOCGPTPEER, O_RDONLY | O_NOCTTY | O_NONBLOCK));
	CALL(write(slave, "x", 1));
	CALL(read(slave, text, 1));
	CALL(ioctl(slave, TIOCGPTPEER, O_RDWR));
	return 0;
}
