/* The end of a master: the leader of the session gets SIGHUP, whoever has closed the master. */
#include "pty.h"

int main(void)
{
	int slave, master = open_pair(&slave), ready[2], status = 0;
	pid_t pid;
	char byte;

	pipe(ready);
	pid = fork();
	if (!pid) {
		sigset_t set;
		siginfo_t info;

		close(master);
		sigemptyset(&set);
		sigaddset(&set, SIGHUP);
		sigprocmask(SIG_BLOCK, &set, NULL);
		CALL(setsid() > 0);
		CALL(ioctl(slave, TIOCSCTTY, 0));
		write(ready[1], "r", 1);
		close(ready[1]);
		CALL(sigwaitinfo(&set, &info));
		show("si_code %d", info.si_code);
		show("from a process: %s", info.si_pid ? "yes" : "no");
		_exit(4);
	}
	read(ready[0], &byte, 1);
	CALL(setresuid(65534, 65534, 65534));
	CALL(kill(pid, SIGUSR1));
	close(slave);
	close(master);
	waitpid(pid, &status, 0);
	show_status("the leader", status);
	return 0;
}
