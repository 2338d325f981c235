/* From which files splice and sendfile take bytes: /dev/zero, files of /proc, directories; and links into removed directories. */
#include "abi.h"
#include <sys/sendfile.h>

static void try(const char *name, int fd)
{
	char buf[64];
	int p[2], out;
	long n;

	pipe2(p, O_NONBLOCK);
	errno = 0;
	n = splice(fd, NULL, p[1], NULL, 16, 0);
	show("splice from %s: %ld %s", name, n, n < 0 ? error_name(errno) : "");
	if (n > 0)
		show("  read %zd", read(p[0], buf, sizeof(buf)));
	lseek(fd, 0, SEEK_SET);
	errno = 0;
	n = sendfile(p[1], fd, NULL, 16);
	show("sendfile from %s to a pipe: %ld %s", name, n, n < 0 ? error_name(errno) : "");
	out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	lseek(fd, 0, SEEK_SET);
	errno = 0;
	n = sendfile(out, fd, NULL, 16);
	show("sendfile from %s to a file: %ld %s", name, n, n < 0 ? error_name(errno) : "");
	close(out);
	close(p[0]);
	close(p[1]);
	close(fd);
}

int main(void)
{
	int fd;

	try("/dev/zero", open("/dev/zero", O_RDONLY));
	try("/dev/full", open("/dev/full", O_RDONLY));
	try("/dev/null", open("/dev/null", O_RDONLY));
	try("/dev/urandom", open("/dev/urandom", O_RDONLY));
	try("/proc/version", open("/proc/version", O_RDONLY));
	try("/proc/meminfo", open("/proc/meminfo", O_RDONLY));
	try("/proc/self/maps", open("/proc/self/maps", O_RDONLY));
	try("/proc/self/cmdline", open("/proc/self/cmdline", O_RDONLY));
	try("a directory", open(".", O_RDONLY));

	mkdir("gone", 0700);
	close(open("file", O_RDWR | O_CREAT, 0600));
	fd = open("gone", O_RDONLY | O_DIRECTORY);
	rmdir("gone");
	CALL(linkat(AT_FDCWD, "file", fd, "name", 0));
	CALL(mkdirat(fd, "name", 0700));
	CALL(symlinkat("x", fd, "name"));
	CALL(renameat(AT_FDCWD, "file", fd, "name"));
	CALL(openat(fd, "name", O_RDWR | O_CREAT, 0600));
	return 0;
}
