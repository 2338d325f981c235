/*
 * Writes each line of the standard input to kprobe_events, or to the file that a line `FILE NAME` names, and prints
 * what the kernel says: the errno, the texts of error_log with the positions of their carets, and the events that exist
 * now. Then it removes them, unless a line KEEP came before. A static program, for nop5 and for Linux (test_kprobe_events.py).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

static char text[1 << 16];

static int put(const char *file, const char *line, int flags)
{
	char path[256];
	int fd, error = 0;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | flags);
	if (fd < 0)
		return errno;
	if (write(fd, line, strlen(line)) < 0)
		error = errno;
	close(fd);
	return error;
}

static const char *get(const char *file)
{
	char path[256];
	size_t length = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_RDONLY);
	while (fd >= 0 && (n = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	text[length] = '\0';
	return text;
}

/* "[  1.2] trace_kprobe: error: TEXT", "  Command: …", "     ^" becomes " TEXT @POSITION". */
static void print_errors(void)
{
	char *line = strtok((char *)get("error_log"), "\n");

	for (; line; line = strtok(NULL, "\n")) {
		char *error = strstr(line, ": error: ");

		if (*line == '[' && error)
			printf(" | %s", error + strlen(": error: "));
		else if (line[strspn(line, " ")] == '^')
			printf(" @%d", (int)strcspn(line, "^") - (int)strlen("  Command: "));
	}
}

int main(void)
{
	char line[4096], file[64] = "kprobe_events";
	int keep = 0;

	while (fgets(line, sizeof(line), stdin)) {
		int error;

		if (sscanf(line, "FILE %63s", file) == 1)
			continue;
		if (strcmp(line, "KEEP\n") == 0) {
			keep = 1;
			continue;
		}
		put("error_log", "\n", O_TRUNC);
		error = put(file, line, 0);
		printf("%.*s => %s", (int)strcspn(line, "\n"), line, error ? strerror(error) : "ok");
		print_errors();
		printf("\n");
		for (char *event = strtok((char *)get("dynamic_events"), "\n"); event; event = strtok(NULL, "\n"))
			printf("\t%s\n", event);
		if (!keep && *text)
			put("dynamic_events", "\n", O_TRUNC);
	}
	return 0;
}
