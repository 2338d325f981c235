/*
 * seq_file: gives the text of any records in any pieces, and handles failures.
 * sources: fs/vfs/seq_file.c kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "fs/vfs/seq_file.h"
#include "host_kmalloc.h"
#include "host_mutex.h"

/* The sequence: record i has length[i] bytes. Negative values have the meanings below. */
#define RECORDS      64
#define RECORD_SKIP  (-1) /* prints, and is skipped */
#define RECORD_ERROR (-2) /* prints, and fails with -EIO */
static long length[RECORDS];
static unsigned records;
static int start_error;
static int started; /* calls of start without stop */

static void *any_start(struct seq_file *m, loff_t *pos)
{
	(void)m;
	started++;
	if (start_error)
		return ERR_PTR(start_error);
	return *pos < (loff_t)records ? (void *)(uintptr_t)(*pos + 1) : NULL;
}

static void *any_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)m, (void)v;
	++*pos;
	return *pos < (loff_t)records ? (void *)(uintptr_t)(*pos + 1) : NULL;
}

static void any_stop(struct seq_file *m, void *v)
{
	(void)m, (void)v;
	started--;
}

static char byte_of(size_t record, long at)
{
	return (char)('A' + (record * 7 + (size_t)at) % 58);
}

static int any_show(struct seq_file *m, void *v)
{
	size_t i = (uintptr_t)v - 1;

	if (length[i] < 0) {
		seq_printf(m, "%s", "not seen");
		return length[i] == RECORD_SKIP ? SEQ_SKIP : -EIO;
	}
	for (long at = 0; at < length[i]; at++)
		seq_putc(m, byte_of(i, at));
	return 0;
}

static const struct seq_operations any_sops = {
	.start = any_start, .next = any_next, .stop = any_stop, .show = any_show
};

static char *expected;
static size_t expected_len;

static void expect_text(void)
{
	free(expected);
	expected_len = 0;
	for (size_t i = 0; i < records; i++)
		expected_len += length[i] > 0 ? (size_t)length[i] : 0;
	expected = malloc(expected_len + 1);
	expected_len = 0;
	for (size_t i = 0; i < records && length[i] != RECORD_ERROR; i++)
		for (long at = 0; at < length[i]; at++)
			expected[expected_len++] = byte_of(i, at);
}

/* Reads to the end, in pieces of size. Returns the last result. */
static ssize_t read_through(struct file *file, size_t size, loff_t *pos)
{
	char *buf = malloc(size);
	ssize_t n;

	while ((n = seq_read(file, buf, size, pos)) > 0) {
		assert_true((size_t)n <= size);
		assert_true((size_t)*pos <= expected_len);
		assert_memory_equal(buf, expected + *pos - n, (size_t)n);
		assert_int_equal(started, 0);
	}
	free(buf);
	return n;
}

static void random_records(unsigned seed)
{
	static const long interesting[] = { 0, 1, 2, 4094, 4095, 4096, 4097, 9000, RECORD_SKIP };

	srand(seed);
	records = (unsigned)rand() % RECORDS;
	for (unsigned i = 0; i < records; i++)
		length[i] = rand() % 3 ? rand() % 100 : interesting[rand() % 9];
	expect_text();
}

static void test_any_records_in_any_pieces_give_the_same_text(void **state)
{
	(void)state;
	for (unsigned seed = 0, end = tries(300); seed < end; seed++) {
		struct file file = { .f_mode = FMODE_READ };
		loff_t pos = 0;

		random_records(seed);
		assert_int_equal(seq_open(&file, &any_sops), 0);
		assert_int_equal(read_through(&file, 1 + (size_t)rand() % 5000, &pos), 0);
		assert_int_equal(pos, expected_len);
		seq_release(NULL, &file);
	}
}

static void test_seeks_and_reads_in_any_order_give_the_bytes_of_the_place(void **state)
{
	(void)state;
	for (unsigned seed = 0, end = tries(100); seed < end; seed++) {
		struct file file = { .f_mode = FMODE_READ };

		random_records(seed);
		assert_int_equal(seq_open(&file, &any_sops), 0);
		for (unsigned i = 0; i < 50; i++) {
			char buf[256];
			size_t size = (size_t)rand() % sizeof(buf) + 1;
			loff_t at = rand() % (loff_t)(expected_len + 10);
			ssize_t n;

			if (rand() % 2)
				assert_int_equal(seq_lseek(&file, at, SEEK_SET), at);
			else
				file.f_pos = at; /* as pread does */
			n = seq_read(&file, buf, size, &file.f_pos);
			assert_true(n >= 0);
			assert_int_equal(file.f_pos, at + n);
			if (at < (loff_t)expected_len)
				assert_true(n > 0);
			if (n)
				assert_memory_equal(buf, expected + at, (size_t)n);
		}
		seq_release(NULL, &file);
	}
}

