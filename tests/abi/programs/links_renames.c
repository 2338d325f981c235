/* link(2), symlink(2), unlink(2), rename(2), renameat2(2), readlink(2). */
#include "abi.h"

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	dprintf(fd, "%s", name);
	close(fd);
}

static void content(const char *name)
{
	char buf[32] = "";
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %d \"%s\"", name, (int)read(fd, buf, 31), buf);
	close(fd);
}

int main(void)
{
	char buf[16];
	int fd;

	make("a");
	make("b");
	CALL(mkdir("d", 0755));
	CALL(mkdir("d/e", 0755));
	CALL(link("a", "a2"));
	CALL(link("a", "b"));
	CALL(link("absent", "x"));
	CALL(link("d", "x"));
	CALL(link("a", "d/e/a3"));
	CALL(rename("a", "a2"));
	content("a");
	content("a2");
	CALL(rename("a", "c"));
	content("a");
	content("c");
	CALL(rename("c", "b"));
	content("b");
	CALL(rename("absent", "x"));
	CALL(rename("b", "d"));
	CALL(rename("d", "b"));
	CALL(rename("d", "d/e/x"));
	CALL(rename("d/e", "d"));
	CALL(mkdir("empty", 0755));
	CALL(rename("empty", "d"));
	CALL(rename("d", "empty"));
	CALL(access("d", F_OK));
	CALL(access("empty/e/a3", F_OK));
	CALL(rename("b", "b/"));
	CALL(rename("empty", "moved/"));
	CALL(rename(".", "x"));
	CALL(rename("moved/.", "x"));
	CALL(rename("moved/..", "x"));

	make("one");
	make("two");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "two", 1));
	CALL(syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "two", 2));
	content("one");
	content("two");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "absent", 2));
	CALL(syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "three", 1));
	CALL(syscall(SYS_renameat2, AT_FDCWD, "three", AT_FDCWD, "one", 3));
	CALL(syscall(SYS_renameat2, AT_FDCWD, "three", AT_FDCWD, "one", 0x100));

	CALL(symlink("two", "s"));
	CALL(symlink("x", "s"));
	CALL(symlink("", "t"));
	CALL(symlink("x", ""));
	CALL(readlink("s", buf, sizeof(buf)));
	CALL(readlink("s", buf, 2));
	CALL(readlink("two", buf, 2));
	CALL(readlink("absent", buf, 2));
	CALL(syscall(SYS_readlink, "s", buf, 0));
	CALL(syscall(SYS_readlink, "s", NULL, 8));
	CALL(rename("s", "s2"));
	content("s2");
	CALL(link("s2", "s3"));
	CALL(readlink("s3", buf, sizeof(buf)));
	CALL(linkat(AT_FDCWD, "s2", AT_FDCWD, "followed", AT_SYMLINK_FOLLOW));
	CALL(readlink("followed", buf, sizeof(buf)));

	CALL(fd = open("two", O_RDWR));
	CALL(unlink("two"));
	CALL(unlink("two"));
	CALL(pread(fd, buf, 3, 0));
	content("two");
	content("followed");
	CALL(unlink("moved"));
	CALL(unlink("absent/x"));
	CALL(unlink("b/x"));
	CALL(unlink("b/"));
	CALL(unlinkat(AT_FDCWD, "b", 0x10));
	CALL(unlinkat(AT_FDCWD, "b", AT_REMOVEDIR));
	CALL(unlinkat(AT_FDCWD, "moved", AT_REMOVEDIR));
	CALL(unlinkat(AT_FDCWD, "moved/e/a3", 0));
	CALL(unlinkat(AT_FDCWD, "moved/e", AT_REMOVEDIR));
	CALL(unlinkat(AT_FDCWD, "moved", AT_REMOVEDIR));
	return 0;
}
