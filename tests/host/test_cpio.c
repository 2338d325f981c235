/*
 * The reader of cpio archives: each field of a header is checked, archives follow one another, and every
 * archive that is cut off is refused.
 * sources: fs/initramfs/cpio.c
 */
#include "test.h"

#include "fs/initramfs/cpio.h"
#include "kernel/errno.h"

static char archive[8192];
static size_t size;

/* Adds an entry. Fields as in the header; the rest are 1. */
static void add(const char *magic, unsigned mode, const char *name, const char *data, unsigned data_size)
{
	size_t start = size;

	size += (size_t)sprintf(archive + size, "%s%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", magic, 7u,
				mode, 1000u, 100u, 2u, 1700000000u, data_size, 8u, 1u, 5u, 9u,
				(unsigned)strlen(name) + 1, 0u);
	size += (size_t)sprintf(archive + size, "%s", name) + 1;
	while ((size - start) % 4)
		archive[size++] = '\0';
	memcpy(archive + size, data, data_size);
	size += data_size;
	while ((size - start) % 4)
		archive[size++] = '\0';
}

static void begin(void)
{
	memset(archive, 0, sizeof(archive));
	size = 0;
}

static int setup(void **state)
{
	(void)state;
	begin();
	return 0;
}

static void test_an_entry_has_all_its_fields(void **state)
{
	struct cpio_reader reader = { .data = archive };
	struct cpio_entry e;

	(void)state;
	add("070701", 0104755, "bin/sh", "hello", 5);
	add("070701", 0120777, "link", "target", 6);
	add("070701", 0, "TRAILER!!!", "", 0);
	reader.size = size;
	assert_int_equal(cpio_next(&reader, &e), CPIO_ENTRY);
	assert_string_equal(e.name, "bin/sh");
	assert_int_equal(e.mode, 0104755);
	assert_int_equal(e.uid, 1000);
	assert_int_equal(e.gid, 100);
	assert_int_equal(e.nlink, 2);
	assert_int_equal(e.mtime, 1700000000);
	assert_int_equal(e.ino, 7);
	assert_int_equal(e.dev_major, 8);
	assert_int_equal(e.rdev_major, 5);
	assert_int_equal(e.rdev_minor, 9);
	assert_int_equal(e.size, 5);
	assert_memory_equal(e.data, "hello", 5);
	assert_int_equal(cpio_next(&reader, &e), CPIO_ENTRY);
	assert_memory_equal(e.data, "target", 6);
	assert_int_equal(cpio_next(&reader, &e), CPIO_TRAILER);
	assert_int_equal(cpio_next(&reader, &e), CPIO_END);
}

static void test_archives_follow_one_another_with_padding_between(void **state)
{
	struct cpio_reader reader = { .data = archive };
	struct cpio_entry e;
	unsigned entries = 0, trailers = 0;
	int ret;

	(void)state;
	add("070701", 0100644, "one", "1", 1);
	add("070701", 0, "TRAILER!!!", "", 0);
	size += 512 - size % 512;
	add("070701", 0100644, "two", "22", 2);
	add("070701", 0, "TRAILER!!!", "", 0);
	size += 100;
	reader.size = size;
	while ((ret = cpio_next(&reader, &e)) > 0) {
		entries += ret == CPIO_ENTRY;
		trailers += ret == CPIO_TRAILER;
	}
	assert_int_equal(ret, CPIO_END);
	assert_int_equal(entries, 2);
	assert_int_equal(trailers, 2);
}

static void test_an_archive_that_is_cut_off_is_refused(void **state)
{
	struct cpio_entry e;

	(void)state;
	add("070701", 0100644, "file", "0123456789", 10);
	/* The padding after the last entry may be missing. */
	for (size_t cut = 1; cut < size - 2; cut++) {
		struct cpio_reader reader = { .data = archive, .size = cut };

		assert_int_equal(cpio_next(&reader, &e), -EINVAL);
		assert_non_null(reader.problem);
		assert_int_equal(reader.pos, 0);
	}
}

static int read_one(void)
{
	struct cpio_reader reader = { .data = archive, .size = size };
	struct cpio_entry e;
	int ret = cpio_next(&reader, &e);

	begin();
	return ret;
}

static void test_bad_headers_are_refused(void **state)
{
	(void)state;
	add("070707", 0100644, "old format", "", 0);
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0100644, "", "", 0);
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0030644, "type", "", 0);
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0120777, "link without text", "", 0);
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0120777, "link", "a\0b", 3);
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0100644, "digit", "", 0);
	archive[20] = 'g';
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0100644, "terminated", "", 0);
	archive[110 + 10] = 'x';
	assert_int_equal(read_one(), -EINVAL);
	add("070701", 0100644, "NUL", "", 0);
	archive[110 + 1] = '\0';
	assert_int_equal(read_one(), -EINVAL);
	/* The format with checksums: the sum of "ab" is not 0. */
	add("070702", 0100644, "checked", "ab", 2);
	assert_int_equal(read_one(), -EINVAL);
	add("070702", 0120777, "not checked", "ab", 2);
	assert_int_equal(read_one(), CPIO_ENTRY);
	add("070702", 0100644, "checked", "", 0);
	assert_int_equal(read_one(), CPIO_ENTRY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_an_entry_has_all_its_fields, setup),
		cmocka_unit_test_setup(test_archives_follow_one_another_with_padding_between, setup),
		cmocka_unit_test_setup(test_an_archive_that_is_cut_off_is_refused, setup),
		cmocka_unit_test_setup(test_bad_headers_are_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
