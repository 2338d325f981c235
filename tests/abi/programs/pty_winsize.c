/* The size of the window: one for both sides; a change sends SIGWINCH to the foreground. */
#include "pty.h"

static volatile sig_atomic_t seen;

static void on_winch(int sig)
{
	seen++;
}

static void show_size(const char *name, int fd)
{
	struct winsize size = { 1, 1, 1, 1 };

	if (ioctl(fd, TIOCGWINSZ, &size))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %d %d %d %d", name, size.ws_row, size.ws_col, size.ws_xpixel, size.ws_ypixel);
}

int main(void)
{
	int slave, master = open_pair(&slave);
	struct winsize size = { 24, 80, 3, 4 };

	show_size("new", slave);
	setsid();
	CALL(ioctl(slave, TIOCSCTTY, 0));
	signal(SIGWINCH, on_winch);
	CALL(ioctl(master, TIOCSWINSZ, &size));
	show("SIGWINCH %d", seen);
	show_size("slave", slave);
	show_size("master", master);
	CALL(ioctl(master, TIOCSWINSZ, &size));
	show("the same size: SIGWINCH %d", seen);
	size.ws_xpixel = 100;
	CALL(ioctl(slave, TIOCSWINSZ, &size));
	show("from the slave: SIGWINCH %d", seen);
	show_size("master", master);
	CALL(ioctl(master, TIOCSWINSZ, (void *)8));
	CALL(ioctl(slave, TIOCGWINSZ, (void *)8));
	return 0;
}
