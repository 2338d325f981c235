/* TIOCEXCL, TIOCSTI, TIOCNOTTY, TIOCGSID, TIOCSPGRP: rights and errors. */
#include "pty.h"

static int master, slave;
static char name[32];

static void user_opens(void)
{
	setresuid(1000, 1000, 1000);
	CALL(open(name, O_RDWR | O_NOCTTY));
}

static void session(void)
{
	int other, p[2], status, id, locked;
	pid_t pid;
	char c;

	setsid();
	CALL(ioctl(slave, TIOCGSID, &id));
	CALL(tcgetpgrp(slave));
	CALL(ioctl(slave, TIOCNOTTY));
	CALL(ioctl(slave, TIOCSCTTY, 0));
	CALL(ioctl(slave, TIOCSCTTY, 0));
	CALL(ioctl(slave, TIOCGSID, &id));
	TRUTH(id == getpid());
	TRUTH(tcgetpgrp(slave) == getpid());
	TRUTH(tcgetpgrp(master) == getpid());
	CALL(ioctl(master, TIOCGSID, &id));
	CALL(tcsetpgrp(slave, 1));
	CALL(tcsetpgrp(slave, 0x7ffffff));
	CALL(tcsetpgrp(slave, -1));
	CALL(tcsetpgrp(slave, getpid()));
	OK(other = open("/dev/tty", O_RDWR));
	CALL(isatty(other));
	TRUTH(tcgetpgrp(other) == getpid());

	/* A byte put into the input as if typed. */
	c = 'q';
	CALL(ioctl(slave, TIOCSTI, &c));
	c = '\n';
	CALL(ioctl(slave, TIOCSTI, &c));
	read_show("slave", slave, 10);

	/* A group of its own in the background may not take the terminal. */
	pipe(p);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		CALL(tcsetpgrp(slave, getpid()));
		TRUTH(tcgetpgrp(slave) == getpid());
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("child", status);
	signal(SIGTTOU, SIG_IGN);
	CALL(tcsetpgrp(slave, getpid()));

	/* Another session cannot have it. */
	pid = fork();
	if (!pid) {
		setsid();
		CALL(ioctl(slave, TIOCSCTTY, 0));
		CALL(tcgetpgrp(slave));
		CALL(tcsetpgrp(slave, getpid()));
		CALL(open("/dev/tty", O_RDWR));
		setresuid(1000, 1000, 1000);
		CALL(ioctl(slave, TIOCSTI, &c));
		CALL(ioctl(slave, TIOCSCTTY, 1));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("child", status);
	CALL(ioctl(master, TIOCGPTLCK, &locked));
	show("locked %d", locked);
	signal(SIGHUP, SIG_IGN);
	CALL(ioctl(slave, TIOCNOTTY));
	CALL(tcgetpgrp(slave));
	CALL(open("/dev/tty", O_RDWR));
}

int main(void)
{
	unsigned index;
	int on;

	master = open_pair(&slave);
	ioctl(master, TIOCGPTN, &index);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	chmod(name, 0666);
	CALL(ioctl(slave, TIOCGEXCL, &on));
	show("exclusive %d", on);
	CALL(ioctl(slave, TIOCEXCL));
	CALL(ioctl(slave, TIOCGEXCL, &on));
	show("exclusive %d", on);
	OK(open(name, O_RDWR | O_NOCTTY));
	CHILD(user_opens);
	CALL(ioctl(slave, TIOCNXCL));
	in_child("session", session);
	return 0;
}
