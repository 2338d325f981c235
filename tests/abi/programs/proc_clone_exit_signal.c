/* clone(2): the signal at a child's end, and which wait finds the child: __WALL, __WCLONE. */
#include "abi.h"

#include <sched.h>

static volatile sig_atomic_t seen;

static void on_signal(int signal)
{
	seen = signal;
}

static pid_t start(unsigned long flags)
{
	pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);

	if (!pid)
		_exit(7);
	return pid;
}

static void try(const char *name, unsigned long flags, int options)
{
	int status = 0;
	pid_t pid, found;

	seen = 0;
	pid = start(flags);
	if (pid < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	/* Its signal must not interrupt the wait below. */
	while (waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT | __WALL) && errno == EINTR)
		;
	errno = 0;
	found = waitpid(pid, &status, options);
	show("%s: found %d %s, exit %d, signal %d", name, found == pid, found < 0 ? error_name(errno) : "",
	     WEXITSTATUS(status), seen);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}

int main(void)
{
	signal(SIGCHLD, on_signal);
	signal(SIGUSR1, on_signal);
	try("SIGCHLD", SIGCHLD, 0);
	try("SIGCHLD, __WCLONE", SIGCHLD, __WCLONE);
	try("SIGCHLD, __WALL", SIGCHLD, __WALL);
	try("none", 0, 0);
	try("none, __WCLONE", 0, __WCLONE);
	try("none, __WALL", 0, __WALL);
	try("SIGUSR1", SIGUSR1, 0);
	try("SIGUSR1, __WCLONE", SIGUSR1, __WCLONE);
	try("SIGUSR1, __WALL", SIGUSR1, __WALL);
	try("no signal, 65", 65, __WALL);
	try("thread without sighand", CLONE_THREAD, __WALL);
	try("sighand without vm", CLONE_SIGHAND | SIGCHLD, __WALL);
	try("fs and newns", CLONE_FS | CLONE_NEWNS | SIGCHLD, __WALL);
	try("detached", 0x00400000 | SIGCHLD, __WALL);
	return 0;
}
