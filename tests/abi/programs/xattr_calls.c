/*
 * Extended attributes on file systems that keep none, or none of users (Linux's tmpfs keeps those of
 * the classes security and trusted): which check comes first, and who may.
 */
#include <sys/mount.h>
#include <sys/sysmacros.h>
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
	CALL(getxattr(path, "plain", NULL, 0));
	CALL(setxattr(path, "plain", "v", 1, 0));
	CALL(removexattr(path, "plain"));
	CALL(getxattr(path, "user.", NULL, 0));
	CALL(setxattr(path, "user.", "v", 1, 0));
	CALL(getxattr(path, "system.other", NULL, 0));
	CALL(setxattr(path, "system.other", "v", 1, 0));
	CALL(removexattr(path, "system.other"));
}

static void values(const char *path)
{
	show("-- values on %s", path);
	CALL(setxattr(path, "user.a", NULL, 0, 0));
	CALL(setxattr(path, "user.a", bad, 0, 0));
	CALL(setxattr(path, "user.a", bad, 1, 0));
	CALL(setxattr(path, "user.a", bad, 65536, 0));
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
	CALL(lgetxattr("dangling", "user.a", NULL, 0));
	CALL(setxattr("dangling", "user.a", "v", 1, 0));
	CALL(lsetxattr("dangling", "user.a", "v", 1, 0));
	CALL(listxattr("dangling", NULL, 0));
	CALL(llistxattr("dangling", NULL, 0));
	CALL(removexattr("dangling", "user.a"));
	CALL(lremovexattr("dangling", "user.a"));
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
	CALL(fremovexattr(fd, "user.a"));
	CALL(fremovexattr(fd, bad));
}

static void descriptors(void)
{
	int ends[2];

	on_fd("closed", 77);
	CALL(flistxattr(77, NULL, 0));
	on_fd("read only", open("file", O_RDONLY));
	on_fd("write only", open("file", O_WRONLY));
	CALL(flistxattr(open("file", O_WRONLY), NULL, 0));
	on_fd("O_PATH", open("file", O_PATH));
	CALL(flistxattr(open("file", O_PATH), NULL, 0));
	on_fd("directory", open(".", O_RDONLY));
	on_fd("/proc/self/stat", open("/proc/self/stat", O_RDONLY));
	pipe(ends);
	on_fd("pipe", ends[0]);
	CALL(flistxattr(ends[1], NULL, 0));
	on_fd("/dev/null", open("/dev/null", O_RDWR));
}

static void as_user(void)
{
	CALL(setgid(100));
	CALL(setuid(1000));
	for (int i = 0; i < 4; i++) {
		static const char *const files[] = { "file", "secret", "sticky", "mine" };

		show("-- %s as a user", files[i]);
		CALL(setxattr(files[i], "user.a", "v", 1, 0));
		CALL(getxattr(files[i], "user.a", NULL, 0));
		CALL(removexattr(files[i], "user.a"));
		CALL(listxattr(files[i], NULL, 0));
		CALL(setxattr(files[i], "trusted.a", "v", 1, 0));
		CALL(getxattr(files[i], "trusted.a", NULL, 0));
		CALL(removexattr(files[i], "trusted.a"));
		CALL(setxattr(files[i], "plain", "v", 1, 0));
		CALL(getxattr(files[i], "plain", NULL, 0));
		CALL(removexattr(files[i], "plain"));
	}
}

/* procfs keeps no attributes at all. */
static void without_any(const char *path)
{
	static const char *const names[] = { "trusted.a", "security.a", "security.selinux",
					     "security.capability", "system.posix_acl_access",
					     "system.posix_acl_default" };
	/* Revision 2 and 3, and the effective bit; revision 1, and one that does not exist. */
	static const unsigned caps[] = { 0x02000000, 0x03000000, 0x02000001, 0x02000002, 0x01000000,
					 0x04000000 };
	unsigned value[6] = { 0 };

	show("-- without any: %s", path);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		show("%s", names[i]);
		CALL(setxattr(path, names[i], "v", 1, 0));
		CALL(setxattr(path, names[i], NULL, 0, 0));
		CALL(getxattr(path, names[i], NULL, 0));
		CALL(getxattr(path, names[i], big, 100));
		CALL(removexattr(path, names[i]));
	}
	for (unsigned i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		value[0] = caps[i];
		show("capability %x", caps[i]);
		for (size_t size = 4; size <= 24; size += 4)
			CALL(setxattr(path, "security.capability", value, size, 0));
	}
}

static void without_any_as_user(void)
{
	CALL(setgid(100));
	CALL(setuid(1000));
	without_any("/proc/self/stat");
	without_any("/proc/1/stat");
	without_any("/proc/version");
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
	close(open("secret", O_WRONLY | O_CREAT, 0600));
	close(open("mine", O_WRONLY | O_CREAT, 0600));
	chown("mine", 1000, 100);
	mkdir("dir", 0755);
	mkdir("sticky", 0755);
	chmod("sticky", 01777);
	chmod(".", 0755);
	symlink("file", "link");
	symlink("nowhere", "dangling");
	mknod("fifo", S_IFIFO | 0644, 0);
	mknod("socket", S_IFSOCK | 0644, 0);
	mknod("null", S_IFCHR | 0666, makedev(1, 3));
	on("file");
	on("dir");
	on("link");
	on("fifo");
	on("socket");
	on("null");
	on("/proc/self/stat");
	on("/proc");
	on("/proc/self/exe");
	on("/proc/self/fd/0");
	on("/dev/null");
	names("file");
	names("/proc/self/stat");
	values("file");
	values("/proc/self/stat");
	paths();
	descriptors();
	CHILD(as_user);
	without_any("/proc/self/stat");
	without_any("/proc/version");
	CHILD(without_any_as_user);
	read_only();
	return 0;
}
