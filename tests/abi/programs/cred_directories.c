/* Search and read permission of directories, for another user: which call needs which. */
#include "abi.h"
#include <dirent.h>
#include <grp.h>

static void list(const char *name)
{
	DIR *dir = opendir(name);
	int n = 0;

	if (!dir) {
		show("list %s: %s", name, error_name(errno));
		return;
	}
	while (readdir(dir))
		n++;
	closedir(dir);
	show("list %s: %d names", name, n);
}

static void user(void)
{
	static const char *const dirs[] = { "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7" };
	struct stat st;
	char name[64];
	int fd;

	setgroups(0, NULL);
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	for (int i = 0; i < 8; i++) {
		show("-- rights %d", i);
		list(dirs[i]);
		snprintf(name, sizeof(name), "%s/f", dirs[i]);
		CALL(stat(name, &st));
		CALL(open(name, O_RDONLY) >= 0 ? 0 : -1);
		CALL(access(name, F_OK));
		CALL(access(dirs[i], R_OK | W_OK | X_OK));
		CALL(chdir(dirs[i]) ? -1 : fchdir(3));
		snprintf(name, sizeof(name), "%s/new", dirs[i]);
		fd = (int)CALL(open(name, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0 ? 0 : -1);
		CALL(unlink(name));
		CALL(fd);
	}
	CALL(chmod("d7", 0));
	CALL(chown("d7", 1000, 1000));
	CALL(utimensat(AT_FDCWD, "d7", NULL, 0));
	CALL(chroot("d7"));
	fd = open("d1", O_PATH);
	CALL(fchdir(fd));
	CALL(open("d1", O_RDONLY));
	OK(open("d1", O_PATH | O_DIRECTORY));
}

int main(void)
{
	char name[16];

	CALL(dup2(open(".", O_RDONLY), 3));
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		mkdir(name, 0700);
		snprintf(name, sizeof(name), "d%d/f", i);
		close(open(name, O_CREAT | O_WRONLY, 0644));
		chmod(name, 0644);
		snprintf(name, sizeof(name), "d%d", i);
		chmod(name, (mode_t)i);
	}
	chmod(".", 0755);
	CHILD(user);
	return 0;
}
