/*
 * Extended attributes on files that have none (procfs, pipes; tmpfs has none of users): which check comes first.
 */
#include <sys/mount.h>
#include <sys/xattr.h>

#include "abi.h"

static char big[65537 + 1];
static void *volatile bad = (void *)8; /* volatile: the compiler does not know */

static void on(const char *path)
{
	char value[8];

	show("-- %s", path);
	CALL(setxattr(path, "user.a", "v", 1, 0));
	CALL(lsetxattr(path, "user.a", "v", 1, 0));
	CALL(getxattr(path, "user.a", value, sizeof(value)));
	CALL(lgetxattr(path, "user.a", value, sizeof(value)));
	CALL(listxattr(path, value, sizeof(value)));
	CALL(llistxattr(path, NULL, 0));
	CALL(removexattr(path, "user.a"));
	CALL(lremovexattr(path, "user.a"));
}

static void names(const char *path)
{
	static const char *const others[] = { "plain", "user.", "trusted.a", "security.a", "security.selinux", "system.other",
					      "system.posix_acl_access" };
	char name[300];

	show("-- names on %s", path);
	CALL(getxattr(path, "", NULL, 0));
	CALL(setxattr(path, "", "v", 1, 0));
	CALL(removexattr(path, ""));
	CALL(getxattr(path, bad, NULL, 0));
	CALL(setxattr(path, bad, "v", 1, 0));
	CALL(removexattr(path, bad));
	for (int length = 254; length <= 257; length++) {
		memset(name, 'a', sizeof(name));
		memcpy(name, "user.", 5);
		name[length] = 0;
		show("length %d", length);
		CALL(getxattr(path, name, NULL, 0));
		CALL(setxattr(path, name, "v", 1, 0));
		CALL(removexattr(path, name));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		show("%s", others[i]);
		CALL(getxattr(path, others[i], NULL, 0));
		CALL(setxattr(path, others[i], "v", 1, 0));
		CALL(removexattr(path, others[i]));
	}
}

static void values(const char *path)
{
	show("-- values on %s", path);
	CALL(setxattr(path, "user.a", NULL, 0, 0));
	CALL(setxattr(path, "user.a", bad, 0, 0));
	CALL(setxattr(path, "user.a", bad, 65537, 0));
	CALL(setxattr(path, "user.a", big, 65536, 0));
	CALL(setxattr(path, "user.a", big, 65537, 0));
	CALL(setxattr(path, "user.a", big, -1UL, 0));
	for (int flags = 1; flags <= 5; flags++)
		CALL(setxattr(path, "user.a", "v", 1, flags));
	CALL(setxattr(path, "", bad, -1UL, 4));
	CALL(setxattr(path, "", bad, -1UL, 0));
	CALL(setxattr("missing", "", bad, -1UL, 4));
	CALL(getxattr(path, "user.a", bad, 8));
	CALL(getxattr(path, "user.a", big, sizeof(big)));
	CALL(getxattr(path, "user.a", bad, -1UL));
	CALL(listxattr(path, bad, 8));
	CALL(listxattr(path, bad, -1UL));
}

static void paths(void)
{
	show("-- paths");
	CALL(getxattr("missing", "", NULL, 0));
	CALL(getxattr("file/x", "user.a", NULL, 0));
	CALL(getxattr("", "user.a", NULL, 0));
	CALL(getxattr(bad, bad, NULL, 0));
	CALL(getxattr("dangling", "user.a", NULL, 0));
	CALL(setxattr("dangling", "user.a", "v", 1, 0));
	CALL(listxattr("dangling", NULL, 0));
	CALL(llistxattr("dangling", NULL, 0));
	CALL(removexattr("dangling", "user.a"));
	CALL(listxattr("missing", bad, 8));
	CALL(listxattr(bad, bad, 8));
}

static void on_fd(const char *what, int fd)
{
	char value[8];

	show("-- descriptor: %s", what);
	CALL(fsetxattr(fd, "user.a", "v", 1, 0));
	CALL(fsetxattr(fd, "", bad, 1, 8));
	CALL(fgetxattr(fd, "user.a", value, sizeof(value)));
	CALL(fgetxattr(fd, "", value, sizeof(value)));
	CALL(flistxattr(fd, NULL, 0));
	CALL(fremovexattr(fd, "user.a"));
	CALL(fremovexattr(fd, bad));
}

static void read_only(void)
{
	show("-- read-only");
	mkdir("ro", 0777);
	CALL(mount("none", "ro", "tmpfs", MS_RDONLY, NULL));
	CALL(setxattr("ro", "", bad, 1, 8));
	CALL(removexattr("ro", bad));
	CALL(getxattr("ro", "user.a", NULL, 0));
	CALL(listxattr("ro", NULL, 0));
	CALL(fsetxattr(open("ro", O_RDONLY), "", bad, 1, 8));
	CALL(fremovexattr(open("ro", O_RDONLY), ""));
	CALL(umount2("ro", MNT_DETACH));
}

int main(void)
{
	close(open("file", O_WRONLY | O_CREAT, 0644));
	mkdir("dir", 0755);
	symlink("file", "link");
	symlink("nowhere", "dangling");
	on("file");
	on("dir");
	on("/proc/self/stat");
	on("/proc");
	CALL(getxattr("link", "user.a", NULL, 0));
	names("/proc/self/stat");
	values("file");
	values("/proc/self/stat");
	paths();
	on_fd("closed", 77);
	on_fd("read only", open("file", O_RDONLY));
	on_fd("write only", open("file", O_WRONLY));
	on_fd("O_PATH", open("file", O_PATH));
	on_fd("directory", open(".", O_RDONLY));
	on_fd("/proc/self/stat", open("/proc/self/stat", O_RDONLY));
	read_only();
	return 0;
}
