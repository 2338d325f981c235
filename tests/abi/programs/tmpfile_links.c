/* O_TMPFILE: a file without a name, and how it gets one. */
#include "abi.h"

static void user(void)
{
	int fd;
	char name[40];

	setresuid(1000, 1000, 1000);
	CALL(open(".", O_TMPFILE | O_RDWR, 0600));
	OK(fd = open("public", O_TMPFILE | O_RDWR, 0600));
	CALL(linkat(fd, "", AT_FDCWD, "public/byfd", AT_EMPTY_PATH));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "public/byname", AT_SYMLINK_FOLLOW));
}

int main(void)
{
	struct stat st;
	char name[40], buf[200] = "";
	int fd, fd2;

	umask(027);
	mkdir("public", 0);
	chmod("public", 0777);
	close(open("f", O_CREAT, 0644));
	CALL(open(".", O_TMPFILE | O_RDONLY, 0600));
	CALL(open("f", O_TMPFILE | O_RDWR, 0600));
	CALL(open("none", O_TMPFILE | O_RDWR, 0600));
	CALL(open(".", O_TMPFILE | O_RDWR | O_CREAT, 0600));
	CALL(open("/proc", O_TMPFILE | O_RDWR, 0600));
	OK(fd = open(".", O_TMPFILE | O_RDWR, 0666));
	fstat(fd, &st);
	show("mode %o, links %d, size %ld", st.st_mode, (int)st.st_nlink, (long)st.st_size);
	show("flags %o", fcntl(fd, F_GETFL));
	CALL(write(fd, "content", 7));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	readlink(name, buf, sizeof(buf) - 1);
	TRUTH(strstr(buf, "/#") && strstr(buf, " (deleted)"));
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "named", 0));
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "f", AT_SYMLINK_FOLLOW));
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
	fstat(fd, &st);
	show("links %d", (int)st.st_nlink);
	CALL(linkat(fd, "", AT_FDCWD, "second", AT_EMPTY_PATH));
	stat("second", &st);
	show("mode %o, links %d, size %ld", st.st_mode, (int)st.st_nlink, (long)st.st_size);
	CALL(unlink("named"));
	CALL(unlink("second"));
	CALL(linkat(fd, "", AT_FDCWD, "third", AT_EMPTY_PATH));

	/* With O_EXCL it stays without a name. */
	OK(fd = open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600));
	CALL(linkat(fd, "", AT_FDCWD, "never", AT_EMPTY_PATH));
	OK(fd2 = open(".", O_TMPFILE | O_WRONLY, 0000));
	CALL(write(fd2, "x", 1));
	CALL(read(fd2, buf, 1));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd2);
	OK(open(name, O_RDONLY));
	chmod(".", 0755);
	CHILD(user);
	CALL(access("public/byname", F_OK));
	return 0;
}
