/* execveat(2): descriptors, AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, scripts by descriptor, /proc/self/exe afterwards. */
#include "abi.h"

static char self[300];

static void run(const char *what, int fd, const char *path, int flags)
{
	char *argv[] = { "child", "argument", NULL }, *envp[] = { NULL };
	int status;
	pid_t pid = fork();

	if (!pid) {
		show("%s", what);
		syscall(SYS_execveat, fd, path, argv, envp, flags);
		show("  %s", error_name(errno));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("  status", status);
}

static void script(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	write(fd, text, strlen(text));
	close(fd);
	chmod(name, mode);
}

int main(int argc, char **argv)
{
	char comm[32] = "";
	int dir, fd, n;

	n = (int)readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (argc > 1) {
		fd = open("/proc/self/comm", O_RDONLY);
		read(fd, comm, 31);
		comm[strcspn(comm, "\n")] = '\0';
		show("  %d arguments, the first \"%s\"", argc, strncmp(argv[0], "/dev/fd/", 8) ? argv[0] : "/dev/fd/N");
		for (int i = 1; i < argc; i++)
			show("  \"%s\"", strncmp(argv[i], "/dev/fd/", 8) ? argv[i] : "/dev/fd/N");
		show("  comm \"%s\"", comm);
		TRUTH(n > 0);
		return 5;
	}
	symlink(self, "link");
	script("sh", "#!./link -x\n", 0755);
	script("plain", "#!./link\n", 0644);
	dir = open(".", O_RDONLY | O_DIRECTORY);
	fd = open(self, O_RDONLY);
	run("AT_FDCWD", AT_FDCWD, self, 0);
	run("relative to a directory", dir, "link", 0);
	run("AT_SYMLINK_NOFOLLOW of a link", dir, "link", AT_SYMLINK_NOFOLLOW);
	run("AT_SYMLINK_NOFOLLOW of a file", dir, self, AT_SYMLINK_NOFOLLOW);
	run("an empty path", fd, "", 0);
	run("AT_EMPTY_PATH", fd, "", AT_EMPTY_PATH);
	run("AT_EMPTY_PATH of a directory", dir, "", AT_EMPTY_PATH);
	run("AT_EMPTY_PATH of O_PATH", open(self, O_PATH), "", AT_EMPTY_PATH);
	run("AT_EMPTY_PATH and O_CLOEXEC", open(self, O_RDONLY | O_CLOEXEC), "", AT_EMPTY_PATH);
	run("AT_EMPTY_PATH for writing only", open("plain", O_WRONLY), "", AT_EMPTY_PATH);
	run("an absolute path and a bad descriptor", 99, self, 0);
	run("a bad descriptor", 99, "link", 0);
	run("a file as the directory", fd, "link", 0);
	run("an unknown flag", AT_FDCWD, self, 0x10);
	run("a script by name", dir, "sh", 0);
	run("a script by descriptor", open("sh", O_RDONLY), "", AT_EMPTY_PATH);
	run("a script that closes on exec", open("sh", O_RDONLY | O_CLOEXEC), "", AT_EMPTY_PATH);
	run("a script below a directory that closes on exec", open(".", O_RDONLY | O_CLOEXEC), "sh", 0);
	run("not executable", dir, "plain", 0);
	return 0;
}
