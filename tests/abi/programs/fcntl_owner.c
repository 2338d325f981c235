/* fcntl(2): the owner of a file and its signal: F_SETOWN, F_SETOWN_EX, F_SETSIG, and their ioctls. */
#include "sigio.h"
#include <limits.h>
#include <sys/socket.h>

#define F_GETOWNER_UIDS 17

static int fd;

static void owner(const char *when)
{
	struct f_owner_ex ex = { -1, -1 };
	int pid = fcntl(fd, F_GETOWN);

	fcntl(fd, F_GETOWN_EX, &ex);
	show("%s: F_GETOWN %s, F_GETOWN_EX type %d %s", when,
	     !pid ? "0" : pid == getpid() ? "me" : pid == -getpgrp() ? "my group" : "?", ex.type,
	     !ex.pid ? "0" : ex.pid == getpid() ? "me" : ex.pid == getpgrp() ? "my group" : "?");
}

int main(void)
{
	struct f_owner_ex ex;
	int status, pid, p[2], s[2], on;
	uid_t uids[2];

	setpgid(0, 0);
	pipe(p);
	fd = p[0];
	owner("new");
	CALL(fcntl(fd, F_GETSIG));
	CALL(fcntl(fd, F_SETOWN, getpid()));
	owner("a process");
	CALL(fcntl(fd, F_SETOWN, -getpgrp()));
	owner("a group");
	CALL(fcntl(fd, F_SETOWN, 0));
	owner("nobody");
	CALL(fcntl(fd, F_SETOWN, INT_MIN));
	CALL(fcntl(fd, F_SETOWN, 32767));
	CALL(fcntl(fd, F_SETOWN, -32767));
	owner("unchanged");

	ex = (struct f_owner_ex){ F_OWNER_TID, getpid() };
	CALL(fcntl(fd, F_SETOWN_EX, &ex));
	owner("a task");
	ex = (struct f_owner_ex){ F_OWNER_PID, getpid() };
	CALL(fcntl(fd, F_SETOWN_EX, &ex));
	owner("a process");
	ex = (struct f_owner_ex){ F_OWNER_PGRP, getpgrp() };
	CALL(fcntl(fd, F_SETOWN_EX, &ex));
	owner("a group");
	ex = (struct f_owner_ex){ 3, getpid() };
	CALL(fcntl(fd, F_SETOWN_EX, &ex));
	ex = (struct f_owner_ex){ F_OWNER_PID, 32767 };
	CALL(fcntl(fd, F_SETOWN_EX, &ex));
	CALL(syscall(SYS_fcntl, fd, F_SETOWN_EX, 8));
	CALL(syscall(SYS_fcntl, fd, F_GETOWN_EX, 8));
	owner("unchanged");
	CALL(fcntl(fd, F_GETOWNER_UIDS, uids));
	show("uids %u %u", uids[0], uids[1]);

	/* An owner that has ended. */
	pid = fork();
	if (!pid)
		pause();
	CALL(fcntl(fd, F_SETOWN, pid));
	TRUTH(fcntl(fd, F_GETOWN) == pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	owner("ended");

	CALL(fcntl(fd, F_SETSIG, SIGRTMIN));
	CALL(fcntl(fd, F_GETSIG) == SIGRTMIN);
	CALL(fcntl(fd, F_SETSIG, 64));
	CALL(fcntl(fd, F_SETSIG, 65));
	CALL(fcntl(fd, F_SETSIG, -1));
	CALL(fcntl(fd, F_GETSIG));
	CALL(fcntl(fd, F_SETSIG, 0));
	CALL(fcntl(p[1], F_GETSIG));

	/* The open file has it, not the descriptor. */
	fcntl(fd, F_SETOWN, getpid());
	fd = dup(fd);
	owner("dup");

	/* Files that never send a signal have an owner, too; files of O_PATH have not. */
	fd = open("/tmp/owner", O_RDWR | O_CREAT, 0600);
	CALL(fcntl(fd, F_SETOWN, getpid()));
	owner("regular");
	on = 1;
	CALL(ioctl(fd, FIOASYNC, &on));
	CALL(fcntl(fd, F_SETFL, O_ASYNC));
	show("flags %x", fcntl(fd, F_GETFL) & ~0100000);
	on = 0;
	CALL(ioctl(fd, FIOASYNC, &on));
	close(fd);
	fd = open("/tmp/owner", O_RDWR | O_ASYNC);
	show("flags %x", fcntl(fd, F_GETFL) & ~0100000);
	close(fd);
	fd = open("/tmp/owner", O_PATH);
	CALL(fcntl(fd, F_SETOWN, getpid()));
	CALL(fcntl(fd, F_SETSIG, SIGIO));
	close(fd);
	unlink("/tmp/owner");

	on = 1;
	CALL(ioctl(p[0], FIOASYNC, &on));
	show("flags %x", fcntl(p[0], F_GETFL) & ~0100000);
	CALL(ioctl(p[0], FIOASYNC, &on));
	on = 0;
	CALL(ioctl(p[0], FIOASYNC, &on));
	show("flags %x", fcntl(p[0], F_GETFL) & ~0100000);
	CALL(ioctl(p[0], FIOASYNC, 8));

	/* Sockets have commands of their own. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	fd = s[0];
	on = getpid();
	CALL(ioctl(fd, FIOSETOWN, &on));
	owner("FIOSETOWN");
	on = -getpgrp();
	CALL(ioctl(fd, SIOCSPGRP, &on));
	owner("SIOCSPGRP");
	CALL(ioctl(fd, FIOGETOWN, &on));
	TRUTH(on == -getpgrp());
	CALL(ioctl(fd, SIOCGPGRP, &on));
	TRUTH(on == -getpgrp());
	on = 32767;
	CALL(ioctl(fd, FIOSETOWN, &on));
	CALL(ioctl(fd, FIOSETOWN, 8));
	CALL(ioctl(p[0], FIOGETOWN, &on));
	return 0;
}
