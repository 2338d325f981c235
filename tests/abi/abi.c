/* The functions of abi.h, which each program is linked with: 400 times compiled they took a fifth of the build. */
#include "abi.h"

void show(const char *format, ...)
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

const char *error_name(int error)
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
		ERROR(ENOTRECOVERABLE) ERROR(EHWPOISON) ERROR(EILSEQ)
#undef ERROR
	}
	snprintf(other, sizeof(other), "errno %d", error);
	return other;
}

long report(const char *call, long result)
{
	if (result == -1)
		show("%s = -1 %s", call, error_name(errno));
	else
		show("%s = %ld", call, result);
	return result;
}

long report_ok(const char *call, long result)
{
	if (result == -1)
		show("%s = -1 %s", call, error_name(errno));
	else
		show("%s ok", call);
	return result;
}

void show_status(const char *name, int status)
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

void in_child(const char *name, void (*fn)(void))
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

char state_of(pid_t pid, pid_t tid)
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

void until_asleep(pid_t pid, pid_t tid)
{
	while (state_of(pid, tid) != 'S')
		usleep(1000);
}

pid_t signal_when_asleep(int sig)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		until_asleep(parent, parent);
		kill(parent, sig);
		_exit(0);
	}
	return pid;
}

void let_others_run(void)
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

int rounds(int all)
{
	return getenv("SHORT") ? (all + 9) / 10 : all;
}
