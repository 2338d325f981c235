/* Hard links, symbolic links and rename with its flags. */
#include "abi.h"

#include <sys/stat.h>
#include <sys/syscall.h>

/* musl 1.2.3 has no such function. */
static long renameat_2(int d, const char *from, int e, const char *to, unsigned flags)
{
	return syscall(SYS_renameat2, d, from, e, to, flags);
}

#define NOREPLACE 1
#define EXCHANGE  2

int main(void)
{
	char b[100] = { 0 };
	struct stat st;
	int fd;

	OK(mkdir("d", 0755));
	CALL(fd = open("f", O_RDWR | O_CREAT | O_EXCL, 0644));
	CALL(link("f", "g"));
	CALL(link("f", "g"));
	CALL(link("d", "e"));
	CALL(link("nope", "e"));
	CALL(stat("f", &st));
	show("nlink %ld size %ld blocks %ld", (long)st.st_nlink, (long)st.st_size,
	     (long)st.st_blocks);
	CALL(symlink("f", "s"));
	CALL(symlink("", "s2"));
	CALL(symlink("f", "s"));
	CALL(readlink("s", b, 100));
	CALL(readlink("f", b, 10));
	CALL(readlinkat(AT_FDCWD, "", b, 10));
	CALL(open("s", O_NOFOLLOW));
	CALL(fd = open("s", O_NOFOLLOW | O_PATH));
	CALL(readlinkat(fd, "", b, 10));
	CALL(read(fd, b, 1));
	CALL(fstat(fd, &st));
	CALL(close(fd));
	CALL(fcntl(fd, F_GETFD));
	CALL(rename("f", "d"));
	CALL(rename("d", "f"));
	CALL(rename("f", "f"));
	CALL(rename("f", "g"));
	CALL(rename("nope", "x"));
	CALL(rename("d", "d/x"));
	CALL(rename(".", "x"));
	CALL(renameat_2(-100, "f", -100, "g", NOREPLACE));
	CALL(renameat_2(-100, "f", -100, "d", EXCHANGE));
	CALL(stat("f/", &st));
	CALL(renameat_2(-100, "f", -100, "d", EXCHANGE));
	CALL(renameat_2(-100, "f", -100, "d", 3));
	CALL(renameat_2(-100, "f", -100, "q", EXCHANGE));
	CALL(unlink("d"));
	CALL(rmdir("f"));
	CALL(unlink("nope"));
	CALL(rmdir("."));
	CALL(rmdir("d/.."));
	CALL(unlinkat(-100, "d", AT_REMOVEDIR));
	CALL(unlinkat(-100, "f", 5));
	CALL(rmdir("/"));
	return 0;
}
