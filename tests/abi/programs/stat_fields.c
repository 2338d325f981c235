/* stat(2), lstat(2), fstatat(2), statx(2): types, links, sizes, blocks. */
#include <sys/sysmacros.h>

#include "abi.h"

static void print(const char *name, const struct stat *st)
{
	show("%s: mode %o links %d uid %d gid %d size %ld", name, st->st_mode, (int)st->st_nlink, st->st_uid,
	     st->st_gid, S_ISDIR(st->st_mode) ? -1 : (long)st->st_size);
}

/* The fields of struct statx that this program looks at. musl has no declaration. */
struct fields {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t links, uid, gid;
	uint16_t mode;
	uint64_t ino, size;
	char rest[256];
};
#define BASIC_STATS 0x7ffU

int main(void)
{
	struct stat st, st2;
	struct fields stx;
	int fd, p[2];

	CALL(fd = open("f", O_RDWR | O_CREAT, 0640));
	CALL(write(fd, "0123456789", 10));
	CALL(fstat(fd, &st));
	print("f", &st);
	show("blocks %ld block size %ld", (long)st.st_blocks, (long)st.st_blksize);
	CALL(link("f", "hard"));
	CALL(stat("hard", &st2));
	print("hard", &st2);
	TRUTH(st.st_ino == st2.st_ino && st.st_dev == st2.st_dev);
	CALL(symlink("f", "soft"));
	CALL(stat("soft", &st2));
	print("soft", &st2);
	CALL(lstat("soft", &st2));
	print("soft itself", &st2);
	TRUTH(st.st_ino != st2.st_ino);
	CALL(fstatat(AT_FDCWD, "soft", &st2, AT_SYMLINK_NOFOLLOW));
	TRUTH(S_ISLNK(st2.st_mode));
	CALL(fstatat(AT_FDCWD, "soft", &st2, 0x8000));
	CALL(fstatat(fd, "", &st2, AT_EMPTY_PATH));
	TRUTH(st.st_ino == st2.st_ino);
	CALL(fstatat(fd, "", &st2, 0));
	CALL(mkdir("d", 01777));
	CALL(mkdir("d/e", 0700));
	CALL(stat("d", &st2));
	print("d", &st2);
	CALL(rmdir("d/e"));
	CALL(stat("d", &st2));
	print("d", &st2);
	CALL(mkfifo("fifo", 0666));
	CALL(stat("fifo", &st2));
	print("fifo", &st2);
	CALL(mknod("dev", S_IFCHR | 0600, makedev(1, 3)));
	CALL(stat("dev", &st2));
	print("dev", &st2);
	show("device %d,%d", major(st2.st_rdev), minor(st2.st_rdev));
	CALL(mknod("reg", S_IFREG | 0644, 0));
	CALL(mknod("reg2", 0644, 0));
	CALL(stat("reg2", &st2));
	print("reg2", &st2);
	CALL(mknod("dir", S_IFDIR | 0644, 0));
	CALL(mknod("f", S_IFREG | 0644, 0));
	CALL(pipe(p));
	CALL(fstat(p[0], &st2));
	print("pipe", &st2);
	CALL(stat("/dev/null", &st2));
	show("/dev/null: mode %o device %d,%d", st2.st_mode, major(st2.st_rdev), minor(st2.st_rdev));
	CALL(stat("absent", &st2));
	CALL(stat("f/x", &st2));
	CALL(stat("", &st2));
	CALL(syscall(SYS_stat, "f", NULL));
	CALL(syscall(SYS_fstat, 99, &st2));

	memset(&stx, 0, sizeof(stx));
	CALL(syscall(SYS_statx, AT_FDCWD, "f", 0, BASIC_STATS, &stx));
	show("mode %o links %d size %d", stx.mode, stx.links, (int)stx.size);
	TRUTH((stx.mask & BASIC_STATS) == BASIC_STATS);
	TRUTH(stx.ino == st.st_ino);
	CALL(syscall(SYS_statx, AT_FDCWD, "f", 0x6000, BASIC_STATS, &stx));
	CALL(syscall(SYS_statx, AT_FDCWD, "f", 0, 0x80000000, &stx));
	CALL(close(fd));
	CALL(unlink("f"));
	CALL(stat("hard", &st2));
	print("hard", &st2);
	return 0;
}
