/* A tracer lets a stopped child go: first with a signal that does not exist, so it stays stopped, and then really. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	ptrace(PTRACE_ATTACH, pid, 0, 0);
	waitpid(pid, NULL, 0);
	printf("%ld", ptrace(PTRACE_DETACH, pid, 0, 65L));
	printf(" %ld\n", ptrace(PTRACE_DETACH, pid, 0, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
