/* chmod(2), chown(2): who may, and what becomes of the set-ID bits. umask(2). */
#include <grp.h>

#include "abi.h"

static void mode(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: mode %o owner %d:%d", name, st.st_mode, st.st_uid, st.st_gid);
}

static void as_user(void)
{
	gid_t extra[] = { 300 };
	int fd;

	CALL(setgroups(1, extra));
	CALL(setgid(100));
	CALL(setuid(1000));
	CALL(chmod("roots", 0777));
	CALL(chown("roots", -1, -1));
	CALL(chown("roots", 1000, -1));
	CALL(chmod("mine", 06755));
	mode("mine");
	CALL(chown("mine", 1000, -1));
	mode("mine");
	CALL(chmod("mine", 06755));
	CALL(chown("mine", -1, 300));
	mode("mine");
	CALL(chown("mine", -1, 400));
	CALL(chown("mine", 0, -1));
	CALL(chown("mine", 1001, 300));
	CALL(chmod("mine", 02755));
	mode("mine");
	CALL(chmod("foreign", 02755));
	mode("foreign");
	CALL(chmod("mine", 06777));
	CALL(fd = open("mine", O_WRONLY));
	CALL(write(fd, "x", 1));
	mode("mine");
	CALL(chmod("mine", 06777));
	CALL(ftruncate(fd, 0));
	mode("mine");
	CALL(chmod("mine", 01777));
	mode("mine");
	CALL(lchown("slink", -1, 100));
	CALL(fchmod(fd, 0400));
	CALL(write(fd, "x", 1));
	CALL(open("mine", O_WRONLY));
}

int main(void)
{
	int fd;

	CALL(umask(027));
	CALL(umask(0777777));
	CALL(umask(0));
	chmod(".", 0777);
	close(open("roots", O_WRONLY | O_CREAT, 0644));
	close(open("mine", O_WRONLY | O_CREAT, 0644));
	close(open("foreign", O_WRONLY | O_CREAT, 0644));
	CALL(symlink("roots", "slink"));
	CALL(chmod("roots", 07777));
	mode("roots");
	CALL(chown("roots", 5, 6));
	mode("roots");
	CALL(chmod("roots", 02666));
	CALL(chown("roots", 0, 0));
	mode("roots");
	CALL(chown("slink", 7, 8));
	mode("slink");
	mode("roots");
	CALL(lchown("slink", 9, 10));
	mode("slink");
	CALL(chown("roots", 0, 0));
	CALL(chown("mine", 1000, 100));
	CALL(chown("foreign", 1000, 400));
	CALL(fchownat(AT_FDCWD, "mine", 1000, 100, 0x10));
	CALL(fd = open("roots", O_RDONLY));
	CALL(fchownat(fd, "", 3, 4, AT_EMPTY_PATH));
	mode("roots");
	CALL(fchown(fd, 0, 0));
	CALL(fchmod(fd, 04711));
	mode("roots");
	CALL(fchmod(99, 0));
	CALL(fchown(99, 0, 0));
	CALL(chmod("absent", 0));
	CALL(chmod("", 0));
	CHILD(as_user);

	/* The set-group-ID bit of a directory. */
	CALL(mkdir("d", 0755));
	CALL(chown("d", 0, 77));
	CALL(chmod("d", 02775));
	CALL(close(open("d/f", O_CREAT | O_WRONLY, 0644)));
	mode("d/f");
	CALL(mkdir("d/e", 0755));
	mode("d/e");
	CALL(umask(077));
	CALL(mkdir("masked", 0777));
	mode("masked");
	return 0;
}
