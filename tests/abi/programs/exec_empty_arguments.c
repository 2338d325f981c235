/* execve(2) with NULL for argv and envp, with an empty argv, and with pointers that are wrong. */
#include "abi.h"

static char self[300];

static void run(const char *what, char **argv, char **envp)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		show("%s", what);
		syscall(SYS_execve, self, argv, envp);
		show("  %s", error_name(errno));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("  status", status);
}

int main(int argc, char **argv, char **envp)
{
	char *none[] = { NULL }, *mark[] = { "MARK=1", NULL }, *odd[] = { "", "=", "A", "MARK=2", "MARK=3", "", NULL };
	char *bad[] = { "x", (char *)8, NULL }, *args[] = { "name", "", "b", NULL };
	int n = 0;

	readlink("/proc/self/exe", self, sizeof(self) - 1);
	while (envp[n])
		n++;
	if (!argc || !argv[0][0] || getenv("MARK") || !strcmp(argv[0], "name")) {
		show("  argc %d, environment %d, MARK %s", argc, n, getenv("MARK") ? getenv("MARK") : "-");
		for (int i = 0; i < argc; i++)
			show("  argument \"%s\"", argv[i]);
		for (int i = 0; i < n; i++)
			show("  \"%s\"", envp[i]);
		return 3;
	}
	run("argv NULL", NULL, mark);
	run("argv empty", none, mark);
	run("envp NULL", args, NULL);
	run("both NULL", NULL, NULL);
	run("odd environment", args, odd);
	run("a bad string", bad, mark);
	run("a bad environment", args, bad);
	run("argv at a bad address", (char **)8, mark);
	run("envp at a bad address", args, (char **)8);
	run("argv of the kernel", (char **)-4096L, mark);
	return 0;
}
