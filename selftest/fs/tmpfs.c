/* Self-tests of tmpfs: contents, holes, sizes, and that a removed file frees its memory. */
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "selftest/selftest.h"

#define FILE_NAME "/tmp/selftest-tmpfs"
#define BIG       (3UL * 1024 * 1024 + 17) /* needs more than one table of pages */

/* Returns the byte of the test pattern at an offset. */
static u8 pattern(u64 offset)
{
	return (u8)(offset * 31 + (offset >> 12) * 7);
}

static long open_new(void)
{
	return sys_open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0644);
}

/* Writes or checks count bytes of the pattern at offset, in pieces of different sizes. */
static bool transfer(int fd, u64 offset, size_t count, bool write)
{
	u8 *buf = kmalloc(10000, GFP_KERNEL);
	size_t piece = 1;
	bool good = buf && sys_lseek(fd, (loff_t)offset, SEEK_SET) == (loff_t)offset;

	while (good && count) {
		size_t n = min(piece, count);

		for (size_t i = 0; write && i < n; i++)
			buf[i] = pattern(offset + i);
		good = (write ? sys_write(fd, buf, n) : sys_read(fd, buf, n)) == (ssize_t)n;
		for (size_t i = 0; good && !write && i < n; i++)
			good = buf[i] == pattern(offset + i);
		offset += n;
		count -= n;
		piece = piece * 3 % 9973;
	}
	kfree(buf);
	return good;
}

SELFTEST(tmpfs, a_file_keeps_every_byte)
{
	u64 before = shmem_bytes();
	struct kstat st;
	u8 byte;
	int fd = (int)open_new();

	ASSERT(fd >= 0);
	EXPECT(transfer(fd, 0, BIG, true));
	EXPECT(transfer(fd, 0, BIG, false));
	EXPECT(transfer(fd, 4095, 8194, false));
	EXPECT_EQ(sys_lseek(fd, 0, SEEK_END), BIG);
	EXPECT_EQ(sys_read(fd, &byte, 1), 0);
	EXPECT(vfs_fstat(fd, &st) == 0);
	EXPECT_EQ(st.st_size, BIG);
	EXPECT_EQ(st.st_blocks, DIV_ROUND_UP(BIG, PAGE_SIZE) * 8);
	EXPECT(shmem_bytes() - before >= BIG);
	sys_close(fd);
	EXPECT(sys_unlink(FILE_NAME) == 0);
	EXPECT_EQ(shmem_bytes(), before);
}

SELFTEST(tmpfs, holes_read_as_zeros_and_cost_nothing)
{
	const loff_t far = (loff_t)1 << 33;
	u64 before = shmem_bytes();
	u8 buf[64];
	int fd = (int)open_new();

	ASSERT(fd >= 0);
	EXPECT_EQ(sys_lseek(fd, far, SEEK_SET), far);
	EXPECT_EQ(sys_write(fd, "end", 3), 3);
	EXPECT(shmem_bytes() - before <= 16 * PAGE_SIZE);
	memset(buf, 0xff, sizeof(buf));
	EXPECT_EQ(sys_lseek(fd, far / 2 + 1, SEEK_SET), far / 2 + 1);
	EXPECT_EQ(sys_read(fd, buf, sizeof(buf)), sizeof(buf));
	EXPECT(!memchr_inv(buf, 0, sizeof(buf)));
	EXPECT_EQ(sys_lseek(fd, far - 1, SEEK_SET), far - 1);
	EXPECT_EQ(sys_read(fd, buf, sizeof(buf)), 4);
	EXPECT(!memcmp(buf, "\0end", 4));
	EXPECT_EQ(sys_lseek(fd, (loff_t)1 << 50, SEEK_SET), (loff_t)1 << 50);
	EXPECT_EQ(sys_write(fd, "x", 1), -EFBIG);
	sys_close(fd);
	EXPECT(sys_unlink(FILE_NAME) == 0);
	EXPECT_EQ(shmem_bytes(), before);
}

SELFTEST(tmpfs, truncation_frees_pages_and_forgets_bytes)
{
	u64 before = shmem_bytes();
	u8 buf[4096];
	int fd = (int)open_new();

	ASSERT(fd >= 0);
	EXPECT(transfer(fd, 0, BIG, true));
	EXPECT(sys_ftruncate(fd, 5000) == 0);
	EXPECT(shmem_bytes() - before <= 4 * PAGE_SIZE);
	EXPECT(transfer(fd, 0, 5000, false));
	EXPECT(sys_ftruncate(fd, 9000) == 0);
	EXPECT_EQ(sys_lseek(fd, 5000, SEEK_SET), 5000);
	EXPECT_EQ(sys_read(fd, buf, sizeof(buf)), 4000);
	EXPECT(!memchr_inv(buf, 0, 4000));
	EXPECT_EQ(sys_ftruncate(fd, -1), -EINVAL);
	sys_close(fd);
	fd = (int)open_new();
	ASSERT(fd >= 0);
	EXPECT_EQ(sys_lseek(fd, 0, SEEK_END), 0);
	EXPECT_EQ(shmem_bytes(), before);
	sys_close(fd);
	EXPECT(sys_unlink(FILE_NAME) == 0);
}

SELFTEST(tmpfs, appending_writes_at_the_end)
{
	char buf[8] = "";
	int a, b;

	a = (int)open_new();
	b = (int)sys_open(FILE_NAME, O_WRONLY | O_APPEND, 0);
	ASSERT(a >= 0 && b >= 0);
	EXPECT_EQ(sys_write(b, "12", 2), 2);
	EXPECT_EQ(sys_write(a, "ab", 2), 2); /* at position 0: overwrites the bytes 12 */
	EXPECT_EQ(sys_write(a, "cd", 2), 2);
	EXPECT_EQ(sys_write(b, "34", 2), 2);
	EXPECT_EQ(sys_lseek(a, 0, SEEK_SET), 0);
	EXPECT_EQ(sys_read(a, buf, sizeof(buf)), 6);
	EXPECT(!memcmp(buf, "abcd34", 6));
	EXPECT_EQ(sys_read(b, buf, 1), -EBADF);
	sys_close(a);
	sys_close(b);
	EXPECT(sys_unlink(FILE_NAME) == 0);
}
