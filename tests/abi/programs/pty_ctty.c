/* How a slave becomes the terminal of a session, and how a session loses it. */
#include "pty.h"

static int master, slave;
static char name[32];

static void by_open(void)
{
	int fd, tty;

	setsid();
	CALL(open("/dev/tty", O_RDWR));
	fd = open(name, O_RDWR | O_NOCTTY);
	CALL(tcgetsid(fd));
	close(fd);
	fd = OK(open(name, O_RDWR));
	TRUTH(tcgetsid(fd) == getpid());
	TRUTH(tcgetpgrp(fd) == getpid());
	tty = OK(open("/dev/tty", O_RDWR));
	feed(tty, "through /dev/tty\n");
	read_show("master", master, 100);
	CALL(isatty(tty));
	/* The session keeps it when all files are closed. */
	close(fd);
	close(tty);
	close(slave);
	fd = OK(open("/dev/tty", O_RDWR));
	CALL(ioctl(fd, TIOCSCTTY, 0));
	signal(SIGHUP, SIG_IGN);
	CALL(ioctl(fd, TIOCNOTTY));
	CALL(ioctl(fd, TIOCNOTTY));
	CALL(open("/dev/tty", O_RDWR));
	CALL(ioctl(fd, TIOCSCTTY, 0));
	OK(open("/dev/tty", O_RDWR));
}

static void no_leader(void)
{
	int status;

	setsid();
	if (!fork()) {
		int fd = open(name, O_RDWR);

		CALL(tcgetsid(fd));
		CALL(ioctl(fd, TIOCSCTTY, 0));
		_exit(0);
	}
	wait(&status);
}

static void stolen(void)
{
	pid_t child;
	int status, ready[2];
	char c;

	pipe(ready);
	setsid();
	CALL(ioctl(slave, TIOCSCTTY, 0));
	child = fork();
	if (!child) {
		setsid();
		CALL(ioctl(slave, TIOCSCTTY, 0));
		CALL(ioctl(slave, TIOCSCTTY, 1));
		TRUTH(tcgetsid(slave) == getpid());
		write(ready[1], "x", 1);
		pause();
	}
	read(ready[0], &c, 1);
	CALL(tcgetsid(slave));
	CALL(open("/dev/tty", O_RDWR));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

static void leader_ends(void)
{
	/* The job in the foreground, also the leader's own, gets SIGHUP. */
	pid_t leader, job;
	int fds[2], go[2], status;
	char c;

	pipe(go);
	pipe(fds); /* its end is the end of the job */
	leader = fork();
	if (!leader) {
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		signal(SIGHUP, SIG_IGN); /* before the job can get one */
		job = fork();
		if (!job) {
			char buf[8];

			/* The files of the terminal stay usable. */
			read(go[0], buf, 1);
			show("after the leader: write %zd", write(slave, "left\n", 5));
			CALL(open("/dev/tty", O_RDWR));
			read(slave, buf, 0);
			_exit(0);
		}
		_exit(0);
	}
	close(fds[1]);
	waitpid(leader, &status, 0);
	show_status("leader", status);
	write(go[1], "x", 1);
	read(fds[0], &c, 1);
	read_show("master", master, 100);
}

int main(void)
{
	unsigned index;

	master = open_pair(&slave);
	ioctl(master, TIOCGPTN, &index);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	CHILD(by_open);
	CHILD(no_leader);
	CHILD(stolen);
	leader_ends();
	return 0;
}
