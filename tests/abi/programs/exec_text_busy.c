/* ETXTBSY: a program that runs cannot be written; one that is open for writing cannot run. */
#include "abi.h"

static long run(const char *name)
{
	char *argv[] = { "child", "x", NULL }, *envp[] = { NULL };
	int status;
	pid_t pid = fork();

	if (!pid) {
		execve(name, argv, envp);
		_exit(errno == ETXTBSY ? 100 : 101);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

int main(int argc, char **argv)
{
	static char buf[65536], self[300];
	int in, out, fd, go[2], done[2], status;
	struct stat st;
	ssize_t n;
	pid_t pid;
	char *map, c;

	if (argc > 2) {
		/* Waits until its standard input ends. */
		write(1, "", 0);
		while (read(0, &c, 1) == 1)
			;
		return 0;
	}
	if (argc > 1)
		return 7;
	readlink("/proc/self/exe", self, sizeof(self) - 1);
	in = open(self, O_RDONLY);
	out = open("copy", O_CREAT | O_WRONLY, 0755);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		write(out, buf, (size_t)n);
	CALL(run("./copy"));
	close(out);
	CALL(run("./copy"));
	fd = open("copy", O_RDWR);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	CALL(run("./copy"));
	munmap(map, 4096);
	CALL(run("./copy"));

	/* While it runs. */
	pipe(go);
	pipe2(done, O_CLOEXEC);
	pid = fork();
	if (!pid) {
		char *args[] = { "child", "x", "y", NULL }, *envp[] = { NULL };

		dup2(go[0], 0);
		close(go[1]);
		execve("./copy", args, envp);
		_exit(1);
	}
	close(done[1]);
	CALL(read(done[0], &c, 1)); /* the exec has closed it */
	CALL(open("copy", O_WRONLY));
	CALL(open("copy", O_RDWR | O_TRUNC));
	CALL(truncate("copy", 100));
	OK(open("copy", O_RDONLY));
	CALL(chmod("copy", 0700));
	CALL(utimensat(AT_FDCWD, "copy", NULL, 0));
	OK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, open("copy", O_RDONLY), 0) == MAP_FAILED ? -1 : 0);
	CALL(rename("copy", "other"));
	CALL(open("other", O_WRONLY));
	CALL(unlink("other"));
	close(go[1]);
	waitpid(pid, &status, 0);
	show_status("child", status);
	CALL(stat("other", &st));
	return 0;
}
