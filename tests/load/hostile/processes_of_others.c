/* Attacks on processes of root: their memory, descriptors and paths. */
#define _GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECRET 0x5ec2e7UL

static volatile unsigned long secret; /* at the same address in all processes of this program */

/* ---- a process of root that stays ---- */

/* What may be opened, but must show nothing. */
static const char *const files[] = { "mem", "environ", "auxv", "maps", "smaps", "smaps_rollup", "pagemap", "stack",
				     "syscall", "personality", "io", "fd/0", "fdinfo/0" };
static const char *const links[] = { "cwd", "root", "exe", "fd/0", "ns/mnt" };

static void read_files(pid_t pid)
{
	char name[60], target[60], byte;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd;

		snprintf(name, sizeof(name), "/proc/%d/%s", pid, files[i]);
		fd = open(name, O_RDONLY | O_NONBLOCK);
		if (fd >= 0 && read(fd, &byte, 1) > 0)
			won((long)i);
		close(fd);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(name, sizeof(name), "/proc/%d/%s", pid, links[i]);
		if (readlink(name, target, sizeof(target)) > 0)
			won(100 + (long)i);
	}
}

static void call_into(pid_t pid)
{
	unsigned long value;
	struct iovec ours = { &value, sizeof(value) }, theirs = { (void *)(uintptr_t)&secret, sizeof(value) };
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (process_vm_readv(pid, &ours, 1, &theirs, 1, 0) > 0)
		won(200);
	if (process_vm_writev(pid, &ours, 1, &theirs, 1, 0) > 0)
		won(201);
	if (fd >= 0 && syscall(SYS_pidfd_getfd, fd, 0, 0) >= 0)
		won(202);
	if (syscall(SYS_kcmp, pid, getpid(), 0, 0, 0) >= 0)
		won(203);
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) == 0)
		won(204);
	if (!kill(pid, SIGCONT) || !syscall(SYS_tkill, pid, SIGCONT))
		won(205);
	if (fd >= 0 && !syscall(SYS_pidfd_send_signal, fd, SIGCONT, NULL, 0))
		won(206);
	close(fd);
}

static void look_into_root(void)
{
	read_files(shared->guard);
	call_into(shared->guard);
}

/* ---- a process of root that becomes one of the user: what it knows stays with it ---- */

static void drop_rights(void)
{
	pid_t pid = fork();

	if (!pid) {
		secret = SECRET;
		__atomic_store_n(&shared->dropping, getpid(), __ATOMIC_RELEASE);
		sched_yield();
		if (setresgid(HOSTILE, HOSTILE, HOSTILE) || setresuid(HOSTILE, HOSTILE, HOSTILE))
			_exit(1);
		for (int i = 0; i < 5; i++)
			sched_yield();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	usleep(1000);
}

static void read_secret_once(void)
{
	pid_t pid = __atomic_load_n(&shared->dropping, __ATOMIC_ACQUIRE);
	unsigned long value = 0;
	struct iovec ours = { &value, sizeof(value) }, theirs = { (void *)(uintptr_t)&secret, sizeof(value) };
	char name[40];
	int mem;

	process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
	if (value == SECRET)
		won(1);
	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	mem = open(name, O_RDONLY);
	pread(mem, &value, sizeof(value), (off_t)(uintptr_t)&secret);
	if (value == SECRET)
		won(2);
	close(mem);
}

static void read_secret(void)
{
	for (int i = 0; i < 100; i++)
		read_secret_once();
}

const struct attack process_attacks[] = {
	{ "look", "the user has reached a process of root", NULL, NULL, look_into_root, false },
	{ "secret", "the user has read what a process of root knew", NULL, drop_rights, read_secret, false },
	{ 0 },
};
