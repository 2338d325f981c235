/* ptrace(2): which task may trace which, and a set-user-ID program with a tracer. */
#include "ptrace.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

#define USER 1000

static const char copy[] = "/tmp/abi_ptrace_setuid";

static void become_user(void)
{
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show("no user");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* A copy of this program that acts for root. */
static void make_copy(void)
{
	int from = open("/proc/self/exe", O_RDONLY), to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	char buf[65536];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		write(to, buf, (size_t)n);
	fchmod(to, 04755);
	close(to);
	close(from);
}

static void run_copy(void)
{
	execl(copy, "ptrace_rights", "again", NULL);
}

/* A user traces the program from before its exec, from within the stop, or not at all. */
static void traced_by_user(void)
{
	unsigned long word = 0;
	pid_t pid;

	become_user();
	pid = traced_child(run_copy, OPT_EXEC);
	trace(CONT, pid, 0, 0);
	wait_for("exec", pid);
	CALL(trace(PEEKDATA, pid, regs_of(pid).rsp, P(&word)));
	trace(DETACH, pid, 0, 0);
	wait_for("the end", pid);
	pid = fork();
	if (!pid)
		run_copy();
	wait_for("without a tracer", pid);
}

static void traced_by_root(void)
{
	pid_t pid = fork();

	if (!pid) {
		become_user();
		raise(SIGSTOP);
		run_copy();
	}
	waitpid(pid, NULL, WUNTRACED);
	CALL(trace(SEIZE, pid, 0, OPT_EXEC));
	kill(pid, SIGCONT);
	for (;;) {
		int status;

		waitpid(pid, &status, ANY);
		if (!WIFSTOPPED(status)) {
			show_status("traced by root", status);
			return;
		}
		trace(CONT, pid, 0, 0);
	}
}

static void attach(const char *what, pid_t pid)
{
	int status;

	if (trace(SEIZE, pid, 0, 0)) {
		show("%s: %s", what, error_name(errno));
		return;
	}
	show("%s: ok", what);
	trace(INTERRUPT, pid, 0, 0);
	waitpid(pid, &status, ANY);
	trace(DETACH, pid, 0, 0);
}

static void others(void)
{
	pid_t root = sleeping_child(), child, parent = getpid();

	if (!(child = fork())) {
		pid_t own;

		become_user();
		attach("root's", root);
		attach("the parent", parent);
		own = sleeping_child();
		attach("an own child", own);
		kill(own, SIGKILL);
		if (!(own = fork())) {
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
			for (;;)
				pause();
		}
		until_asleep(own, own);
		attach("one that hides its memory", own);
		kill(own, SIGKILL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	kill(root, SIGKILL);
	wait_for("root's", root);
}

/* One with more rights than its parent cannot ask to be traced. */
static void traceme_of_root(void)
{
	pid_t user = fork();

	if (!user) {
		pid_t pid = fork();

		if (!pid) {
			until_asleep(getppid(), getppid());
			CALL(trace(TRACEME, 0, 0, 0));
			_exit(0);
		}
		setresuid(USER, USER, USER);
		wait(NULL);
		_exit(0);
	}
	wait_for("user", user);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		show("effective uid %d, secure %lu", geteuid(), getauxval(AT_SECURE));
		return 0;
	}
	make_copy();
	CHILD(traced_by_user);
	traced_by_root();
	others();
	traceme_of_root();
	unlink(copy);
	return 0;
}
