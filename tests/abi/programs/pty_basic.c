/* /dev/ptmx: a locked slave, unlockpt, the way of bytes in both directions, echo. */
#include "pty.h"

int main(void)
{
	int master = OK(open("/dev/ptmx", O_RDWR | O_NOCTTY)), slave, value = -1, second;
	unsigned index = 99999;
	struct stat st;
	char name[32];

	CALL(ioctl(master, TIOCGPTN, &index));
	TRUTH(index < 4096);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	CALL(stat(name, &st));
	show("mode %o, type chr %d, major %d, minor as index %d, uid %d", st.st_mode & 07777,
	     S_ISCHR(st.st_mode), (int)(st.st_rdev >> 8 & 0xfff),
	     (st.st_rdev & 0xff) == (index & 0xff), (int)st.st_uid);
	CALL(ioctl(master, TIOCGPTLCK, &value));
	show("locked %d", value);
	CALL(open(name, O_RDWR | O_NOCTTY));
	value = 0;
	CALL(ioctl(master, TIOCSPTLCK, &value));
	slave = OK(open(name, O_RDWR | O_NOCTTY));
	CALL(isatty(slave));
	CALL(isatty(master));
	TRUTH(!strcmp(ttyname(slave), name));
	second = OK(posix_openpt(O_RDWR | O_NOCTTY));
	TRUTH(strcmp(ptsname(second), name) != 0);
	CALL(grantpt(second));
	CALL(unlockpt(second));
	close(second);

	feed(slave, "out\n");
	read_show("master", master, 100);
	feed(master, "in\n");
	read_show("slave", slave, 100);
	drain("echo", master);
	feed(master, "no newline");
	drain("echo", master);
	show_revents("slave has no line", slave, POLLIN);
	feed(master, "\rnext\r");
	read_show("line", slave, 100);
	read_show("part", slave, 2);
	read_show("rest", slave, 100);
	drain("echo", master);
	CALL(ioctl(slave, TIOCGPTN, &index));
	CALL(ioctl(slave, TIOCSPTLCK, &value));
	CALL(ioctl(master, TIOCGPTN, (unsigned *)8));
	CALL(ioctl(master, 0x5499, 0));
	CALL(lseek(slave, 0, SEEK_SET));
	CALL(lseek(master, 0, SEEK_CUR));
	CALL(close(slave));
	CALL(close(master));
	CALL(stat(name, &st));
	CALL(open(name, O_RDWR));
	return 0;
}
