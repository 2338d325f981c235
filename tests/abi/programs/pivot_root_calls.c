/* pivot_root(2): the root becomes another mount, for all processes that had the old one; and its errors. */
#include "abi.h"
#include <sched.h>
#include <sys/mount.h>

static long pivot(const char *new_root, const char *put_old)
{
	return syscall(SYS_pivot_root, new_root, put_old);
}

static void make(const char *dir)
{
	mkdir(dir, 0755);
}

static void nobody(void)
{
	setuid(65534);
	CALL(pivot("new", "new/old"));
}

static void moved(void)
{
	char cwd[100];

	/* A mount is the root of this process: only then can it be put elsewhere. */
	CALL(chroot("root"));
	CALL(chdir("/"));
	CALL(pivot("/new", "/new/old"));
	CALL(access("/in_new", F_OK));
	CALL(access("/old/in_root", F_OK));
	show("cwd %s", getcwd(cwd, sizeof(cwd)) ? cwd : error_name(errno));
	CALL(access("old", F_OK));
	CALL(access("in_new", F_OK));
	CALL(umount2("/old", 0));
	CALL(umount2("/old", MNT_DETACH));
	CALL(access("/old/in_root", F_OK));
	CALL(access("/in_new", F_OK));
}

/* pivot_root(".", "."): puts the old root on top of the new one. */
static void stacked(void)
{
	CALL(chroot("root"));
	CALL(chdir("/new"));
	CALL(pivot(".", "."));
	CALL(access("/in_new", F_OK));
	CALL(umount2(".", MNT_DETACH));
	CALL(chdir("/"));
	CALL(access("/in_new", F_OK));
	CALL(access("in_new", F_OK));
}

static void tree(void)
{
	make("root");
	CALL(mount("root", "root", "tmpfs", 0, NULL));
	make("root/new");
	CALL(mount("new", "root/new", "tmpfs", 0, NULL));
	make("root/new/old");
	close(creat("root/in_root", 0644));
	close(creat("root/new/in_new", 0644));
}

int main(void)
{
	unshare(CLONE_FS);
	make("new"), make("new/old"), make("other");
	close(creat("file", 0644));
	CALL(pivot("none", "none"));
	CALL(pivot("new", "none"));
	CALL(pivot((char *)8, "new"));
	CALL(pivot("new", (char *)8));
	CALL(pivot("file", "new"));
	CALL(pivot("new", "file"));
	CALL(pivot("new", "new/old"));
	CALL(mount("new", "new", "tmpfs", 0, NULL));
	CALL(pivot("new", "other"));
	make("new/old"), make("new/dir");
	CHILD(nobody);
	CALL(pivot("new/dir", "new/old"));
	CALL(pivot("/", "/"));
	CALL(umount2("new", 0));
	tree();
	CHILD(moved);
	CALL(umount2("root/new", MNT_DETACH));
	CALL(umount2("root", MNT_DETACH));
	tree();
	CHILD(stacked);
	CALL(umount2("root/new", MNT_DETACH));
	CALL(umount2("root", MNT_DETACH));
	return 0;
}
