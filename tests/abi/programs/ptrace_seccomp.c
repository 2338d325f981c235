/* ptrace(2) and seccomp(2): a filter leaves the decision to the tracer, which sees the call, changes it, or leaves it out. */
#include "ptrace.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#define OPT_SECCOMP 128
#define TRACED(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | (number))

struct info {
	unsigned char op, pad[3];
	unsigned arch;
	unsigned long ip, sp;
	unsigned long words[8];
};

static const unsigned long orig_rax = offsetof(struct user_regs_struct, orig_rax), rax = offsetof(struct user_regs_struct, rax);

static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		TRACED(SYS_getppid), TRACED(SYS_getpgrp), TRACED(SYS_dup),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		show("seccomp: %s", error_name(errno));
}

static long call(long nr, long a)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a) : "rcx", "r11", "memory");
	return ret;
}

static void tracee(void)
{
	long results[5];

	filter();
	results[0] = call(SYS_getppid, 0) > 0;
	results[1] = call(SYS_getppid, 0); /* becomes getuid, which the filter refuses */
	results[2] = call(SYS_getpgrp, 0); /* left out, with a result */
	results[3] = call(SYS_getpgrp, 0); /* becomes dup(-1), which the tracer is not asked about again */
	results[4] = call(SYS_getppid, 0) > 0;
	show("tracee: %ld %ld %ld %ld %ld", results[0], results[1], results[2], results[3], results[4]);
}

static void show_seccomp(pid_t pid)
{
	unsigned long message = 0;
	struct info info;
	long size;

	memset(&info, 0, sizeof(info));
	trace(GETEVENTMSG, pid, 0, P(&message));
	size = trace(GET_SYSCALL_INFO, pid, sizeof(info), P(&info));
	show("  message %lu, info: size %ld op %d, call %lu, data %u", message, size, info.op, info.words[0], (unsigned)info.words[7]);
}

static void next(const char *name, pid_t pid)
{
	trace(CONT, pid, 0, 0);
	wait_for(name, pid);
}

static void decisions(void)
{
	pid_t pid = traced_child(tracee, OPT_SECCOMP | OPT_SYSGOOD);

	next("getppid", pid);
	show_seccomp(pid);
	next("getppid again", pid);
	trace(POKEUSER, pid, orig_rax, SYS_getuid);
	next("getpgrp", pid);
	show_seccomp(pid);
	trace(POKEUSER, pid, orig_rax, P(-1));
	trace(POKEUSER, pid, rax, 1234);
	next("getpgrp again", pid);
	trace(POKEUSER, pid, orig_rax, SYS_dup);
	trace(POKEUSER, pid, offsetof(struct user_regs_struct, rdi), P(-1));
	next("the last", pid);
	/* After the event, the end of the call. */
	trace(TRACE_SYSCALL, pid, 0, 0);
	wait_for("end of the call", pid);
	next("end", pid);
}

/* The stop at the entry comes before the filter. */
static void both(void)
{
	pid_t pid = traced_child(tracee, OPT_SECCOMP | OPT_SYSGOOD);

	trace(CONT, pid, 0, 0);
	wait_for("event", pid);
	for (int i = 0; i < 6; i++) {
		trace(TRACE_SYSCALL, pid, 0, 0);
		wait_for("stop", pid);
	}
	trace(KILL_IT, pid, 0, 0);
	wait_for("killed", pid);
}

static void without_option(void)
{
	pid_t pid = traced_child(tracee, 0);

	next("without the option", pid);
}

static void tracer_dies(void)
{
	pid_t tracer = fork();
	int status;

	if (!tracer) {
		pid_t pid = traced_child(tracee, OPT_SECCOMP);

		next("event", pid);
		_exit(0); /* the tracee goes on: nobody decides, and its calls give ENOSYS */
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	waitpid(tracer, &status, 0);
	waitpid(-1, &status, 0);
	show_status("the tracee", status);
}

static void killed(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_geteuid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		show("seccomp: %s", error_name(errno));
}

static void killed_process(void)
{
	killed();
	call(SYS_getuid, 0);
	show("not reached");
}

static void killed_thread(void)
{
	killed();
	call(SYS_geteuid, 0);
	show("not reached");
}

/* A tracer cannot keep a filter from killing: it sees no stop for the signal. */
static void kills(void)
{
	pid_t pid = traced_child(killed_process, OPT_SYSGOOD);

	next("a killed process", pid);
	pid = traced_child(killed_thread, OPT_SYSGOOD);
	next("a killed thread", pid);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	decisions();
	both();
	without_option();
	tracer_dies();
	kills();
	return 0;
}
