/* What the programs about pseudo-terminals share. */
#pragma once

#include "abi.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

/* Control characters as ^X, so that one line shows all bytes. */
static inline void show_bytes(const char *name, const char *buf, ssize_t n)
{
	char line[4096];
	size_t len = 0;

	if (n < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	for (ssize_t i = 0; i < n && len < sizeof(line) - 8; i++) {
		unsigned char c = (unsigned char)buf[i];

		if (c >= 0x80)
			len += (size_t)sprintf(line + len, "\\x%02x", c);
		else if (c < 0x20 || c == 0x7f)
			len += (size_t)sprintf(line + len, "^%c", c ^ 0x40);
		else
			line[len++] = (char)c;
	}
	line[len] = '\0';
	show("%s: %zd \"%s\"", name, n, line);
}

/* All that comes. Linux hands bytes over from a worker. */
static inline void drain(const char *name, int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char buf[2048];
	ssize_t n = 0, total = 0;

	for (; total < (ssize_t)sizeof(buf); total += n) {
		let_others_run();
		if (poll(&p, 1, 0) != 1 || !(p.revents & POLLIN))
			break;
		n = read(fd, buf + total, sizeof(buf) - (size_t)total);
		if (n <= 0)
			break;
	}
	show_bytes(name, buf, total);
}

/* One read, when all input is there. */
static inline void read_show(const char *name, int fd, size_t size)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char buf[2048];

	poll(&p, 1, -1);
	let_others_run();
	show_bytes(name, buf, read(fd, buf, size));
}

/* Waits until a slave has so many bytes for a reader. */
static inline void until_readable(int fd, int bytes)
{
	for (int n = 0; n < bytes; usleep(1000))
		ioctl(fd, FIONREAD, &n);
}

static inline void feed(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		show("short write: %s", error_name(errno));
}

static inline void show_revents(const char *name, int fd, short events)
{
	struct pollfd p = { fd, events, 0 };
	int n;

	let_others_run();
	n = poll(&p, 1, 0);

	show("%s: %d%s%s%s%s%s", name, n, p.revents & POLLIN ? " IN" : "",
	     p.revents & POLLPRI ? " PRI" : "", p.revents & POLLOUT ? " OUT" : "",
	     p.revents & POLLERR ? " ERR" : "", p.revents & POLLHUP ? " HUP" : "");
}

/* A master and, unlocked and opened without becoming the terminal of the session, its slave. */
static inline int open_pair(int *slave)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY), zero = 0;
	unsigned index = 0;
	char name[32];

	ioctl(master, TIOCSPTLCK, &zero);
	ioctl(master, TIOCGPTN, &index);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	*slave = open(name, O_RDWR | O_NOCTTY);
	if (master < 0 || *slave < 0)
		show("no pty: %s", error_name(errno));
	return master;
}
