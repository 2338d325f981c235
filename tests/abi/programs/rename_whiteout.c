/* RENAME_WHITEOUT: leaves a character device 0:0 at the old name. */
#include "abi.h"
#include <sys/sysmacros.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE	 2
#endif
#ifndef RENAME_WHITEOUT
#define RENAME_WHITEOUT 4
#endif

static long renamed(const char *from, const char *to, unsigned flags)
{
	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void look(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		show("  %s: %s", name, error_name(errno));
	else
		show("  %s: mode %o, %u:%u, %d links, device %u:%u", name, st.st_mode, st.st_uid, st.st_gid, (int)st.st_nlink,
		     S_ISCHR(st.st_mode) ? major(st.st_rdev) : 99, S_ISCHR(st.st_mode) ? minor(st.st_rdev) : 99);
}

static void nobody(void)
{
	chown(".", 65534, 65534);
	setgid(65534);
	setuid(65534);
	close(creat("mine", 0644));
	CALL(renamed("mine", "away", RENAME_WHITEOUT));
	look("mine");
	look("away");
	CALL(unlink("mine"));
	CALL(mknod("mine", S_IFCHR, makedev(0, 0)));
	CALL(mknod("null", S_IFCHR, makedev(1, 3)));
	look("mine");
}

int main(void)
{
	close(creat("a", 0644));
	mkdir("dir", 0755);
	close(creat("dir/in", 0600));
	CALL(renamed("a", "b", RENAME_WHITEOUT | RENAME_EXCHANGE));
	CALL(renamed("a", "b", RENAME_WHITEOUT));
	look("a");
	look("b");
	CALL(open("a", O_RDONLY));
	CALL(renamed("b", "a", RENAME_WHITEOUT | RENAME_NOREPLACE));
	CALL(renamed("b", "a", RENAME_WHITEOUT));
	look("a");
	look("b");
	CALL(renamed("a", "a", RENAME_WHITEOUT));
	CALL(renamed("dir", "moved", RENAME_WHITEOUT));
	look("dir");
	look("moved");
	look("moved/in");
	CALL(rmdir("dir"));
	CALL(unlink("dir"));
	CALL(renamed("moved/in", "out", RENAME_WHITEOUT | RENAME_NOREPLACE));
	look("moved/in");
	look("out");
	CALL(rmdir("moved"));
	CALL(renamed("none", "out", RENAME_WHITEOUT));
	CHILD(nobody);
	return 0;
}
