/* A current directory that is gone: getcwd(2), ".", "..", new files, and its descriptor. */
#include "abi.h"

int main(void)
{
	char buf[300];
	struct stat st;
	int fd;

	mkdir("a", 0755);
	mkdir("a/b", 0755);
	chdir("a/b");
	OK(fd = open(".", O_RDONLY));
	TRUTH(syscall(SYS_getcwd, buf, 300) > 0 && strstr(buf, "/a/b"));
	CALL(syscall(SYS_getcwd, buf, 1));
	CALL(rmdir("../../a/b"));
	CALL(syscall(SYS_getcwd, buf, 300));
	CALL(stat(".", &st));
	show("links %ld", (long)st.st_nlink);
	CALL(open("x", O_CREAT | O_WRONLY, 0644));
	CALL(mkdir("x", 0755));
	CALL(symlink("y", "x"));
	CALL(open("x", O_RDONLY));
	CALL(stat("..", &st));
	CALL(fstat(fd, &st));
	CALL(fchdir(fd));
	CALL(renameat(AT_FDCWD, "../b", AT_FDCWD, "../c"));
	CALL(chdir(".."));
	TRUTH(syscall(SYS_getcwd, buf, 300) > 0 && strstr(buf, "/a"));
	CALL(readlink("/proc/self/cwd", buf, 299) > 0);
	CALL(mkdir("b", 0755));
	CALL(openat(fd, ".", O_RDONLY) >= 0);
	CALL(openat(fd, "..", O_RDONLY) >= 0);
	return 0;
}
