/* statx(2): masks, flags, attributes, errors. */
#include "abi.h"

struct when {
	int64_t tv_sec;
	uint32_t tv_nsec, unused;
};

/* Older C libraries do not have it. */
static struct {
	uint32_t stx_mask, stx_blksize;
	uint64_t stx_attributes;
	uint32_t stx_nlink, stx_uid, stx_gid;
	uint16_t stx_mode, unused;
	uint64_t stx_ino, stx_size, stx_blocks, stx_attributes_mask;
	struct when stx_atime, stx_btime, stx_ctime, stx_mtime;
	uint32_t stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
	uint64_t spare[14];
} x;

#define X(dir, name, flags, mask) \
	report("statx(" #dir ", " #name ", " #flags ", " #mask ")", syscall(SYS_statx, dir, name, flags, mask, &x))

static void fields(void)
{
	show("mask %x, mode %o, links %u, size %llu, ids %u %u, blocks %llu, block size %u", x.stx_mask, x.stx_mode,
	     x.stx_nlink, (unsigned long long)x.stx_size, x.stx_uid, x.stx_gid, (unsigned long long)x.stx_blocks,
	     x.stx_blksize);
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0640), p[2];
	struct stat st;

	write(fd, "hello", 5);
	symlink("f", "link");
	X(AT_FDCWD, "f", 0, 0x7ffU);
	fields();
	X(AT_FDCWD, "f", 0, 0U);
	fields();
	X(AT_FDCWD, "f", 0, 0x200U);
	fields();
	X(AT_FDCWD, "f", 0, 0xfffU);
	show("mask %x", x.stx_mask & ~0x1000u);
	TRUTH(x.stx_btime.tv_sec > 0);
	TRUTH(x.stx_btime.tv_sec <= x.stx_mtime.tv_sec);
	stat("f", &st);
	TRUTH(st.st_ino == x.stx_ino);
	TRUTH(st.st_dev == ((dev_t)x.stx_dev_major << 8 | x.stx_dev_minor));
	X(AT_FDCWD, "f", 0, 0x80000000U);
	X(AT_FDCWD, "f", 0x2000, 0x7ffU);
	X(AT_FDCWD, "f", 0x4000, 0x7ffU);
	X(AT_FDCWD, "f", 0x2000 | 0x4000, 0x7ffU);
	X(AT_FDCWD, "f", 0x10, 0x7ffU);
	X(AT_FDCWD, "link", 0, 0x7ffU);
	show("mode %o", x.stx_mode);
	X(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, 0x7ffU);
	show("mode %o, size %llu", x.stx_mode, (unsigned long long)x.stx_size);
	X(AT_FDCWD, "link", AT_NO_AUTOMOUNT, 0x7ffU);
	X(fd, "", AT_EMPTY_PATH, 0x7ffU);
	show("mode %o", x.stx_mode);
	X(fd, "", 0, 0x7ffU);
	X(fd, "x", 0, 0x7ffU);
	X(AT_FDCWD, "", AT_EMPTY_PATH, 0x7ffU);
	show("mode %o", x.stx_mode & 0170000);
	X(99, "f", 0, 0x7ffU);
	X(99, "/", 0, 0x7ffU);
	X(AT_FDCWD, "none", 0, 0x7ffU);
	CALL(syscall(SYS_statx, AT_FDCWD, "f", 0, 0x7ffU, (void *)8));
	CALL(syscall(SYS_statx, AT_FDCWD, (void *)8, 0, 0x7ffU, &x));
	X(AT_FDCWD, "/dev/null", 0, 0x7ffU);
	show("mode %o, device %u %u", x.stx_mode, x.stx_rdev_major, x.stx_rdev_minor);
	pipe(p);
	X(p[0], "", AT_EMPTY_PATH, 0x7ffU);
	show("mode %o, size %llu", x.stx_mode, (unsigned long long)x.stx_size);
	X(AT_FDCWD, "/proc", 0, 0x7ffU);
	show("mount root %d", !!(x.stx_attributes & 0x2000));
	X(AT_FDCWD, "/proc/self", 0, 0x7ffU);
	show("mount root %d, known %d", !!(x.stx_attributes & 0x2000), !!(x.stx_attributes_mask & 0x2000));
	ftruncate(fd, 1 << 20);
	X(fd, "", AT_EMPTY_PATH, 0x400U);
	show("blocks %llu", (unsigned long long)x.stx_blocks);
	return 0;
}
