/* getdents64(2): small buffers, seeking, entries that come and go, a directory without a name. */
#include "abi.h"
#include <dirent.h>

struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static char buf[4096] __attribute__((aligned(8)));

static long get(int fd, size_t size)
{
	return syscall(SYS_getdents64, fd, buf, size);
}

int main(void)
{
	int fd, n = 0, total = 0, seen[40] = { 0 }, again = 0, types = 0;
	int64_t offsets[40];
	char names[40][16], name[16];
	long got;
	DIR *dir;

	mkdir("d", 0755);
	fd = open("d", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 20; i++) {
		sprintf(name, "d/file%d", i);
		close(open(name, O_CREAT, 0600));
	}
	mkdir("d/sub", 0700);
	symlink("x", "d/link");
	mkfifo("d/fifo", 0600);

	CALL(get(fd, 0));
	CALL(get(fd, 10));
	CALL(get(fd, 23));
	CALL(syscall(SYS_getdents64, fd, (void *)8, 4096UL));
	CALL(get(99, sizeof(buf)));
	CALL(get(open("d/file0", O_RDONLY), sizeof(buf)));
	CALL(get(open("d", O_PATH), sizeof(buf)));

	/* A buffer for about two entries: each name once, in one pass. */
	while ((got = get(fd, 64)) > 0)
		for (long at = 0; at < got; total++) {
			struct entry *e = (struct entry *)(buf + at);

			if (e->reclen % 8 || !e->ino)
				show("odd entry %s", e->name);
			if (!strcmp(e->name, "sub"))
				types += e->type == DT_DIR;
			if (!strcmp(e->name, "link"))
				types += e->type == DT_LNK;
			if (!strcmp(e->name, "fifo"))
				types += e->type == DT_FIFO;
			if (!strcmp(e->name, "."))
				types += e->type == DT_DIR;
			if (sscanf(e->name, "file%d", &n) == 1)
				seen[n] += e->type == DT_REG;
			strcpy(names[total], e->name);
			offsets[total] = e->off;
			at += e->reclen;
		}
	show("%d entries, %d types, first \"%s\" \"%s\"", total, types, names[0], names[1]);
	for (int i = 0; i < 20; i++)
		if (seen[i] != 1)
			show("file%d: %d times", i, seen[i]);
	CALL(get(fd, 64));

	/* Back to each offset: the entry behind it follows. */
	for (int i = 1; i < total - 1; i++) {
		lseek(fd, offsets[i], SEEK_SET);
		if (get(fd, 64) > 0 && !strcmp(((struct entry *)buf)->name, names[i + 1]))
			again++;
	}
	show("%d of %d found again", again, total - 2);
	CALL(lseek(fd, 0, SEEK_SET));
	unlink("d/file7");
	for (total = 0; (got = get(fd, sizeof(buf))) > 0;)
		for (long at = 0; at < got; at += ((struct entry *)(buf + at))->reclen)
			total++;
	show("%d entries", total);

	/* readdir and seekdir of the C library. */
	dir = opendir("d");
	readdir(dir);
	readdir(dir);
	long where = telldir(dir);
	strcpy(name, readdir(dir)->d_name);
	readdir(dir);
	seekdir(dir, where);
	TRUTH(!strcmp(name, readdir(dir)->d_name));
	closedir(dir);

	/* Removed while it is open. */
	for (int i = 0; i < 20; i++) {
		sprintf(name, "d/file%d", i);
		unlink(name);
	}
	rmdir("d/sub");
	unlink("d/link");
	unlink("d/fifo");
	CALL(rmdir("d"));
	lseek(fd, 0, SEEK_SET);
	CALL(get(fd, sizeof(buf)));
	return 0;
}
