/* Self-tests of seq_file: the text does not depend on the sizes of the reads. */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/selftest.h"

/* Lengths of the records: 0, 1, around the first buffer's size, and much longer. */
static const unsigned lengths[] = { 1, 0, 5, 4094, 4095, 4096, 4097, 3, 0, 20000, 7, 100, 1 };
#define SKIPPED 8 /* the record with this index prints text, and returns SEQ_SKIP */

static void *numbers_start(struct seq_file *m, loff_t *pos)
{
	(void)m;
	return *pos < (loff_t)ARRAY_SIZE(lengths) ? (void *)(*pos + 1) : NULL;
}

static void *numbers_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)v;
	++*pos;
	return numbers_start(m, pos);
}

static void numbers_stop(struct seq_file *m, void *v)
{
	(void)m, (void)v;
}

static int numbers_show(struct seq_file *m, void *v)
{
	unsigned long i = (unsigned long)v - 1;

	if (i == SKIPPED) {
		seq_puts(m, "never seen");
		return SEQ_SKIP;
	}
	for (unsigned n = 0; n < lengths[i]; n++)
		seq_putc(m, (char)('a' + (i + n) % 26));
	return 0;
}

static const struct seq_operations numbers_sops = {
	.start = numbers_start,
	.next = numbers_next,
	.stop = numbers_stop,
	.show = numbers_show,
};

/* Builds the whole text without seq_file. Returns its length. */
static size_t expected_text(char *buf)
{
	size_t len = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++)
		for (unsigned n = 0; i != SKIPPED && n < lengths[i]; n++)
			buf[len++] = (char)('a' + (i + n) % 26);
	return len;
}

#define TEXT_MAX 40000

/* Reads the text in pieces of size bytes and compares it. The seq_file has no real file. */
static bool reads_same(const char *text, size_t len, size_t size)
{
	struct file file = { .f_mode = FMODE_READ };
	char *buf = kmalloc(size, GFP_KERNEL);
	loff_t pos = 0;
	ssize_t n = -ENOMEM;

	if (!buf || seq_open(&file, &numbers_sops)) {
		kfree(buf);
		return false;
	}
	while ((n = seq_read(&file, buf, size, &pos)) > 0)
		if ((size_t)pos > len || memcmp(buf, text + pos - n, (size_t)n))
			break;
	seq_release(NULL, &file);
	kfree(buf);
	return n == 0 && (size_t)pos == len;
}

SELFTEST(seq_file, any_buffer_size_gives_the_same_bytes)
{
	char *text = kmalloc(TEXT_MAX, GFP_KERNEL);
	size_t len;

	ASSERT(text);
	len = expected_text(text);
	for (size_t size = 1; size < 300; size++)
		EXPECT(reads_same(text, len, size));
	for (size_t size = 4000; size < 4200; size += 7)
		EXPECT(reads_same(text, len, size));
	EXPECT(reads_same(text, len, TEXT_MAX));
	kfree(text);
}

SELFTEST(seq_file, seeking_gives_the_bytes_of_the_place)
{
	struct file file = { .f_mode = FMODE_READ };
	char *text = kmalloc(TEXT_MAX, GFP_KERNEL), buf[64];
	size_t len;

	ASSERT(text);
	len = expected_text(text);
	ASSERT(seq_open(&file, &numbers_sops) == 0);
	for (size_t i = 0; i < 400; i++) {
		loff_t at = (loff_t)(i * 7919 % len);
		size_t want = min(sizeof(buf), len - (size_t)at), got = 0;

		EXPECT_EQ(seq_lseek(&file, at, SEEK_SET), at);
		while (got < want) {
			ssize_t n = seq_read(&file, buf + got, want - got, &file.f_pos);

			if (n <= 0)
				break;
			got += (size_t)n;
		}
		EXPECT(got == want && !memcmp(buf, text + at, want));
	}
	EXPECT_EQ(seq_lseek(&file, (loff_t)len + 10, SEEK_SET), len + 10);
	EXPECT_EQ(seq_read(&file, buf, sizeof(buf), &file.f_pos), 0);
	EXPECT_EQ(seq_lseek(&file, -1, SEEK_SET), -EINVAL);
	seq_release(NULL, &file);
	kfree(text);
}

static u64 file_hash(const char *path, size_t size, size_t *len)
{
	char *buf = kmalloc(size, GFP_KERNEL);
	struct file *file = file_open(path, O_RDONLY);
	u64 hash = 14695981039346656037ULL;
	ssize_t n;

	*len = 0;
	while (buf && !IS_ERR(file) && (n = file_read(file, buf, size)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			hash = (hash ^ (u8)buf[i]) * 1099511628211ULL;
		*len += (size_t)n;
	}
	if (!IS_ERR(file))
		fput(file);
	kfree(buf);
	return hash;
}

SELFTEST(seq_file, kallsyms_is_the_same_in_any_pieces)
{
	size_t len, whole_len;
	u64 whole = file_hash("/proc/kallsyms", 1 << 20, &whole_len);
	static const size_t sizes[] = { 61, 512, 4095, 4096, 65536 };

	EXPECT(whole_len > 1000);
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT(file_hash("/proc/kallsyms", sizes[i], &len) == whole);
		EXPECT_EQ(len, whole_len);
	}
}
