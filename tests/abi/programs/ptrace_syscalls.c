/* ptrace(2): the stops at both ends of a system call, what they tell, and what a tracer can change. */
#include "ptrace.h"

struct info {
	unsigned char op, pad[3];
	unsigned arch;
	unsigned long ip, sp;
	unsigned long words[8];
};

/* Asm, so that no C library makes other calls between. */
static long call(long nr, long a, long b, long c)
{
	long ret;
	register long r10 __asm__("r10") = 4;
	register long r8 __asm__("r8") = 5;
	register long r9 __asm__("r9") = 6;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return ret;
}

static void tracee(void)
{
	long results[6];

	results[0] = call(SYS_getppid, 1, 2, 3) > 0;
	results[1] = call(SYS_dup, 77, 0, 0);
	results[2] = call(5000, 0, 0, 0);
	results[3] = call(SYS_getppid, 0, 0, 0); /* the tracer makes it another call */
	results[4] = call(SYS_dup, -5, 0, 0); /* and this one none */
	results[5] = call(SYS_getuid, 0, 0, 0); /* and gives this one a result */
	show("tracee: %ld %ld %ld %ld %ld %ld", results[0], results[1], results[2], results[3], results[4], results[5]);
}

static void show_info(pid_t pid)
{
	struct info info;
	long size;

	memset(&info, 0xee, sizeof(info));
	size = trace(GET_SYSCALL_INFO, pid, sizeof(info), P(&info));
	show("  info: size %ld op %d arch %x", size, info.op, info.arch);
	if (info.op == 1)
		show("  call %ld(%ld, %ld, %ld, %ld, %ld, %ld)", info.words[0], info.words[1], info.words[2], info.words[3], info.words[4],
		     info.words[5], info.words[6]);
	else if (info.op == 2)
		show("  result %s, error %d", info.words[0] < 100 ? "small" : error_name(-(int)info.words[0]), info.words[1] & 0xff ? 1 : 0);
}

/* One more stop of the tracee. */
static void next(const char *name, pid_t pid)
{
	trace(TRACE_SYSCALL, pid, 0, 0);
	wait_for(name, pid);
}

static unsigned long orig_rax = offsetof(struct user_regs_struct, orig_rax), rax = offsetof(struct user_regs_struct, rax);

static void calls(void)
{
	pid_t pid = traced_child(tracee, OPT_SYSGOOD);
	unsigned long value = 0;
	siginfo_t info;

	show_info(pid);
	/* musl and glibc block signals in raise() in different ways: on to the call that is the tracee's own. */
	do {
		trace(TRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, NULL, ANY);
	} while (regs_of(pid).orig_rax != SYS_getppid);
	show_info(pid);
	CALL(trace(PEEKUSER, pid, rax, P(&value)));
	show("rax at entry: %ld", (long)value);
	CALL(trace(GETSIGINFO, pid, 0, P(&info)));
	show("siginfo %d code %#x", info.si_signo, info.si_code);
	CALL(trace(GETEVENTMSG, pid, 0, P(&value)));
	show("message %lu", value);
	next("exit", pid);
	show("  rax is the PID of this process: %s", (pid_t)regs_of(pid).rax == getpid() ? "yes" : "no");
	next("dup", pid);
	show_info(pid);
	next("dup ends", pid);
	show_info(pid);
	next("5000", pid);
	show_info(pid);
	next("5000 ends", pid);
	show_info(pid);
	next("getppid", pid);
	CALL(trace(POKEUSER, pid, orig_rax, SYS_dup));
	CALL(trace(POKEUSER, pid, offsetof(struct user_regs_struct, rdi), 88));
	show_info(pid);
	next("dup ends", pid);
	show_info(pid);
	next("dup", pid);
	CALL(trace(POKEUSER, pid, orig_rax, -1UL));
	CALL(trace(POKEUSER, pid, rax, 55));
	next("no call ends", pid);
	next("getuid", pid);
	next("getuid ends", pid);
	CALL(trace(POKEUSER, pid, rax, 4711));
	trace(CONT, pid, 0, 0);
	wait_for("the end", pid);
}

/* Without TRACESYSGOOD the stop looks like a SIGTRAP; a signal of the answer comes at once, from the kernel. */
static void plain(void)
{
	pid_t pid = traced_child(tracee, 0);
	siginfo_t info;

	next("plain", pid);
	show_info(pid);
	CALL(trace(TRACE_SYSCALL, pid, 0, SIGUSR1));
	for (int i = 0; i < 20; i++) { /* the rest of raise(), then the signal */
		int status;

		waitpid(pid, &status, ANY);
		if (WSTOPSIG(status) == SIGUSR1) {
			show_stop("signal", status);
			CALL(trace(GETSIGINFO, pid, 0, P(&info)));
			show("siginfo %d code %#x pid %d", info.si_signo, info.si_code, info.si_pid);
			break;
		}
		trace(TRACE_SYSCALL, pid, 0, 0);
	}
	trace(CONT, pid, 0, SIGUSR1);
	wait_for("the end", pid);
}

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

static void sleeper(void)
{
	struct timespec ts = { 60, 0 };
	struct sigaction act = { .sa_handler = handler, .sa_flags = 0 };

	long ret;

	sigaction(SIGUSR1, &act, NULL);
	ret = call(SYS_nanosleep, (long)&ts, (long)&ts, 0);
	show("tracee: nanosleep %ld, handled %d", ret, handled);
}

/* A call that a signal interrupts: its result is the kernel's own, and the restart is another call. */
static void interrupted(void)
{
	pid_t pid = traced_child(sleeper, OPT_SYSGOOD);

	do {
		trace(TRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, NULL, ANY);
	} while (regs_of(pid).orig_rax != SYS_nanosleep);
	trace(TRACE_SYSCALL, pid, 0, 0);
	until_asleep(pid, pid);
	kill(pid, SIGUSR2);
	wait_for("interrupted", pid);
	show("  rax %ld", (long)regs_of(pid).rax);
	next("SIGUSR2", pid);
	next("restart", pid); /* the signal is dropped */
	show("  call %ld", (long)regs_of(pid).orig_rax);
	trace(TRACE_SYSCALL, pid, 0, 0);
	until_asleep(pid, pid);
	kill(pid, SIGUSR1);
	wait_for("interrupted", pid);
	show("  rax %ld", (long)regs_of(pid).rax);
	next("SIGUSR1", pid);
	trace(CONT, pid, 0, SIGUSR1);
	wait_for("the end", pid);
}

int main(void)
{
	calls();
	plain();
	interrupted();
	return 0;
}
