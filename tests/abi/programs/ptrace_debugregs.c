/* ptrace(2): the debug registers of a tracee, which end with its program. */
#include "ptrace.h"

#define DR(n) (848 + 8 * (n))

static volatile long watched, other;

static void work(void)
{
	watched = 1;
	other = watched;
	read(open("/dev/zero", O_RDONLY), (void *)&watched, sizeof(watched)); /* the kernel writes: no trap */
	if (!fork()) {
		watched = 2; /* the child has none */
		_exit(0);
	}
	wait(NULL);
	other = 3;
	execl("/proc/self/exe", "ptrace_debugregs", "again", NULL);
}

static void poke(pid_t pid, const char *what, int n, unsigned long value)
{
	show("%s: %s", what, trace(POKEUSER, pid, DR(n), value) ? error_name(errno) : "ok");
}

static unsigned long peek(pid_t pid, int n)
{
	unsigned long value = 0;

	if (trace(PEEKUSER, pid, DR(n), P(&value)))
		show("dr%d: %s", n, error_name(errno));
	return value;
}

/* The next stop, with what the debug registers say of it. */
static void next(const char *name, pid_t pid)
{
	siginfo_t info;

	trace(CONT, pid, 0, 0);
	if (!WIFSTOPPED(wait_for(name, pid)))
		return;
	trace(GETSIGINFO, pid, 0, P(&info));
	show("  code %d, dr6 %lx, watched %s", info.si_code, peek(pid, 6) & 15, peek(pid, 0) == P(&watched) ? "yes" : "no");
	trace(POKEUSER, pid, DR(6), 0);
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc > 1) {
		watched = 4;
		return 0;
	}
	pid = traced_child(work, OPT_EXEC);
	poke(pid, "an address of the kernel", 0, 0xffffffff81000000);
	poke(pid, "dr4", 4, 1);
	poke(pid, "dr5", 5, 1);
	poke(pid, "dr0", 0, P(&watched));
	poke(pid, "ports", 7, 0x20001);
	poke(pid, "8 bytes of code", 7, 0x80001);
	poke(pid, "4 bytes, not aligned", 1, P(&other) + 2);
	poke(pid, "switched on", 7, 0xd00004);
	poke(pid, "dr1", 1, P(&other));
	show("dr6 %lx dr7 %lx", peek(pid, 6) & 15, peek(pid, 7));
	poke(pid, "writes of 8 bytes", 7, 0x90001);
	next("watched = 1", pid);
	poke(pid, "and reads and writes of the other one", 7, 0xb90005);
	next("other = watched", pid);
	next("SIGCHLD", pid);
	next("other = 3", pid);
	next("exec", pid);
	show("dr0 %lx dr7 %lx", peek(pid, 0), peek(pid, 7));
	next("the end", pid);
	return 0;
}
