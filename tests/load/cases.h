/* What the programs of cases (ring_map.c, user_events.c) share: a line for each call, and writes to files of tracefs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRACING   "/sys/kernel/tracing/"
#define PAGE      4096UL
#define SAY(call) (errno = 0, say(#call, (long)(call)))

static void say(const char *what, long result)
{
	printf("%s -> %s\n", what, result == -1 ? strerror(errno) : "ok");
	fflush(stdout);
}

static void fail(const char *what)
{
	printf("DEFECT: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

/* Writes text to a file of tracefs: 0 or -1. PUT: O_TRUNC or O_APPEND. */
static int put(const char *file, const char *text)
{
	char path[160];
	int fd, result;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | PUT);
	if (fd < 0)
		return -1;
	result = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);
	return result;
}
