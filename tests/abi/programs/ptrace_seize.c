/* ptrace(2): SEIZE, INTERRUPT, LISTEN and group stops; ATTACH to a task that runs or is stopped; DETACH. */
#include "ptrace.h"

static void show_siginfo(pid_t pid)
{
	siginfo_t info;

	if (trace(GETSIGINFO, pid, 0, P(&info)))
		show("  siginfo: %s", error_name(errno));
	else
		show("  siginfo: %d code %#x", info.si_signo, info.si_code);
}

/* Whether wait(2) has something to tell of the task now. */
static void nothing(const char *name, pid_t pid)
{
	int status = 0;
	pid_t got = waitpid(pid, &status, ANY | WNOHANG);

	if (got)
		show_stop(name, status);
	else
		show("%s: nothing", name);
}

static void until_state(pid_t pid, char state)
{
	while (state_of(pid, pid) != state)
		usleep(1000);
}

static void seize(void)
{
	pid_t pid = sleeping_child();

	CALL(trace(SEIZE, pid, 0, 0));
	nothing("after SEIZE", pid);
	CALL(trace(INTERRUPT, pid, 0, 0));
	wait_for("interrupted", pid);
	show_siginfo(pid);
	show("state %c", state_of(pid, pid));
	CALL(trace(LISTEN, pid, 0, 0)); /* no group stop: allowed nevertheless */
	CALL(trace(CONT, pid, 0, 0)); /* it listens */
	CALL(trace(INTERRUPT, pid, 0, 0));
	wait_for("interrupted again", pid);
	CALL(trace(CONT, pid, 0, 0));
	kill(pid, SIGSTOP);
	wait_for("signal", pid);
	show_siginfo(pid);
	CALL(trace(CONT, pid, 0, SIGSTOP));
	wait_for("group stop", pid);
	show_siginfo(pid);
	CALL(trace(LISTEN, pid, 0, 0));
	nothing("listening", pid);
	show("state %c", state_of(pid, pid));
	kill(pid, SIGCONT);
	wait_for("continued", pid);
	show_siginfo(pid);
	CALL(trace(CONT, pid, 0, 0));
	wait_for("SIGCONT", pid);
	CALL(trace(CONT, pid, 0, SIGCONT));
	CALL(trace(INTERRUPT, pid, 0, 0));
	wait_for("interrupted", pid);
	CALL(trace(CONT, pid, 0, SIGUSR1)); /* no signal has stopped it, and so it gets none */
	until_asleep(pid, pid);
	kill(pid, SIGUSR2);
	wait_for("SIGUSR2", pid);
	CALL(trace(DETACH, pid, 0, SIGUSR1));
	wait_for("ended by the signal of DETACH", pid);
}

static void attach_running(void)
{
	pid_t pid = sleeping_child();

	CALL(trace(ATTACH, pid, 0, 0));
	wait_for("attached", pid);
	show_siginfo(pid);
	CALL(trace(CONT, pid, 0, SIGSTOP));
	wait_for("group stop", pid);
	show_siginfo(pid); /* EINVAL: it is no signal */
	CALL(trace(CONT, pid, 0, 0));
	until_asleep(pid, pid);
	show("runs in a stopped process");
	kill(pid, SIGTERM);
	wait_for("SIGTERM", pid);
	CALL(trace(DETACH, pid, 0, 0)); /* the group stop counts again */
	until_state(pid, 'T');
	show("state %c", state_of(pid, pid));
	kill(pid, SIGKILL);
	wait_for("killed", pid);
}

static void attach_stopped(bool seize)
{
	pid_t pid = sleeping_child();
	int status;

	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show_status("a stopped child", status);
	if (seize)
		CALL(trace(SEIZE, pid, 0, 0));
	else
		CALL(trace(ATTACH, pid, 0, 0));
	show("state %c", state_of(pid, pid)); /* traced at once */
	wait_for("stop", pid);
	show_siginfo(pid);
	kill(pid, SIGCONT);
	if (seize) {
		CALL(trace(CONT, pid, 0, 0));
		wait_for("the group stop ends", pid);
	}
	CALL(trace(CONT, pid, 0, 0));
	wait_for("SIGCONT", pid);
	CALL(trace(DETACH, pid, 0, 0));
	until_asleep(pid, pid);
	kill(pid, SIGKILL);
	wait_for("killed", pid);
}

/* The child of a seized task begins with an event stop, and not with SIGSTOP. */
static void seized_fork(void)
{
	pid_t pid = sleeping_child(), child;
	unsigned long message = 0;
	struct user_regs_struct regs;

	CALL(trace(SEIZE, pid, 0, OPT_FORK));
	CALL(trace(INTERRUPT, pid, 0, 0));
	wait_for("interrupted", pid);
	regs = regs_of(pid);
	regs.rax = regs.orig_rax = SYS_fork; /* instead of pause(2): the call begins again */
	regs.rip -= 2;
	regs.orig_rax = -1UL;
	CALL(trace(SETREGS, pid, 0, P(&regs)));
	CALL(trace(CONT, pid, 0, 0));
	wait_for("fork", pid);
	trace(GETEVENTMSG, pid, 0, P(&message));
	child = (pid_t)message;
	wait_for("the child", child);
	show_siginfo(child);
	CALL(trace(KILL_IT, child, 0, 0));
	wait_for("the child", child);
	kill(pid, SIGKILL);
	wait_for("killed", pid);
}

int main(void)
{
	seize();
	attach_running();
	attach_stopped(false);
	attach_stopped(true);
	seized_fork();
	return 0;
}
