/* ptrace(2): the events of fork, vfork, clone, exec and exit, and the new tasks, which are traced, too. */
#include "ptrace.h"
#include <sched.h>

static char stack[16384] __attribute__((aligned(16)));

static int thread(void *arg)
{
	return 5;
}

static void forker(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(6);
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid)
		_exit(7);
	waitpid(pid, NULL, 0);
	pid = clone(thread, stack + sizeof(stack), CLONE_VM, NULL);
	waitpid(pid, NULL, __WCLONE);
	_exit(8);
}

static void execer(void)
{
	execl("/proc/self/exe", "ptrace_events", "again", NULL);
}

static unsigned long message(pid_t pid)
{
	unsigned long value = 0;

	trace(GETEVENTMSG, pid, 0, P(&value));
	return value;
}

/* Lets all tasks go on until the first one ends. Which of parent and child stops first is not known: each has its own line. */
static void follow(unsigned long options)
{
	pid_t pid = traced_child(forker, options), stopped, child = 0;
	char lines[2][512] = { "", "" };
	int status;

	trace(CONT, pid, 0, 0);
	while ((stopped = waitpid(-1, &status, ANY)) > 0) {
		char *line = lines[stopped != pid];
		unsigned long data = 0;

		if (WIFSTOPPED(status)) {
			int event = status >> 16;

			sprintf(line + strlen(line), " %d%s", WSTOPSIG(status), event_name(event));
			if (event >= 1 && event <= 3)
				child = (pid_t)message(stopped);
			else if (event == 5)
				sprintf(line + strlen(line), " of the child %d", message(stopped) == (unsigned long)child);
			else if (event == 6)
				sprintf(line + strlen(line), " %#lx", message(stopped));
			else if (WSTOPSIG(status) != SIGSTOP)
				data = (unsigned long)WSTOPSIG(status);
			trace(CONT, stopped, 0, data);
		} else {
			sprintf(line + strlen(line), " ended %#x", status);
			if (stopped == pid)
				break;
		}
	}
	show("options %#lx\n  parent:%s\n  children:%s", options, lines[0], lines[1]);
}

static void exec_events(unsigned long options)
{
	pid_t pid = traced_child(execer, options);

	show("exec, options %#lx", options);
	trace(CONT, pid, 0, 0);
	wait_for("exec", pid);
	if (options) {
		show("  message is the PID: %s", message(pid) == (unsigned long)pid ? "yes" : "no");
		trace(TRACE_SYSCALL, pid, 0, 0);
		wait_for("end of the call", pid);
		show("  result %ld", (long)regs_of(pid).rax);
	}
	CALL(trace(DETACH, pid, 0, 0));
	wait_for("detached", pid);
}

/* SIGKILL, too, leads to the exit stop; a second one is not needed. */
static void killed(void)
{
	pid_t pid = sleeping_child();

	CALL(trace(SEIZE, pid, 0, OPT_EXIT));
	kill(pid, SIGKILL);
	wait_for("exit stop", pid);
	show("  message %#lx", message(pid));
	CALL(trace(CONT, pid, 0, 0));
	wait_for("killed", pid);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 9;
	follow(0);
	follow(OPT_FORK);
	follow(OPT_FORK | OPT_VFORK | OPT_CLONE | OPT_VFORKDONE | OPT_EXIT);
	exec_events(OPT_EXEC | OPT_SYSGOOD);
	exec_events(0);
	killed();
	return 0;
}
