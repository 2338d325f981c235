/* execve(2): arguments, environment, scripts, close-on-exec, what stays and what goes, and the errors. */
#include "abi.h"

static void file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	write(fd, text, strlen(text));
	close(fd);
	chmod(name, mode);
}

static char *arguments[] = { "name", "one", "", "three four", NULL };
static char *environment[] = { "A=1", "B=two", NULL };

static void with_env(void)
{
	char self[256] = "";

	readlink("/proc/self/exe", self, sizeof(self) - 1);
	execve(self, arguments, environment);
	show("%s", error_name(errno));
}

static void script(void)
{
	execve("script", arguments, environment);
	show("%s", error_name(errno));
}

static void no_newline(void)
{
	execve("no-newline", arguments, environment);
	show("%s", error_name(errno));
}

static void handler(int sig)
{
}

static void state(void)
{
	sigset_t set;

	open("data", O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	fcntl(5, F_DUPFD, 5);
	dup2(3, 7);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGTERM, handler);
	raise(SIGUSR2);
	umask(012);
	with_env();
}

static void set_id(void)
{
	setresgid(100, 100, 100);
	setresuid(1000, 1000, 1000);
	with_env();
}

static void errors(void)
{
	static char big[200000];
	static char *many[3000], *one[] = { "x", NULL };

	CALL(execve("absent", one, NULL));
	CALL(execve("", one, NULL));
	CALL(execve("no-x", one, NULL));
	CALL(execve(".", one, NULL));
	CALL(execve("no-x/x", one, NULL));
	CALL(execve("no-format", one, NULL));
	CALL(execve("empty", one, NULL));
	CALL(execve("bad-interpreter", one, NULL));
	CALL(execve("loop", one, NULL));
	CALL(execve("/dev/null", one, NULL));
	CALL(execve("short-elf", one, NULL));
	CALL(execve(NULL, one, NULL));
	CALL(syscall(SYS_execve, "/bin/true", 8, 0));
	CALL(syscall(SYS_execve, "/bin/true", (char *[]){ (char *)8, NULL }, 0));
	memset(big, 'x', sizeof(big) - 1);
	CALL(execve("/bin/true", (char *[]){ "x", big, NULL }, NULL));
	big[100000] = 0;
	for (int i = 0; i < 2999; i++)
		many[i] = big;
	CALL(execve("/bin/true", many, NULL));
	CALL(execve("busy", one, NULL));
}

static void without_arguments(void)
{
	char *const none[] = { NULL };
	char self[256] = "";

	readlink("/proc/self/exe", self, sizeof(self) - 1);
	syscall(SYS_execve, self, none, none);
	show("%s", error_name(errno));
}

extern char **environ;

static int again(int argc, char **argv)
{
	sigset_t set, pending;
	struct sigaction action;
	uid_t r, e, s;

	show("argc %d", argc);
	for (int i = 0; i < argc; i++)
		show("argv[%d] \"%s\"", i, argv[i]);
	for (char **p = environ; *p; p++)
		show("environment %s", *p);
	for (int fd = 3; fd < 9; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			show("fd %d", fd);
	sigprocmask(SIG_BLOCK, NULL, &set);
	sigpending(&pending);
	show("USR2 blocked %d pending %d", sigismember(&set, SIGUSR2), sigismember(&pending, SIGUSR2));
	sigaction(SIGUSR1, NULL, &action);
	show("USR1 %s", action.sa_handler == SIG_IGN ? "ignored" : "default");
	sigaction(SIGTERM, NULL, &action);
	show("TERM %s", action.sa_handler == SIG_DFL ? "default" : "other");
	show("umask %o", umask(0));
	getresuid(&r, &e, &s);
	show("uid %d %d %d", r, e, s);
	return 3;
}

int main(int argc, char **argv)
{
	int fd;

	if (!argc || !argv[0][0] || !strcmp(argv[0], "name"))
		return again(argc, argv);
	chmod(".", 0755);
	file("script", "#!/bin/sh -e\necho $0, $#: \"$1\" \"$2\" \"$3\"; echo $A $B; exit 5\n", 0755);
	file("no-newline", "#!/bin/echo", 0755);
	file("no-x", "#!/bin/sh\n", 0644);
	file("no-format", "echo hello\n", 0755);
	file("empty", "", 0755);
	file("bad-interpreter", "#!/absent/interpreter\n", 0755);
	file("loop", "#!loop\n", 0755);
	file("short-elf", "\177ELF", 0755);
	file("busy", "#!/bin/true\n", 0755);
	CHILD(with_env);
	CHILD(script);
	CHILD(no_newline);
	CHILD(state);
	CHILD(set_id);
	fd = open("busy", O_WRONLY);
	CHILD(errors);
	close(fd);
	CHILD(without_arguments);
	return 0;
}
