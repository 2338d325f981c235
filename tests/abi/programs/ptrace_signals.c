/* ptrace(2): signals of a tracee stop it; the tracer sees, changes and drops them; memory and options. */
#include "ptrace.h"

static volatile long word = 0x1122334455667788;
static volatile int caught;

static void note(int sig)
{
	caught = sig;
}

static void tracee(void)
{
	signal(SIGUSR1, note);
	signal(SIGUSR2, note);
	signal(SIGCHLD, SIG_IGN);
	raise(SIGUSR1);
	show("tracee: caught %d, word %lx", caught, word);
	caught = 0;
	raise(SIGUSR1);
	show("tracee: caught %d", caught);
	raise(SIGUSR1);
	show("tracee: caught %d", caught);
	raise(SIGCHLD);
	raise(SIGTERM);
	_exit(3);
}

static void show_siginfo(pid_t pid)
{
	siginfo_t info;

	if (trace(GETSIGINFO, pid, 0, P(&info)))
		show("siginfo: %s", error_name(errno));
	else
		show("siginfo: %d code %d, of the tracee itself: %s", info.si_signo, info.si_code, info.si_pid == pid ? "yes" : "no");
}

static void signals(void)
{
	pid_t pid = traced_child(tracee, 0);
	unsigned long value = 0;
	siginfo_t info;

	show_siginfo(pid);
	CALL(trace(CONT, pid, 0, 0));
	wait_for("SIGUSR1", pid);
	show_siginfo(pid);
	CALL(trace(PEEKDATA, pid, P(&word), P(&value)));
	show("word %lx", value);
	CALL(trace(POKEDATA, pid, P(&word), 0x99));
	CALL(trace(PEEKTEXT, pid, 8, P(&value)));
	CALL(trace(POKETEXT, pid, P(note), 0)); /* text: a private copy of the page */
	CALL(trace(POKETEXT, pid, P(note), *(unsigned long *)note));
	CALL(trace(PEEKDATA, pid, P(&word), 8));
	trace(CONT, pid, 0, SIGUSR1);
	wait_for("SIGUSR1 again", pid);
	trace(CONT, pid, 0, 0); /* dropped */
	wait_for("and again", pid);
	trace(CONT, pid, 0, SIGUSR2); /* another one */
	wait_for("an ignored one", pid);
	CALL(trace(GETSIGINFO, pid, 0, P(&info)));
	info.si_code = -7;
	CALL(trace(SETSIGINFO, pid, 0, P(&info)));
	CALL(trace(SETSIGINFO, pid, 0, 8));
	CALL(trace(CONT, pid, 0, SIGCHLD));
	wait_for("a fatal one", pid);
	CALL(trace(CONT, pid, 0, 65));
	CALL(trace(CONT, pid, 0, SIGTERM));
	wait_for("the end", pid);
	CALL(trace(CONT, pid, 0, 0));
}

static void mask_and_messages(void)
{
	pid_t pid = traced_child(tracee, 0);
	unsigned long mask = 0, message = 7;

	mask = ~0UL;
	CALL(trace(SETSIGMASK, pid, 8, P(&mask)));
	CALL(trace(GETSIGMASK, pid, 8, P(&mask)));
	show("mask %lx", mask);
	CALL(trace(GETSIGMASK, pid, 4, P(&mask)));
	CALL(trace(GETEVENTMSG, pid, 0, P(&message)));
	show("message %lu", message);
	CALL(trace(SETOPTIONS, pid, 0, 0x100));
	CALL(trace(SETOPTIONS, pid, 0, OPT_EXITKILL | 0x7f));
	CALL(trace(LISTEN, pid, 0, 0));
	CALL(trace(INTERRUPT, pid, 0, 0));
	CALL(trace(12345, pid, 0, 0));
	CALL(trace(KILL_IT, pid, 0, 0));
	wait_for("killed", pid);
}

static void errors(void)
{
	pid_t pid = sleeping_child();
	int status;

	CALL(trace(CONT, pid, 0, 0));
	CALL(trace(CONT, 0x7fffffff, 0, 0));
	CALL(trace(ATTACH, getpid(), 0, 0));
	CALL(trace(SEIZE, pid, 1, 0));
	CALL(trace(SEIZE, pid, 0, 0x100));
	CALL(trace(SEIZE, pid, 0, 0));
	CALL(trace(SEIZE, pid, 0, 0));
	CALL(trace(ATTACH, pid, 0, 0));
	CALL(trace(CONT, pid, 0, 0)); /* it runs */
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	show_status("killed", status);
	if (!(pid = fork())) {
		CALL(trace(TRACEME, 0, 0, 0));
		CALL(trace(TRACEME, 0, 0, 0));
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

static void idle(void)
{
	for (;;)
		pause();
}

/* A tracee that was not let go can be killed, and one that was can be traced again. */
static void detach(void)
{
	pid_t pid = traced_child(idle, 0);

	CALL(trace(DETACH, pid, 0, 65));
	kill(pid, SIGKILL);
	wait_for("killed while it stays traced", pid);
	pid = traced_child(idle, 0);
	CALL(trace(DETACH, pid, 0, 0));
	CALL(trace(DETACH, pid, 0, 0));
	CALL(trace(SEIZE, pid, 0, 0));
	CALL(trace(INTERRUPT, pid, 0, 0));
	wait_for("interrupted", pid);
	CALL(trace(DETACH, pid, 0, 0));
	kill(pid, SIGKILL);
	wait_for("killed", pid);
}

int main(void)
{
	signals();
	detach();
	mask_and_messages();
	errors();
	return 0;
}
