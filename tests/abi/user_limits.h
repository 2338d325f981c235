/* Sysctls that a program lowers for a while, and children that act as another user. */
#pragma once

#include "abi.h"

/* Reads the first number of a file in /proc/sys. */
static inline long sysctl_get(const char *name)
{
	char path[128], text[64];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? strtol(text, NULL, 10) : -1;
}

/* Writes text to a file in /proc/sys: 0, or -1 and errno. */
static inline int sysctl_write(const char *name, const char *text)
{
	char path[128];
	int fd, error;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	fd = open(path, O_WRONLY);
	n = write(fd, text, strlen(text));
	error = errno;
	close(fd);
	errno = error;
	return n < 0 ? -1 : 0;
}

static inline int sysctl_set(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", value);
	return sysctl_write(name, text);
}

/* Runs fn in a child that is this user, without capabilities, and waits for it. */
static inline void as_user(uid_t uid, void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(98);
		fn();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		show("user %d: status %x", (int)uid, status);
}
