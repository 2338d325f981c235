/* A terminal that is open for writing only does not become the terminal of a session; root's may. */
#include "abi.h"

#include <sys/prctl.h>

static int master;
static char name[32];

static void make_user(void)
{
	setsid();
	setresuid(1000, 1000, 1000);
}

static void has_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR);

	show("has a terminal: %s", fd >= 0 ? "yes" : error_name(errno));
	close(fd);
}

static void by_open(void)
{
	int fd;

	make_user();
	fd = OK(open(name, O_WRONLY));
	has_terminal();
	CALL(ioctl(fd, TIOCSTI, "x"));
	CALL(ioctl(fd, TIOCSCTTY, 0));
	CALL(ioctl(fd, TIOCSCTTY, 1));
	has_terminal();
	OK(open(name, O_RDONLY));
	has_terminal();
	CALL(ioctl(fd, TIOCSCTTY, 0));
	CALL(ioctl(fd, TIOCSTI, "x"));
}

static void root_by_open(void)
{
	int fd;

	setsid();
	fd = OK(open(name, O_WRONLY));
	has_terminal();
	CALL(ioctl(fd, TIOCSCTTY, 0));
	has_terminal();
}

/* Sessions that have the terminal while others want it. */
static void stolen_by(void (*thief)(void))
{
	int ready[2], done[2];
	pid_t pid;
	char c;

	pipe(ready);
	pipe(done);
	pid = fork();
	if (!pid) {
		close(done[1]);
		setsid();
		OK(open(name, O_RDWR));
		write(ready[1], "x", 1);
		read(done[0], &c, 1);
		has_terminal();
		_exit(0);
	}
	read(ready[0], &c, 1);
	if (!fork()) {
		thief();
		_exit(0);
	}
	wait(NULL);
	close(done[1]);
	wait(NULL);
}

/* The user 0, with no capability. */
static void root_without_capabilities(void)
{
	int fd;

	setsid();
	prctl(PR_SET_KEEPCAPS, 0);
	setresuid(0, 1000, 1000);
	CALL(setresuid(1000, 0, 1000));
	CALL(syscall(SYS_capset, (unsigned[]){ 0x20080522, 0 }, (unsigned[]){ 0, 0, 0, 0, 0, 0 }));
	fd = OK(open(name, O_RDWR));
	CALL(ioctl(fd, TIOCSCTTY, 1));
	has_terminal();
}

/* Another user, with all capabilities. */
static void user_with_capabilities(void)
{
	unsigned header[] = { 0x20080522, 0 }, sets[6] = { 0 };
	int fd;

	setsid();
	prctl(PR_SET_KEEPCAPS, 1);
	setresuid(1000, 1000, 1000);
	syscall(SYS_capget, header, sets);
	sets[0] = sets[1];
	sets[3] = sets[4];
	CALL(syscall(SYS_capset, header, sets));
	fd = OK(open(name, O_WRONLY));
	CALL(ioctl(fd, TIOCSCTTY, 0));
	CALL(ioctl(fd, TIOCSCTTY, 1));
	has_terminal();
}

int main(void)
{
	master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	ioctl(master, TIOCSPTLCK, (int[]){ 0 });
	ptsname_r(master, name, sizeof(name));
	chmod(name, 0666);
	signal(SIGHUP, SIG_IGN);
	CHILD(by_open);
	CHILD(root_by_open);
	show("root without capabilities");
	stolen_by(root_without_capabilities);
	show("a user with capabilities");
	stolen_by(user_with_capabilities);
	return 0;
}
