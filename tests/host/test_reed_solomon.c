/*
 * Reed-Solomon codes, as pstore's records have them.
 * sources: kernel/lib/reed_solomon.c
 */
#include "test.h"

#include "kernel/errno.h"
#include "kernel/lib/reed_solomon.h"

#define LENGTH 128
#define ROOTS  16

/* A block with its parity, as a program that writes it to memory sees it. */
struct block {
	u8 data[LENGTH];
	u8 parity[ROOTS];
};

static struct rs_codec rs;

static void fill(struct block *block)
{
	for (unsigned i = 0; i < LENGTH; i++)
		block->data[i] = (u8)rand();
	rs_encode(&rs, block->data, LENGTH, block->parity);
}

/* Damages `count` different bytes. */
static void damage(struct block *block, unsigned count)
{
	u8 hit[sizeof(*block)] = { 0 };

	while (count) {
		unsigned at = (unsigned)rand() % sizeof(*block);

		if (hit[at])
			continue;
		hit[at] = 1;
		((u8 *)block)[at] ^= (u8)(1 + rand() % 255);
		count--;
	}
}

static void test_parity_is_the_remainder_of_a_division_by_the_generator(void **state)
{
	/* The example in the documentation of the Python package reedsolo. */
	static const u8 expected[] = { 0xed, 0x25, 0x54, 0xc4, 0xfd, 0xfd, 0x89, 0xf3, 0xa8, 0xaa };
	struct rs_codec ten;
	u8 parity[10];

	(void)state;
	rs_init(&ten, sizeof(parity));
	rs_encode(&ten, (const u8 *)"hello world", 11, parity);
	assert_memory_equal(parity, expected, sizeof(parity));
}

static void test_half_as_many_wrong_bytes_as_parity_bytes_are_repaired(void **state)
{
	struct block block, copy;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		unsigned count = round % (ROOTS / 2 + 1);

		fill(&block);
		copy = block;
		damage(&block, count);
		assert_int_equal(rs_decode(&rs, block.data, LENGTH, block.parity), count);
		assert_memory_equal(&block, &copy, sizeof(block));
	}
}

static void test_a_block_that_cannot_be_repaired_is_not_changed(void **state)
{
	unsigned refused = 0;
	struct block block, copy;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		fill(&block);
		damage(&block, ROOTS / 2 + 1 + round % 100);
		copy = block;
		if (rs_decode(&rs, block.data, LENGTH, block.parity) == -EBADMSG) {
			refused++;
			assert_memory_equal(&block, &copy, sizeof(block));
		}
	}
	/* A block may come near another code word: for 16 roots, one in 8! * (256 / 144)^8 or so.
	 */
	assert_true(refused > 2990);
}

static void test_short_blocks_are_repaired(void **state)
{
	u8 data[12] = "start, size", parity[ROOTS];

	(void)state;
	rs_encode(&rs, data, sizeof(data), parity);
	memset(data, 0xff, 8);
	assert_int_equal(rs_decode(&rs, data, sizeof(data), parity), 8);
	assert_string_equal((char *)data, "start, size");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parity_is_the_remainder_of_a_division_by_the_generator),
		cmocka_unit_test(test_half_as_many_wrong_bytes_as_parity_bytes_are_repaired),
		cmocka_unit_test(test_a_block_that_cannot_be_repaired_is_not_changed),
		cmocka_unit_test(test_short_blocks_are_repaired),
	};

	rs_init(&rs, ROOTS);
	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
