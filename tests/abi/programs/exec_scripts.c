/* "#!" scripts: what the interpreter finds as its arguments. */
#include "abi.h"

static void make(const char *name, const char *first, const char *rest)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	write(fd, first, strlen(first));
	write(fd, rest, strlen(rest));
	close(fd);
	chmod(name, 0755);
}

static void run(const char *script)
{
	char *args[] = { "ARGV0", "one", "two words", "", NULL }, *env[] = { "A=1", NULL };
	int status;
	pid_t pid = fork();

	if (!pid) {
		CALL(execve(script, args, env));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status(script, status);
}

int main(int argc, char **argv, char **envp)
{
	static char long_line[400];
	char line[64], name[64] = "./level1";

	if (argc > 1) {
		/* Nothing that shows the path of this program. */
		for (int i = 1; i < argc; i++)
			show("argument %d: \"%s\"", i, argv[i]);
		for (int i = 0; envp[i]; i++)
			show("environment: %s", envp[i]);
		return argc;
	}
	symlink("/proc/self/exe", "unused");
	readlink("/proc/self/exe", long_line, sizeof(long_line) - 1);
	symlink(long_line, "me");

	make("plain", "#!./me\n", "body\n");
	make("spaces", "#!  \t./me \t \n", "");
	make("one_argument", "#!./me  -x\n", "");
	make("many_arguments", "#!./me -x  -y z \t\n", "");
	make("no_newline", "#!./me end", "");
	make("nul", "#!./me\n", "");
	run("./plain");
	run("./spaces");
	run("./one_argument");
	run("./many_arguments");
	run("./no_newline");

	memset(long_line, 'a', sizeof(long_line) - 1);
	make("long_argument", "#!./me ", long_line);
	run("./long_argument");
	make("long_name", "#!", long_line);
	run("./long_name");

	make("level0", "#!./me\n", "");
	for (int i = 1; i <= 6; i++) {
		snprintf(line, sizeof(line), "#!./level%d\n", i - 1);
		snprintf(name, sizeof(name), "./level%d", i);
		make(name, line, "");
		run(name);
	}
	return 0;
}