static void test_an_error_comes_after_the_text_before_it(void **state)
{
	struct file file = { .f_mode = FMODE_READ };
	loff_t pos = 0;

	(void)state;
	records = 5;
	for (unsigned i = 0; i < records; i++)
		length[i] = 10;
	length[3] = RECORD_ERROR;
	expect_text();
	assert_int_equal(expected_len, 30);
	assert_int_equal(seq_open(&file, &any_sops), 0);
	assert_int_equal(read_through(&file, 7, &pos), -EIO);
	assert_int_equal(pos, 30);
	length[3] = 10;
	expect_text();
	assert_int_equal(read_through(&file, 7, &pos), 0);
	assert_int_equal(pos, 50);
	seq_release(NULL, &file);

	start_error = -ENODEV;
	pos = 0;
	assert_int_equal(seq_open(&file, &any_sops), 0);
	assert_int_equal(read_through(&file, 7, &pos), -ENODEV);
	assert_int_equal(started, 0);
	seq_release(NULL, &file);
	start_error = 0;
}

static void test_memory_that_runs_out_is_an_error_and_nothing_leaks(void **state)
{
	(void)state;
	records = 3;
	length[0] = 100;
	length[1] = 30000;
	length[2] = 1;
	expect_text();
	for (long allowed = 0; allowed < 8; allowed++) {
		struct file file = { .f_mode = FMODE_READ };
		loff_t pos = 0;
		ssize_t n;

		host_allocations_left = allowed;
		if (seq_open(&file, &any_sops)) {
			assert_int_equal(allowed, 0);
			continue;
		}
		n = read_through(&file, 64, &pos);
		assert_true(n == -ENOMEM || n == 0);
		host_allocations_left = -1;
		assert_int_equal(read_through(&file, 64, &pos), 0); /* the next read works */
		assert_int_equal(pos, expected_len);
		seq_release(NULL, &file);
	}
	host_allocations_left = -1;
}

static void test_a_record_beyond_4_mib_is_refused(void **state)
{
	struct file file = { .f_mode = FMODE_READ };
	char buf[16];
	loff_t pos = 0;

	(void)state;
	records = 1;
	length[0] = 5L << 20;
	assert_int_equal(seq_open(&file, &any_sops), 0);
	assert_int_equal(seq_read(&file, buf, sizeof(buf), &pos), -ENOMEM);
	seq_release(NULL, &file);
}

static int show_escaped(struct seq_file *m, void *v)
{
	(void)v;
	seq_escape(m, m->private, " \n\\");
	seq_put_decimal_ull_width(m, ":", 42, 5);
	assert_int_equal(seq_write(m, "\0x", 2), 0);
	return 0;
}

static void test_the_printing_helpers(void **state)
{
	struct file file = { .f_mode = FMODE_READ };
	char buf[64];
	loff_t pos = 0;
	ssize_t n;

	(void)state;
	assert_int_equal(single_open(&file, show_escaped, "a b\\\n"), 0);
	n = seq_read(&file, buf, sizeof(buf), &pos);
	assert_int_equal(n, 22);
	assert_memory_equal(buf, "a\\040b\\134\\012:   42\0x", 22);
	assert_int_equal(seq_read(&file, buf, sizeof(buf), &pos), 0);
	single_release(NULL, &file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_records_in_any_pieces_give_the_same_text),
		cmocka_unit_test(test_seeks_and_reads_in_any_order_give_the_bytes_of_the_place),
		cmocka_unit_test(test_an_error_comes_after_the_text_before_it),
		cmocka_unit_test(test_memory_that_runs_out_is_an_error_and_nothing_leaks),
		cmocka_unit_test(test_a_record_beyond_4_mib_is_refused),
		cmocka_unit_test(test_the_printing_helpers),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(expected);
	return failed;
}
