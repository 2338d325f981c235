/* Directories: the sticky bit protects files, the set-group-id bit gives its group; and the set-id bits of files. */
#include "abi.h"

static void mode(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %o %d:%d", name, st.st_mode, st.st_uid, st.st_gid);
}

static void user_1000(void)
{
	int fd;

	syscall(SYS_setgroups, 0, NULL);
	setgid(1000);
	setuid(1000);
	CALL(unlink("sticky/root"));
	CALL(rename("sticky/root", "sticky/x"));
	CALL(unlink("sticky/user"));
	CALL(unlink("open/root"));
	CALL(mkdir("group/mine", 0777));
	mode("group/mine");
	fd = open("group/file", O_CREAT | O_WRONLY, 02775);
	mode("group/file");
	CALL(fchmod(fd, 06755));
	mode("group/file");
	CALL(fchmod(fd, 04755));
	CALL(write(fd, "x", 1));
	mode("group/file");
	CALL(chmod("open", 0777));
	CALL(chown("group/file", 1000, 0));
	CALL(chown("group/file", -1, 1000));
	mode("group/file");
	CALL(chown("group/file", 0, -1));
}

int main(void)
{
	umask(022);
	chmod(".", 0755);
	mkdir("sticky", 0777);
	chmod("sticky", 01777);
	mkdir("open", 0777);
	chmod("open", 0777);
	mkdir("group", 0777);
	chown("group", 0, 500);
	chmod("group", 02777);
	mode("group");
	close(open("sticky/root", O_CREAT | O_WRONLY, 0666));
	close(open("sticky/user", O_CREAT | O_WRONLY, 0666));
	chown("sticky/user", 1000, 1000);
	close(open("open/root", O_CREAT | O_WRONLY, 0600));
	CHILD(user_1000);
	close(open("set", O_CREAT | O_WRONLY, 0755));
	chmod("set", 06755);
	CALL(chown("set", 1, 1));
	mode("set");
	chmod("set", 06745);
	CALL(chown("set", 2, -1));
	mode("set");
	CALL(chmod("set", 07777));
	CALL(truncate("set", 10));
	mode("set");
	return 0;
}
