/* What the programs about inotify share. */
#pragma once

#include "abi.h"
#include <poll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

/* All events that wait, one a line. The descriptor does not block. */
static inline void events(const char *what, int fd)
{
	static const char *const names[] = { "ACCESS", "MODIFY", "ATTRIB", "CLOSE_WRITE", "CLOSE_NOWRITE",
					     "OPEN", "MOVED_FROM", "MOVED_TO", "CREATE", "DELETE",
					     "DELETE_SELF", "MOVE_SELF", "?", "UNMOUNT", "Q_OVERFLOW",
					     "IGNORED" };
	static char buf[65536] __attribute__((aligned(8)));
	static uint32_t last_cookie;
	ssize_t n = read(fd, buf, sizeof(buf));

	show("-- %s%s%s", what, n < 0 ? ": " : "", n < 0 ? error_name(errno) : "");
	for (ssize_t at = 0; at < n;) {
		struct inotify_event *e = (struct inotify_event *)(buf + at);
		char text[200] = "";

		for (unsigned i = 0; i < 16; i++)
			if (e->mask & (1U << i))
				sprintf(text + strlen(text), " %s", names[i]);
		show("wd %d%s%s, cookie %s, len %u \"%s\"", e->wd, text,
		     e->mask & IN_ISDIR ? " ISDIR" : "",
		     !e->cookie ? "0" : e->cookie == last_cookie ? "same" : "new", e->len,
		     e->len ? e->name : "");
		last_cookie = e->cookie;
		at += (ssize_t)(sizeof(*e) + e->len);
	}
}
