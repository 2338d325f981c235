/* The master closes: the leader of the session gets SIGHUP and SIGCONT, and the session has no terminal any more. */
#include "pty.h"
#include <sys/prctl.h>

static int order[2], out[2];

static void note(int sig)
{
	char c = sig == SIGHUP ? 'H' : sig == SIGCONT ? 'C' : '?';

	write(out[1], &c, 1);
}

static void leader(int slave)
{
	char c;
	int fd;
	pid_t member, job;

	setsid();
	CALL(ioctl(slave, TIOCSCTTY, 0));
	TRUTH(tcgetpgrp(slave) == getpid());
	TRUTH(tcgetsid(slave) == getpid());
	fd = OK(open("/dev/tty", O_RDWR));
	close(fd);
	signal(SIGHUP, note);
	signal(SIGCONT, note);
	member = fork();
	if (!member) {
		signal(SIGHUP, SIG_DFL);
		pause();
		_exit(0);
	}
	job = fork();
	if (!job) {
		signal(SIGHUP, SIG_DFL);
		signal(SIGCONT, SIG_DFL);
		setpgid(0, 0);
		pause();
		_exit(0);
	}
	setpgid(job, job);
	signal(SIGTTOU, SIG_IGN);
	CALL(tcsetpgrp(slave, job));
	write(order[1], "r", 1);
	/* One signal or both at once may end the read. */
	while (read(slave, &c, 1) == -1 && errno == EINTR)
		;
	usleep(100000);
	CALL(open("/dev/tty", O_RDWR));
	/* Only the leader got SIGHUP. The job in the foreground gets it when the leader ends. */
	CALL(waitpid(-1, NULL, WNOHANG));
	kill(member, SIGKILL);
	waitpid(member, NULL, 0);
	CALL(tcgetpgrp(slave));
	_exit(7);
}

int main(void)
{
	int slave, master = open_pair(&slave), status;
	char c, seen[8] = "";
	pid_t pid;
	ssize_t n;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pipe(order);
	pipe(out);
	pid = fork();
	if (!pid) {
		close(master);
		leader(slave);
	}
	close(slave);
	read(order[0], &c, 1);
	until_asleep(pid, pid);
	close(master);
	waitpid(pid, &status, 0);
	show_status("leader", status);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	n = read(out[0], seen, sizeof(seen) - 1);
	show("signals: %zd, H %d, C %d", n, strchr(seen, 'H') != NULL, strchr(seen, 'C') != NULL);
	pid = waitpid(-1, &status, 0);
	TRUTH(pid > 0);
	show_status("job", status);
	return 0;
}
