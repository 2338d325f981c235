/* execve(2) that fails: the errno for files, names, strings and pointers; and that the caller goes on. */
#include "abi.h"

static void make(const char *name, const char *text, int mode)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	write(fd, text, strlen(text));
	close(fd);
	chmod(name, mode);
}

static char *string_of(size_t len)
{
	char *s = malloc(len + 1);

	memset(s, 'x', len);
	s[len] = 0;
	return s;
}

int main(void)
{
	char *none[] = { NULL }, *args[] = { "a", NULL, NULL };
	char *volatile bad = (char *)8;
	int fd;

	make("empty", "", 0755);
	make("text", "just text\n", 0755);
	make("short", "\177EL", 0755);
	make("not_executable", "#!/bin/sh\n", 0644);
	make("no_interpreter", "#!/no/such/file\n", 0755);
	make("blank_interpreter", "#!  \t \n", 0755);
	make("interpreter_is_directory", "#!/\n", 0755);
	make("itself", "#!./itself\n", 0755);
	mkdir("directory", 0755);
	symlink("itself_link", "itself_link");

	CALL(execve("missing", args, none));
	CALL(execve("", args, none));
	CALL(execve("empty", args, none));
	CALL(execve("text", args, none));
	CALL(execve("short", args, none));
	CALL(execve("not_executable", args, none));
	CALL(execve("no_interpreter", args, none));
	CALL(execve("blank_interpreter", args, none));
	CALL(execve("interpreter_is_directory", args, none));
	CALL(execve("itself", args, none));
	CALL(execve("directory", args, none));
	CALL(execve("text/", args, none));
	CALL(execve("text/x", args, none));
	CALL(execve("itself_link", args, none));
	CALL(execve("/dev/null", args, none));
	CALL(execve(bad, args, none));
	CALL(execve("text", (char **)bad, none));
	CALL(execve("text", args, (char **)bad));
	args[1] = bad;
	CALL(execve("text", args, none));
	args[1] = string_of(131071);
	CALL(execve("text", args, none));
	args[1] = string_of(131072);
	CALL(execve("text", args, none));
	CALL(execve(string_of(4095), args, none));
	CALL(execve(string_of(4096), args, none));

	args[1] = NULL;
	CALL(syscall(SYS_execveat, AT_FDCWD, "missing", args, none, 0));
	CALL(syscall(SYS_execveat, 77, "missing", args, none, 0));
	CALL(syscall(SYS_execveat, 77, "", args, none, AT_EMPTY_PATH));
	CALL(syscall(SYS_execveat, AT_FDCWD, "text", args, none, 1));
	symlink("text", "link");
	CALL(syscall(SYS_execveat, AT_FDCWD, "link", args, none, AT_SYMLINK_NOFOLLOW));
	fd = open("text", O_RDWR);
	CALL(execve("text", args, none));
	close(fd);
	return 0;
}
