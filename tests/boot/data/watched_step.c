/*
 * Two tracers whose tracee is single-stepped over writes to watched memory: QEMU raises two #DB for each.
 *
 * The first one is stepped by its tracer, which sees each write of another value, and loses nothing. The second one has
 * set TF itself, so the place of its step may be lost: prints only that it gets a SIGTRAP.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define DR(n) offsetof(struct user, u_debugreg[n])

static volatile long watched;

static void write_in_steps(void)
{
	__asm__ __volatile__("raised:	movq $5, %0\n"
			     "movq $5, %0\n"
			     "pushq %0\n"
			     "incq %0\n"
			     "addq $8, %%rsp\n" : "+m"(watched) : : "memory");
	_exit(3);
}

static void step_itself(void)
{
	__asm__ __volatile__("pushfq\n"
			     "orl $0x100, (%%rsp)\n"
			     "popfq\n"
			     "movq $5, %0\n"
			     "nop\n" : "+m"(watched) : : "memory");
	_exit(3);
}

static pid_t start(void (*work)(void))
{
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		work();
	}
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_POKEUSER, pid, DR(0), &watched);
	if (ptrace(PTRACE_POKEUSER, pid, DR(7), 0x90001)) /* writes of 8 bytes */
		perror("dr7");
	return pid;
}

static int go_on(int request, pid_t pid, struct user_regs_struct *regs)
{
	int status;

	ptrace(request, pid, 0, 0);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_GETREGS, pid, 0, regs);
	return status;
}

int main(void)
{
	struct user_regs_struct regs;
	extern const char raised[];
	pid_t pid = start(write_in_steps);
	int status;

	do
		status = go_on(PTRACE_SINGLESTEP, pid, &regs);
	while (WIFSTOPPED(status) && regs.rip != (unsigned long)raised);
	ptrace(PTRACE_POKEUSER, pid, DR(6), 0);
	for (int n = 0; n < 5; n++) {
		unsigned long before = regs.rip;

		status = go_on(PTRACE_SINGLESTEP, pid, &regs);
		printf("%d bytes, status %x, hit %ld\n", (int)(regs.rip - before), status, ptrace(PTRACE_PEEKUSER, pid, DR(6), 0) & 15);
		ptrace(PTRACE_POKEUSER, pid, DR(6), 0);
	}
	printf("status %x\n", go_on(PTRACE_CONT, pid, &regs));
	pid = start(step_itself);
	printf("status %x\n", go_on(PTRACE_CONT, pid, &regs) & 0xffff);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("status %x\n", status);
	return 0;
}
