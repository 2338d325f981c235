/*
 * What the programs in tests/abi/programs share: printing the results of system calls, so that the
 * output is the same on each run and with each C library.
 *
 * A program prints what it observes. It prints no address, PID, time or inode number as such, but
 * what is true of them: `show("%d", pid > 0)`.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One line of output, written at once, so that lines of several processes do not mix. A signal may interrupt it. */
__attribute__((format(printf, 1, 2))) static inline void show(const char *format, ...)
{
	char line[4096];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	for (const char *rest = line; n > 0;) {
		ssize_t written = write(1, rest, (size_t)n);

		if (written < 0 && errno != EINTR)
			_exit(99);
		rest += written > 0 ? written : 0;
		n -= written > 0 ? (int)written : 0;
	}
}

/* "ENOENT" for ENOENT. */
static inline const char *error_name(int error)
{
	static char other[32];

	switch (error) {
#define ERROR(name) \
	case name:  \
		return #name;
		ERROR(E2BIG) ERROR(EACCES) ERROR(EADDRINUSE) ERROR(EADDRNOTAVAIL) ERROR(EAFNOSUPPORT)
		ERROR(EAGAIN) ERROR(EALREADY) ERROR(EBADF) ERROR(EBUSY) ERROR(ECHILD) ERROR(ECONNABORTED) ERROR(ECONNREFUSED)
		ERROR(ECONNRESET) ERROR(EDEADLK) ERROR(EDESTADDRREQ) ERROR(EDOM) ERROR(EEXIST)
		ERROR(EFAULT) ERROR(EFBIG) ERROR(EINPROGRESS) ERROR(EINTR) ERROR(EINVAL) ERROR(EIO)
		ERROR(EISCONN) ERROR(EISDIR) ERROR(ELOOP) ERROR(EMFILE) ERROR(EMLINK)
		ERROR(EMSGSIZE) ERROR(ENAMETOOLONG) ERROR(ENETUNREACH) ERROR(ENOBUFS) ERROR(ENFILE) ERROR(ENODATA) ERROR(ENODEV) ERROR(ENOENT)
		ERROR(ENOEXEC) ERROR(ENOLCK) ERROR(ENOMEM) ERROR(ENOPROTOOPT) ERROR(ENOSPC) ERROR(ENOSYS)
		ERROR(ENOTBLK) ERROR(ENOTCONN) ERROR(ENOTDIR) ERROR(ENOTEMPTY) ERROR(ENOTSOCK)
		ERROR(ENOTTY) ERROR(ENXIO) ERROR(EOPNOTSUPP) ERROR(EOVERFLOW) ERROR(EPERM) ERROR(EPIPE)
		ERROR(EPROTONOSUPPORT) ERROR(EPROTOTYPE) ERROR(ERANGE) ERROR(EROFS) ERROR(ESPIPE)
		ERROR(ESOCKTNOSUPPORT) ERROR(ESRCH) ERROR(ETIMEDOUT) ERROR(ETXTBSY) ERROR(EXDEV) ERROR(ESTALE) ERROR(EOWNERDEAD)
		ERROR(ENOTRECOVERABLE) ERROR(EHWPOISON)
#undef ERROR
	}
	snprintf(other, sizeof(other), "errno %d", error);
	return other;
}

/* "call = result", or the name of the error. Returns the result. */
static inline long report(const char *call, long result)
{
	if (result == -1)
		show("%s = -1 %s", call, error_name(errno));
	else
		show("%s = %ld", call, result);
	return result;
}
#define CALL(call) report(#call, (errno = 0, (long)(call)))
/* The same for a result that differs from run to run: "ok" unless it is an error. */
static inline long report_ok(const char *call, long result)
{
	if (result == -1)
		show("%s = -1 %s", call, error_name(errno));
	else
		show("%s ok", call);
	return result;
}
#define OK(call)    report_ok(#call, (errno = 0, (long)(call)))
#define TRUTH(what) show("%s: %s", #what, (what) ? "yes" : "no")

/* What wait(2) says of a child. */
static inline void show_status(const char *name, int status)
{
	if (WIFEXITED(status))
		show("%s: exit %d", name, WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		show("%s: signal %d%s", name, WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
	else if (WIFSTOPPED(status))
		show("%s: stopped %d", name, WSTOPSIG(status));
	else
		show("%s: %s", name, WIFCONTINUED(status) ? "continued" : "?");
}

/* Runs fn in a child, and shows how the child ended. */
static inline void in_child(const char *name, void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		show("%s: no child: %s", name, error_name(errno));
	else
		show_status(name, status);
}
#define CHILD(fn) in_child(#fn, fn)

/*
 * A program does not hope that 20 ms are enough for another task: a CPU of a virtual machine may
 * stand still. It waits for what it needs.
 */

/* The state of a thread in /proc: R runs, S sleeps. '-': there is no such thread. */
static inline char state_of(pid_t pid, pid_t tid)
{
	char path[64], text[512], *name_end;
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	name_end = strrchr(text, ')');
	return name_end ? name_end[2] : '-';
}

/* Waits until a thread sleeps in the call that it has begun. */
static inline void until_asleep(pid_t pid, pid_t tid)
{
	while (state_of(pid, tid) != 'S')
		usleep(1000);
}

/* Makes a child that sends this process a signal when it sleeps in its next call. */
static inline pid_t signal_when_asleep(int sig)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		until_asleep(parent, parent);
		kill(parent, sig);
		_exit(0);
	}
	return pid;
}

/* Sleeps on each CPU, twice. So all that was ready to run, like the kernel's workers, has run. */
static inline void let_others_run(void)
{
	unsigned long all[16] = { 0 }, one[16];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(all), all);

	for (long n = 0; n < 2 * 8 * bytes; n++) {
		long cpu = n % (8 * bytes);

		if (!(all[cpu / 64] >> cpu % 64 & 1))
			continue;
		memset(one, 0, sizeof(one));
		one[cpu / 64] = 1UL << cpu % 64;
		syscall(SYS_sched_setaffinity, 0, sizeof(one), one);
		usleep(5000);
	}
	syscall(SYS_sched_setaffinity, 0, sizeof(all), all);
}
