/* What the programs of ptrace(2) share: the requests by number, because the C libraries' headers differ, and what a stop was. */
#pragma once

#include "abi.h"
#include <sys/user.h>

enum {
	TRACEME = 0, PEEKTEXT = 1, PEEKDATA = 2, PEEKUSER = 3, POKETEXT = 4, POKEDATA = 5, POKEUSER = 6, CONT = 7, KILL_IT = 8, STEP = 9,
	GETREGS = 12, SETREGS = 13, GETFPREGS = 14, SETFPREGS = 15, ATTACH = 16, DETACH = 17, TRACE_SYSCALL = 24, TRACE_ARCH_PRCTL = 30,
	SETOPTIONS = 0x4200, GETEVENTMSG = 0x4201, GETSIGINFO = 0x4202, SETSIGINFO = 0x4203, GETREGSET = 0x4204, SETREGSET = 0x4205,
	SEIZE = 0x4206, INTERRUPT = 0x4207, LISTEN = 0x4208, GETSIGMASK = 0x420a, SETSIGMASK = 0x420b, GET_SYSCALL_INFO = 0x420e,
};

/* Options: bit n for event n. */
enum {
	OPT_SYSGOOD = 1, OPT_FORK = 2, OPT_VFORK = 4, OPT_CLONE = 8, OPT_EXEC = 16, OPT_VFORKDONE = 32, OPT_EXIT = 64, OPT_EXITKILL = 1 << 20,
};

#define ANY 0x40000000 /* __WALL */

/* The system call itself: errors in errno, PEEK through a pointer. */
static inline long trace(long request, pid_t pid, unsigned long addr, unsigned long data)
{
	return syscall(SYS_ptrace, request, pid, addr, data);
}
#define P(value) ((unsigned long)(value))

static inline const char *event_name(int event)
{
	static const char *const names[] = { "", " fork", " vfork", " clone", " exec", " vfork done", " exit", " seccomp" };

	return event == 128 ? " event stop" : event < 8 ? names[event] : " ?";
}

/* Shows what wait(2) has said of a task, with its event. */
static inline void show_stop(const char *name, int status)
{
	if (WIFSTOPPED(status))
		show("%s: stopped %#x%s", name, status >> 8 & 0xff, event_name(status >> 16));
	else
		show_status(name, status);
}

/* Waits for one task, and shows it. Returns the status. */
static inline int wait_for(const char *name, pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, ANY) != pid)
		show("%s: wait: %s", name, error_name(errno));
	else
		show_stop(name, status);
	return status;
}

/* A child that fn is, from its first stop on: it has called TRACEME and raised SIGSTOP. */
static inline pid_t traced_child(void (*fn)(void), unsigned long options)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		trace(TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, ANY);
	if (options)
		trace(SETOPTIONS, pid, 0, options);
	return pid;
}

/* A child that does nothing until it is killed. */
static inline pid_t sleeping_child(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	until_asleep(pid, pid);
	return pid;
}

static inline struct user_regs_struct regs_of(pid_t pid)
{
	struct user_regs_struct regs;

	memset(&regs, 0, sizeof(regs));
	trace(GETREGS, pid, 0, P(&regs));
	return regs;
}
