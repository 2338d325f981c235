/* Self-tests of tmpfs: contents, holes, sizes, and that a removed file frees its memory. */
#include "fs/vfs/open.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/selftest.h"

#define FILE_NAME "/tmp/selftest-tmpfs"
#define BIG       (3UL * 1024 * 1024 + 17) /* needs more than one table of pages */

/* Returns the byte of the test pattern at an offset. */
static u8 pattern(u64 offset)
{
	return (u8)(offset * 31 + (offset >> 12) * 7);
}

static struct file *open_new(void)
{
	return file_open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC);
}

/* Writes or checks count bytes of the pattern at offset, in pieces of different sizes. */
static bool transfer(struct file *file, u64 offset, size_t count, bool write)
{
	u8 *buf = kmalloc(10000, GFP_KERNEL);
	size_t piece = 1;
	bool good = buf && file_seek(file, (loff_t)offset, SEEK_SET) == (loff_t)offset;

	while (good && count) {
		size_t n = min(piece, count);

		for (size_t i = 0; write && i < n; i++)
			buf[i] = pattern(offset + i);
		good = (write ? file_write(file, buf, n) : file_read(file, buf, n)) == (ssize_t)n;
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
	u8 byte;
	struct file *file = open_new();

	ASSERT(!IS_ERR(file));
	EXPECT(transfer(file, 0, BIG, true));
	EXPECT(transfer(file, 0, BIG, false));
	EXPECT(transfer(file, 4095, 8194, false));
	EXPECT_EQ(file_seek(file, 0, SEEK_END), BIG);
	EXPECT_EQ(file_read(file, &byte, 1), 0);
	file->f_inode->i_op->getattr(file->f_inode); /* counts the blocks */
	EXPECT_EQ(file->f_inode->i_size, BIG);
	EXPECT_EQ(file->f_inode->i_blocks, DIV_ROUND_UP(BIG, PAGE_SIZE) * 8);
	EXPECT(shmem_bytes() - before >= BIG);
	fput(file);
	EXPECT(do_unlinkat(AT_FDCWD, FILE_NAME) == 0);
	EXPECT_EQ(shmem_bytes(), before);
}

SELFTEST(tmpfs, holes_read_as_zeros_and_cost_nothing)
{
	const loff_t far = (loff_t)1 << 33;
	u64 before = shmem_bytes();
	u8 buf[64];
	struct file *file = open_new();

	ASSERT(!IS_ERR(file));
	EXPECT_EQ(file_seek(file, far, SEEK_SET), far);
	EXPECT_EQ(file_write(file, "end", 3), 3);
	EXPECT(shmem_bytes() - before <= 16 * PAGE_SIZE);
	memset(buf, 0xff, sizeof(buf));
	EXPECT_EQ(file_seek(file, far / 2 + 1, SEEK_SET), far / 2 + 1);
	EXPECT_EQ(file_read(file, buf, sizeof(buf)), sizeof(buf));
	EXPECT(!memchr_inv(buf, 0, sizeof(buf)));
	EXPECT_EQ(file_seek(file, far - 1, SEEK_SET), far - 1);
	EXPECT_EQ(file_read(file, buf, sizeof(buf)), 4);
	EXPECT(!memcmp(buf, "\0end", 4));
	EXPECT_EQ(file_seek(file, (loff_t)1 << 50, SEEK_SET), (loff_t)1 << 50);
	EXPECT_EQ(file_write(file, "x", 1), -EFBIG);
	fput(file);
	EXPECT(do_unlinkat(AT_FDCWD, FILE_NAME) == 0);
	EXPECT_EQ(shmem_bytes(), before);
}

SELFTEST(tmpfs, truncation_frees_pages_and_forgets_bytes)
{
	u64 before = shmem_bytes();
	u8 buf[4096];
	struct file *file = open_new();

	ASSERT(!IS_ERR(file));
	EXPECT(transfer(file, 0, BIG, true));
	EXPECT(vfs_truncate(file->f_inode, 5000) == 0);
	EXPECT(shmem_bytes() - before <= 4 * PAGE_SIZE);
	EXPECT(transfer(file, 0, 5000, false));
	EXPECT(vfs_truncate(file->f_inode, 9000) == 0);
	EXPECT_EQ(file_seek(file, 5000, SEEK_SET), 5000);
	EXPECT_EQ(file_read(file, buf, sizeof(buf)), 4000);
	EXPECT(!memchr_inv(buf, 0, 4000));
	fput(file);
	file = open_new();
	ASSERT(!IS_ERR(file));
	EXPECT_EQ(file_seek(file, 0, SEEK_END), 0);
	EXPECT_EQ(shmem_bytes(), before);
	fput(file);
	EXPECT(do_unlinkat(AT_FDCWD, FILE_NAME) == 0);
}

SELFTEST(tmpfs, appending_writes_at_the_end)
{
	char buf[8] = "";
	struct file *a = open_new(), *b = file_open(FILE_NAME, O_WRONLY | O_APPEND);

	ASSERT(!IS_ERR(a) && !IS_ERR(b));
	EXPECT_EQ(file_write(b, "12", 2), 2);
	EXPECT_EQ(file_write(a, "ab", 2), 2); /* at position 0: overwrites the bytes 12 */
	EXPECT_EQ(file_write(a, "cd", 2), 2);
	EXPECT_EQ(file_write(b, "34", 2), 2);
	EXPECT_EQ(file_seek(a, 0, SEEK_SET), 0);
	EXPECT_EQ(file_read(a, buf, sizeof(buf)), 6);
	EXPECT(!memcmp(buf, "abcd34", 6));
	EXPECT_EQ(file_read(b, buf, 1), -EBADF);
	fput(a);
	fput(b);
	EXPECT(do_unlinkat(AT_FDCWD, FILE_NAME) == 0);
}
