/* Floods: crashes, output, messages for the kernel's log, processes, and random system calls. */
#define _GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- programs that crash ---- */

static void crash(int how)
{
	switch (how % 6) {
	case 0:
		*(volatile int *)16 = 0;
		break;
	case 1:
		__asm__ volatile("ud2");
		break;
	case 2:
		__asm__ volatile("int3");
		break;
	case 3:
		__asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "eax", "ecx", "edx");
		break;
	case 4:
		__asm__ volatile("mov %0, %%rsp; push %%rax" ::"r"(1UL << 62));
		break;
	case 5:
		__asm__ volatile("hlt");
		break;
	}
	_exit(0);
}

static void crash_programs(void)
{
	for (int how = 0; how < 6; how++) {
		pid_t pid = fork_child();

		if (!pid)
			crash(how);
		waitpid(pid, NULL, 0);
	}
}

/* ---- output ---- */

#define BURST 4096

static void write_to_terminal(void)
{
	static char lines[BURST];

	memset(lines, 'y', sizeof(lines));
	for (size_t i = 63; i < sizeof(lines); i += 64)
		lines[i] = '\n';
	write(2, lines, sizeof(lines)); /* the report goes to 1 */
	usleep(50000);			/* the reader of the output must keep up */
}

/* Only root writes to the log of the kernel. */
static void write_to_kernel_log(void)
{
	int fd = open("/dev/kmsg", O_WRONLY);

	if (fd >= 0 && write(fd, "<0>hostile", 10) > 0)
		won(1);
	close(fd);
	if (!klogctl(5 /* clear */, NULL, 0))
		won(2);
	if (!klogctl(8 /* set the level of the console */, NULL, 8))
		won(3);
}

/* ---- processes ---- */

static void multiply(void)
{
	while (fork() >= 0)
		;
	pause();
}

/* Up to the limit of processes, for a moment: the other attacks need some, too. */
static void bomb(void)
{
	pid_t pid = fork_child();

	if (!pid) {
		setpgid(0, 0);
		multiply();
	}
	if (pid > 0)
		setpgid(pid, pid); /* the group must exist when it is killed */
	usleep(30000);
	if (pid > 0)
		kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usleep(300000);
}

/* ---- signals about files ---- */

#define RECEIVERS 48
#define OPENED    200

/* The group that owns the files: as many as the bomb leaves. The first is its leader; all block the signal. */
static pid_t start_receivers(void)
{
	pid_t group = 0;
	sigset_t all;

	sigfillset(&all);
	for (int i = 0; i < RECEIVERS; i++) {
		pid_t pid = i ? fork() : fork_child();

		if (!pid) {
			sigprocmask(SIG_SETMASK, &all, NULL);
			for (;;)
				pause();
		}
		if (pid > 0 && !group)
			group = pid;
		if (pid > 0)
			setpgid(pid, group);
	}
	return group;
}

/* One byte sends a signal for each open file of a pipe to each process of a group. */
static void send_to_owners(void)
{
	pid_t group = start_receivers();
	int ends[2], files[OPENED], n = 0;
	char path[32], byte = 0;

	if (group && !pipe2(ends, O_NONBLOCK)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
		for (; n < OPENED && (files[n] = open(path, O_RDONLY | O_NONBLOCK)) >= 0; n++) {
			fcntl(files[n], F_SETOWN, -group);
			fcntl(files[n], F_SETFL, O_NONBLOCK | O_ASYNC);
		}
		write(ends[1], &byte, 1);
		while (n)
			close(files[--n]);
		close(ends[0]);
		close(ends[1]);
	}
	if (group)
		kill(-group, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* ---- random system calls ---- */

static void random_calls(void)
{
	char seed[20];
	pid_t pid = fork_child();

	snprintf(seed, sizeof(seed), "%lu", shared->tallies[0].tries * 1000003 + (unsigned long)getpid());
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execl("/usr/bin/fuzz_calls", "fuzz_calls", shared->soak ? "1" : "0", seed, NULL);
		_exit(127);
	}
	if (status_of(pid) & 127)
		incomplete();
}

const struct attack flood_attacks[] = {
	{ "crash", "", NULL, NULL, crash_programs, false },
	{ "terminal", "", NULL, NULL, write_to_terminal, false },
	{ "log", "the user has written to the log of the kernel", NULL, NULL, write_to_kernel_log, false },
	{ "bomb", "", NULL, NULL, bomb, true },
	{ "owners", "", NULL, NULL, send_to_owners, true },
	{ "calls", "", NULL, NULL, random_calls, true },
	{ 0 },
};
