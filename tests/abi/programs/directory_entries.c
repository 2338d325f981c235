/* getdents(2) and getdents64(2): records, small buffers, positions, directories that are gone. */
#include "abi.h"

#include <dirent.h>

struct old_entry {
	unsigned long ino, off;
	unsigned short reclen;
	char name[];
};
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(int fd, int old)
{
	char buf[2000], *lines[20];
	long n = syscall(old ? SYS_getdents : SYS_getdents64, fd, buf, sizeof(buf));
	int count = 0;

	for (long at = 0; at < n && count < 20; count++) {
		struct old_entry *o = (void *)(buf + at);
		struct entry *e = (void *)(buf + at);
		int reclen = old ? o->reclen : e->reclen, type = old ? buf[at + reclen - 1] : e->type;

		lines[count] = malloc(100);
		snprintf(lines[count], 100, "%s: type %d, record %d, inode %s", old ? o->name : e->name, type, reclen,
			 (old ? o->ino : e->ino) ? "yes" : "no");
		at += reclen;
	}
	qsort(lines, (size_t)count, sizeof(char *), compare);
	for (int i = 0; i < count; i++)
		show("%s", lines[i]);
}

int main(void)
{
	char buf[200];
	int fd, file, n = 0;
	long got;

	mkdir("d", 0755);
	close(open("d/file", O_CREAT, 0644));
	mkdir("d/dir", 0755);
	symlink("x", "d/a_longer_name");
	mkfifo("d/fifo", 0644);
	mknod("d/node", S_IFCHR | 0600, 0x103);
	fd = open("d", O_RDONLY | O_DIRECTORY);
	list(fd, 0);
	CALL(syscall(SYS_getdents64, fd, buf, sizeof(buf)));
	CALL(lseek(fd, 0, SEEK_SET));
	list(fd, 1);
	CALL(syscall(SYS_getdents, fd, buf, sizeof(buf)));
	lseek(fd, 0, SEEK_SET);
	CALL(syscall(SYS_getdents64, fd, buf, 10));
	CALL(syscall(SYS_getdents, fd, buf, 1));
	while ((got = syscall(SYS_getdents64, fd, buf, 40)) > 0)
		for (long at = 0; at < got; n++)
			at += ((struct entry *)(buf + at))->reclen;
	show("%d entries one by one, then %ld", n, got);
	lseek(fd, 0, SEEK_SET);
	CALL(syscall(SYS_getdents64, fd, 8, 100));
	file = open("d/file", O_RDONLY);
	CALL(syscall(SYS_getdents64, file, buf, sizeof(buf)));
	CALL(syscall(SYS_getdents64, 99, buf, sizeof(buf)));
	CALL(syscall(SYS_getdents64, open("d", O_PATH), buf, sizeof(buf)));
	CALL(read(fd, buf, 10));
	mkdir("gone", 0755);
	fd = open("gone", O_RDONLY);
	rmdir("gone");
	CALL(syscall(SYS_getdents64, fd, buf, sizeof(buf)));
	return 0;
}
