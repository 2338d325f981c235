/* /proc/PID/oom_score_adj: values; chmod in /proc/PID; files of storage. */
#include "abi.h"

static const char *read_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n < 0)
		return error_name(errno);
	text[n] = 0;
	return text;
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	show("%s > %s: %s", text, path, n < 0 ? error_name(errno) : n == (ssize_t)strlen(text) ? "all" : "a part");
	close(fd);
}

static void modes(const char *path)
{
	show("chmod %s: %s", path, chmod(path, 0600) < 0 ? error_name(errno) : "0");
}

int main(void)
{
	static const char *const score[] = { "1000", "999", "500", "-500", "-1000", "59", "-58", "0", "1001", "-1001", "x", "" };
	int fd;

	show("# oom_score_adj");
	for (unsigned i = 0; i < sizeof(score) / sizeof(*score); i++) {
		write_to("/proc/self/oom_score_adj", score[i]);
		show("%s", read_of("/proc/self/oom_score_adj"));
	}

	show("# chmod");
	modes("/proc/self/stat");
	modes("/proc/self/maps");
	modes("/proc/self");
	modes("/proc/self/fd");
	modes("/proc/self/task");
	modes("/proc/self/comm");
	modes("/proc/self/oom_score_adj");
	fd = open("/proc/self/stat", O_RDONLY);
	CALL(fchmod(fd, 0600));

	show("# no swap, no disk");
	show("%s", read_of("/proc/swaps"));
	return 0;
}
