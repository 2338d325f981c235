/* mkdir(2), rmdir(2), getdents64(2), chdir(2), fchdir(2), getcwd(2), chroot(2). */
#include <dirent.h>

#include "abi.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *path)
{
	char *names[100], line[1000] = "";
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t count = 0;

	if (!dir) {
		show("%s: %s", path, error_name(errno));
		return;
	}
	while ((entry = readdir(dir)) && count < 100) {
		names[count] = malloc(300);
		snprintf(names[count++], 300, "%s type %d", entry->d_name, entry->d_type);
	}
	closedir(dir);
	qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s;", names[i]);
	show("%s:%s", path, line);
}

static void cwd(void)
{
	char buf[256];

	if (getcwd(buf, sizeof(buf)))
		show("cwd %s", buf);
	else
		show("cwd: %s", error_name(errno));
}

int main(void)
{
	char buf[1024], path[64];
	int fd, count = 0;

	cwd();
	CALL(mkdir("d", 0777));
	CALL(mkdir("d", 0777));
	CALL(mkdir("d/", 0777));
	CALL(mkdir("e/", 0777));
	CALL(mkdir("absent/e", 0777));
	CALL(mkdir("", 0777));
	CALL(mkdir(".", 0777));
	CALL(mkdir("/", 0777));
	CALL(mkdir("d/..", 0777));
	close(open("d/f", O_CREAT | O_WRONLY, 0600));
	CALL(symlink("f", "d/s"));
	CALL(mkfifo("d/p", 0600));
	CALL(mkdir("d/sub", 0700));
	list("d");
	list("d/f");
	CALL(rmdir("d"));
	CALL(rmdir("d/f"));
	CALL(rmdir("d/sub/."));
	CALL(rmdir("d/sub/.."));
	CALL(rmdir("."));
	CALL(rmdir("/"));
	CALL(rmdir("absent"));
	CALL(symlink("sub", "d/link"));
	CALL(rmdir("d/link"));
	CALL(rmdir("d/link/"));

	CALL(chdir("d/sub"));
	cwd();
	CALL(chdir(".."));
	cwd();
	CALL(chdir("f"));
	CALL(chdir("absent"));
	CALL(chdir(""));
	CALL(fd = open("sub", O_RDONLY));
	CALL(fchdir(fd));
	cwd();
	CALL(fchdir(99));
	CALL(syscall(SYS_getcwd, buf, 3));
	CALL(syscall(SYS_getcwd, buf, sizeof(buf)));
	CALL(rmdir("../sub"));
	cwd();
	CALL(syscall(SYS_getcwd, buf, sizeof(buf)));
	CALL(open("x", O_CREAT | O_WRONLY, 0600));
	CALL(mkdir("x", 0600));
	CALL(syscall(SYS_getdents64, fd, buf, sizeof(buf)) >= 0);
	CALL(access(".", F_OK));
	CALL(access("..", F_OK));
	CALL(chdir(".."));
	cwd();
	list(".");
	CALL(chdir("/tmp/abi"));

	/* Many entries, read with a small buffer, while they go. */
	CALL(mkdir("many", 0755));
	for (int i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), "many/file-%d", i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	CALL(fd = open("many", O_RDONLY));
	CALL(syscall(SYS_getdents64, fd, buf, 8));
	for (long n; (n = syscall(SYS_getdents64, fd, buf, 128)) > 0;)
		for (long at = 0; at < n; count++) {
			struct {
				uint64_t ino, off;
				uint16_t len;
				uint8_t type;
				char name[];
			} *entry = (void *)(buf + at);
			snprintf(path, sizeof(path), "many/%s", entry->name);
			if (entry->name[0] != '.')
				unlink(path);
			at += entry->len;
		}
	show("entries %d", count);
	CALL(lseek(fd, 0, SEEK_SET));
	count = 0;
	for (long n; (n = syscall(SYS_getdents64, fd, buf, 128)) > 0;)
		count++;
	show("reads %d", count);
	CALL(syscall(SYS_getdents64, fd, buf, 128));
	CALL(syscall(SYS_getdents64, 0, buf, 128));
	CALL(rmdir("many"));
	CALL(syscall(SYS_getdents64, fd, buf, 128));

	CALL(mkdir("root", 0755));
	CALL(mkdir("root/in", 0755));
	CALL(chroot("d/f"));
	CALL(chroot("absent"));
	CALL(chroot("root"));
	CALL(access("/in", F_OK));
	CALL(access("/tmp", F_OK));
	CALL(chdir("/in"));
	cwd();
	CALL(chdir("../../../../in"));
	cwd();
	return 0;
}
