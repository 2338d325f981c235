/* How many and how long the strings of execve(2) may be, for two sizes of RLIMIT_STACK. */
#include "abi.h"

/* Whether a program starts with count arguments of len bytes. */
static bool starts(const char *self, int count, int len)
{
	char **args = calloc((size_t)count + 2, sizeof(*args)), *env[] = { NULL };
	char *text = malloc((size_t)len + 1);
	int status;
	pid_t pid;

	memset(text, 'x', (size_t)len);
	text[len] = 0;
	args[0] = "size";
	for (int i = 1; i <= count; i++)
		args[i] = text;
	pid = fork();
	if (!pid) {
		execve("me", args, env);
		_exit(errno == E2BIG ? 1 : 2);
	}
	waitpid(pid, &status, 0);
	free(args);
	free(text);
	return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

static void find(const char *self, int len)
{
	int low = 0, high = 4000000 / (len + 9);

	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (starts(self, middle, len))
			low = middle;
		else
			high = middle;
	}
	show("arguments of %d bytes: %d", len, low);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 8 << 20, RLIM_INFINITY };
	char path[200] = "";

	if (!strcmp(argv[0], "size"))
		return 42;
	readlink("/proc/self/exe", path, sizeof(path) - 1);
	symlink(path, "me");
	TRUTH(starts(path, 1, 131071));
	TRUTH(starts(path, 1, 131072));
	setrlimit(RLIMIT_STACK, &limit);
	find(path, 1000);
	find(path, 100000);
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_STACK, &limit);
	find(path, 0);
	find(path, 1000);
	limit.rlim_cur = 300 << 10;
	setrlimit(RLIMIT_STACK, &limit);
	find(path, 100);
	return 0;
}
