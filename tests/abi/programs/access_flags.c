/* faccessat2(2): real and effective ids, links, empty paths, and what root may. */
#include "abi.h"

#define EACCESS_FLAG 0x200
#define access2(dir, path, mode, flags) syscall(SYS_faccessat2, dir, path, mode, flags)

static void as_nobody(void)
{
	CALL(access2(AT_FDCWD, "private", R_OK, 0));
	CALL(access2(AT_FDCWD, "public", R_OK, 0));
	CALL(access2(AT_FDCWD, "public", W_OK, 0));
	CALL(access2(AT_FDCWD, "script", X_OK, 0));
	CALL(access2(AT_FDCWD, "closed/file", F_OK, 0));
	CALL(access2(AT_FDCWD, "to_private", R_OK, AT_SYMLINK_NOFOLLOW));
}

static void with_other_ids(void)
{
	setresuid(65534, 0, 0);
	CALL(access2(AT_FDCWD, "private", R_OK, 0));
	CALL(access2(AT_FDCWD, "private", R_OK, EACCESS_FLAG));
	setresuid(0, 65534, 0);
	CALL(access2(AT_FDCWD, "private", R_OK, 0));
	CALL(access2(AT_FDCWD, "private", R_OK, EACCESS_FLAG));
}

static void nobody(void)
{
	setgid(65534);
	setuid(65534);
	as_nobody();
}

int main(void)
{
	int fd;

	chmod(".", 0755);
	close(open("private", O_CREAT | O_WRONLY, 0600));
	close(open("public", O_CREAT | O_WRONLY, 0644));
	close(open("script", O_CREAT | O_WRONLY, 0755));
	mkdir("closed", 0700);
	close(open("closed/file", O_CREAT | O_WRONLY, 0644));
	symlink("private", "to_private");
	symlink("missing", "broken");
	CALL(access2(AT_FDCWD, "private", X_OK, 0));
	CALL(access2(AT_FDCWD, "script", R_OK | W_OK | X_OK, 0));
	CALL(access2(AT_FDCWD, "closed", X_OK, 0));
	CALL(access2(AT_FDCWD, "broken", F_OK, 0));
	CALL(access2(AT_FDCWD, "broken", F_OK, AT_SYMLINK_NOFOLLOW));
	CALL(access2(AT_FDCWD, "private/x", F_OK, 0));
	CALL(access2(AT_FDCWD, "private", 8, 0));
	CALL(access2(AT_FDCWD, "private", R_OK, 1));
	CALL(access2(99, "private", R_OK, 0));
	CALL(access2(AT_FDCWD, "", R_OK, 0));
	fd = open("private", O_RDONLY);
	CALL(access2(fd, "", R_OK, AT_EMPTY_PATH));
	CALL(access2(fd, "x", R_OK, 0));
	CALL(access2(AT_FDCWD, (char *)1, R_OK, 0));
	CHILD(nobody);
	CHILD(with_other_ids);
	return 0;
}
