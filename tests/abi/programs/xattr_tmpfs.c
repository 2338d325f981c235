/* Extended attributes that tmpfs keeps: those of the classes trusted and security. */
#include <sys/mount.h>
#include <sys/xattr.h>

#include "abi.h"

static char big[65537];
static void *volatile bad_address = (void *)8; /* volatile: the compiler does not know */

static void list(const char *path)
{
	char names[2000];
	ssize_t size = listxattr(path, names, sizeof(names));

	show("%s has %zd bytes of names", path, size);
	for (const char *name = names; name < names + size; name += strlen(name) + 1)
		show("  %s", name);
}

static void one_name(const char *name)
{
	char value[8] = "";

	show("-- %s", name);
	CALL(getxattr("file", name, value, sizeof(value)));
	CALL(removexattr("file", name));
	CALL(setxattr("file", name, "none", 4, XATTR_REPLACE));
	CALL(setxattr("file", name, "value", 5, 0));
	CALL(setxattr("file", name, "again", 5, XATTR_CREATE));
	CALL(getxattr("file", name, value, sizeof(value)));
	show("value %s", value);
	CALL(getxattr("file", name, NULL, 0));
	CALL(getxattr("file", name, value, 4));
	CALL(getxattr("file", name, value, 5));
	CALL(getxattr("file", name, bad_address, 5));
	CALL(setxattr("file", name, "other!", 6, XATTR_REPLACE));
	CALL(setxattr("file", name, "x", 1, XATTR_CREATE | XATTR_REPLACE));
	CALL(setxattr("file", name, bad_address, 5, 0));
	CALL(getxattr("file", name, value, sizeof(value)));
	show("value %s", value);
}

static void sizes(void)
{
	char name[257] = "trusted.";

	show("-- sizes");
	CALL(setxattr("file", "trusted.big", big, 65536, 0));
	CALL(setxattr("file", "trusted.big", big, 65537, 0));
	CALL(getxattr("file", "trusted.big", big, sizeof(big)));
	CALL(getxattr("file", "trusted.big", big, 65535));
	CALL(setxattr("file", "trusted.empty", "", 0, 0));
	CALL(getxattr("file", "trusted.empty", big, 10));
	CALL(setxattr("file", "trusted.big", NULL, 0, 0));
	CALL(getxattr("file", "trusted.big", big, 10));
	memset(name + 8, 'n', 247);
	CALL(setxattr("file", name, "v", 1, 0));
	name[255] = 'n';
	CALL(setxattr("file", name, "v", 1, 0));
	CALL(listxattr("file", big, 20));
	CALL(listxattr("file", NULL, 0));
	CALL(listxattr("file", bad_address, 1000));
}

static void kinds(void)
{
	char names[200];

	show("-- kinds of files");
	CALL(setxattr("dir", "trusted.d", "v", 1, 0));
	CALL(lsetxattr("link", "trusted.l", "v", 1, 0));
	CALL(setxattr("fifo", "security.f", "v", 1, 0));
	CALL(setxattr("fifo", "user.f", "v", 1, 0));
	CALL(llistxattr("link", names, sizeof(names)));
	CALL(lgetxattr("link", "trusted.l", names, sizeof(names)));
	CALL(getxattr("link", "trusted.l", names, sizeof(names)));
	CALL(lremovexattr("link", "trusted.l"));
	CALL(link("file", "second"));
	list("second");
	list("dir");
	list("fifo");
}

static void times(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct stat before, after;

	show("-- times");
	stat("file", &before);
	nanosleep(&pause, NULL);
	CALL(setxattr("file", "trusted.t", "v", 1, 0));
	stat("file", &after);
	show("ctime changes: %d, mtime: %d", before.st_ctim.tv_nsec != after.st_ctim.tv_nsec,
	     before.st_mtim.tv_nsec != after.st_mtim.tv_nsec);
	nanosleep(&pause, NULL);
	CALL(removexattr("file", "trusted.t"));
	stat("file", &before);
	show("ctime changes: %d", before.st_ctim.tv_nsec != after.st_ctim.tv_nsec);
}

static void as_user(void)
{
	char value[8];

	CALL(setgid(100));
	CALL(setuid(1000));
	show("-- as a user");
	CALL(setxattr("file", "trusted.u", "v", 1, 0));
	CALL(getxattr("file", "trusted.a", value, sizeof(value)));
	CALL(removexattr("file", "trusted.a"));
	CALL(getxattr("file", "security.a", value, sizeof(value)));
	list("file");
}

static void descriptors(void)
{
	char value[8];
	int fd = open("file", O_RDONLY), path = open("file", O_PATH);

	show("-- descriptors");
	CALL(fsetxattr(fd, "trusted.f", "v", 1, 0));
	CALL(fgetxattr(fd, "trusted.f", value, sizeof(value)));
	CALL(fgetxattr(path, "trusted.f", value, sizeof(value)));
	CALL(flistxattr(fd, NULL, 0));
	CALL(fremovexattr(fd, "trusted.f"));
}

static void read_only(void)
{
	char value[8];

	show("-- read-only");
	CALL(mount("none", ".", "tmpfs", MS_REMOUNT | MS_RDONLY, NULL));
	CALL(setxattr("file", "trusted.a", "v", 1, 0));
	CALL(removexattr("file", "trusted.a"));
	CALL(getxattr("file", "trusted.a", value, sizeof(value)));
}

int main(void)
{
	static const char *const names[] = { "trusted.a", "security.a", "security.selinux",
					     "trusted.with.dots" };
	static const char *const bad[] = { "trusted.", "security.", "trusted", "system.a", "user.a" };

	mkdir("fs", 0777);
	CALL(mount("none", "fs", "tmpfs", 0, NULL));
	CALL(chdir("fs"));
	chmod(".", 0755);
	close(open("file", O_WRONLY | O_CREAT, 0644));
	mkdir("dir", 0755);
	symlink("file", "link");
	mknod("fifo", S_IFIFO | 0644, 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		one_name(names[i]);
	list("file");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		show("-- %s", bad[i]);
		CALL(setxattr("file", bad[i], "v", 1, 0));
		CALL(getxattr("file", bad[i], NULL, 0));
		CALL(removexattr("file", bad[i]));
	}
	sizes();
	kinds();
	times();
	descriptors();
	CHILD(as_user);
	CALL(removexattr("file", "trusted.with.dots"));
	list("file");
	read_only();
	CALL(chdir(".."));
	CALL(umount2("fs", MNT_DETACH));
	return 0;
}
