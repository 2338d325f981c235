/* mount(2): bind, move, remount read-only, and what is busy; umount2(2) and its flags. */
#include "abi.h"

#include <sys/mount.h>

static void there(const char *path)
{
	show("%s: %s", path, access(path, F_OK) ? error_name(errno) : "there");
}

static void nobody(void)
{
	setuid(65534);
	CALL(mount("none", "a", "tmpfs", 0, NULL));
	CALL(umount2("a", 0));
}

int main(void)
{
	int fd;

	mkdir("a", 0755);
	mkdir("b", 0755);
	mkdir("c", 0755);
	close(open("file", O_CREAT | O_WRONLY, 0644));
	CALL(mount("none", "a", "tmpfs", 0, "size=1M"));
	close(open("a/x", O_CREAT | O_WRONLY, 0644));
	mkdir("a/dir", 0755);
	CALL(mount("a", "b", NULL, MS_BIND, NULL));
	there("b/x");
	CALL(unlink("b/x"));
	there("a/x");
	CALL(mount("b", "c", NULL, MS_MOVE, NULL));
	there("b/dir");
	there("c/dir");
	CALL(mount("b", "a", NULL, MS_MOVE, NULL));
	CALL(mount("c", "c/dir", NULL, MS_MOVE, NULL));
	CALL(mount(NULL, "c", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	CALL(mkdir("c/new", 0755));
	CALL(mkdir("a/new", 0755));
	CALL(mount(NULL, "b", NULL, MS_REMOUNT, NULL));
	CALL(mount("file", "b", NULL, MS_BIND, NULL));
	CALL(mount("b", "file", NULL, MS_BIND, NULL));
	CALL(mount("missing", "b", NULL, MS_BIND, NULL));
	CALL(mount("none", "missing", "tmpfs", 0, NULL));
	CALL(mount("none", "file", "tmpfs", 0, NULL));
	CALL(mount("none", "b", "nonsense", 0, NULL));
	fd = open("a/dir", O_RDONLY);
	CALL(umount2("a", 0));
	CALL(rmdir("a"));
	close(fd);
	CALL(umount2("a", MNT_EXPIRE | MNT_FORCE));
	CALL(umount2("a", 0x100));
	CALL(umount2("b", 0));
	CALL(umount2("file", 0));
	CALL(umount2("missing", 0));
	symlink("a", "l");
	CALL(umount2("l", UMOUNT_NOFOLLOW));
	CHILD(nobody);
	CALL(umount2("l", 0));
	fd = open("c/dir", O_RDONLY);
	CALL(umount2("c", MNT_DETACH));
	there("c/dir");
	CALL(faccessat(fd, "..", F_OK, 0));
	CALL(umount2("c", 0));
	return 0;
}
