/* /proc/self: cmdline, environ, comm, exe, cwd, root, fd and what writing to them does. */
#include "abi.h"

static void content(const char *path)
{
	char b[300] = { 0 };
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, b, 299);

	for (ssize_t i = 0; i < n; i++)
		if (!b[i] || b[i] == '\n')
			b[i] = '|';
	show("%s: %s", path, n < 0 ? error_name(errno) : b);
	close(fd);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0) {
		show("%s: open: %s", path, error_name(errno));
		return;
	}
	errno = 0;
	show("%s: write %s: %ld %s", path, text, (long)write(fd, text, strlen(text)), errno ? error_name(errno) : "");
	close(fd);
}

static void link_of(const char *path)
{
	char b[300] = { 0 };

	show("%s: %s", path, readlink(path, b, 299) < 0 ? error_name(errno) : b);
}

int main(int argc, char **argv)
{
	char *args[] = { "first", "second arg", "", NULL }, *env[] = { "X=1", "Y=two", NULL };
	struct stat st;

	if (argc == 1) {
		execve("/proc/self/exe", args, env);
		return 1;
	}
	content("/proc/self/cmdline");
	content("/proc/self/environ");
	put("/proc/self/comm", "a_name_that_is_far_too_long\n");
	content("/proc/self/comm");
	put("/proc/thread-self/comm", "short");
	content("/proc/self/task/self/comm");
	content("/proc/self/comm");
	put("/proc/self/cmdline", "x");
	put("/proc/self/stat", "x");
	chdir("/proc");
	link_of("/proc/self/cwd");
	link_of("/proc/self/root");
	link_of("/proc/self/fd/0");
	link_of("/proc/self/fd/99");
	link_of("/proc/self/fd/x");
	link_of("/proc/0");
	link_of("/proc/self/task/1");
	put("/proc/self/oom_score_adj", "500");
	content("/proc/self/oom_score_adj");
	put("/proc/self/oom_score_adj", "1001");
	put("/proc/self/oom_score_adj", "x");
	content("/proc/self/personality");
	content("/proc/self/root");
	CALL(mkdir("/proc/self/x", 0755));
	CALL(unlink("/proc/self/comm"));
	CALL(open("/proc/self/new", O_CREAT | O_WRONLY, 0644));
	CALL(stat("/proc/self/fd", &st));
	show("mode %o", st.st_mode);
	lstat("/proc/self/fd/0", &st);
	show("mode %o size %ld", st.st_mode, (long)st.st_size);
	return 0;
}
