/*
 * The early allocator.
 * sources: kernel/mm/memblock.c kernel/lib/vsprintf*.c kernel/lib/errname.c
 * sources: kernel/lib/string_helpers.c
 */
#include "test.h"

#include "mm_host.h"

struct page *mem_map;
unsigned long max_pfn;

static char arena[4 << 20] __aligned(4096);

static void add_ram(u64 base, u64 end)
{
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ base, end - base, MEMORY_USABLE };
}

/* Counts the free pages, and checks that free ranges neither touch nor overlap. */
static u64 free_bytes(void)
{
	phys_addr_t cursor = 0, base, end, last = 0;
	u64 bytes = 0;

	while (memblock_next_free(&cursor, &base, &end)) {
		assert_true(base >= last && base < end);
		bytes += end - base;
		last = end;
	}
	return bytes;
}

static void test_low_memory_image_modules_and_holes_are_not_free(void **state)
{
	phys_addr_t cursor = 0, base, end;

	(void)state;
	host_set_memory_map();
	boot_info.modules[0] = (struct boot_module){ .start = 0x300100, .end = 0x301001 };
	boot_info.module_count = 1;
	memblock_init();
	assert_int_equal(memblock_end_of_ram(), 63 << 20);
	assert_true(memblock_next_free(&cursor, &base, &end));
	assert_int_equal(base, 0x10000);
	assert_int_equal(end, 0x9f000);
	assert_true(memblock_next_free(&cursor, &base, &end));
	assert_int_equal(base, 0x200000);
	assert_int_equal(end, 0x300000);
	assert_true(memblock_next_free(&cursor, &base, &end));
	assert_int_equal(base, 0x302000);
	assert_int_equal(end, 32 << 20);
	assert_true(memblock_next_free(&cursor, &base, &end));
	assert_int_equal(base, 40 << 20);
	assert_int_equal(end, 63 << 20);
	assert_false(memblock_next_free(&cursor, &base, &end));
}

static void test_allocations_are_aligned_and_never_overlap(void **state)
{
	struct {
		phys_addr_t base;
		size_t size;
	} got[200];
	u64 before, taken = 0;

	(void)state;
	srand(4);
	host_set_memory_map();
	memblock_init();
	before = free_bytes();
	for (unsigned i = 0; i < ARRAY_SIZE(got); i++) {
		size_t align = 4096UL << rand() % 4;

		got[i].size = (size_t)rand() % 30000 + 1;
		got[i].base = memblock_phys_alloc(got[i].size, align);
		assert_true(IS_ALIGNED(got[i].base, align));
		assert_true(got[i].base >= 0x200000);
		taken += ALIGN(got[i].size, 4096);
		for (unsigned j = 0; j < i; j++)
			assert_true(got[i].base + got[i].size <= got[j].base ||
				    got[j].base + got[j].size <= got[i].base);
	}
	assert_int_equal(free_bytes(), before - taken);
}

static void test_small_pieces_share_pages_and_are_zeroed(void **state)
{
	u64 before;

	(void)state;
	memset(arena, 0xa5, sizeof(arena));
	host_page_offset = (unsigned long)arena;
	boot_info = (struct boot_info){ .memory_count = 0 };
	add_ram(0, sizeof(arena));
	memblock_init();
	before = free_bytes();
	for (unsigned i = 0; i < 64; i++) {
		char *p = memblock_alloc(24, 64);

		assert_true(IS_ALIGNED((unsigned long)p - host_page_offset, 64));
		for (unsigned j = 0; j < 24; j++)
			assert_int_equal(p[j], 0);
	}
	assert_true(before - free_bytes() <= 2 * PAGE_SIZE);
}

static void test_real_mode_memory_lies_below_its_limit(void **state)
{
	phys_addr_t phys;

	(void)state;
	host_set_memory_map();
	memblock_init();
	phys = memblock_phys_alloc_below(4096, 4096, 0x100000);
	assert_int_equal(phys, 0x10000);
	assert_int_equal(memblock_phys_alloc_below(0x90000, 4096, 0x100000), 0);
	assert_int_equal(memblock_phys_alloc_below(4096, 4096, 0x100000), 0x11000);
}

static void test_no_memory_left_is_a_panic(void **state)
{
	(void)state;
	host_set_memory_map();
	memblock_init();
	if (!setjmp(host_panic)) {
		memblock_phys_alloc(32 << 20, 4096);
		fail_msg("32 MiB in one piece are not there");
	}
}

static void test_a_memory_map_without_usable_memory_is_refused(void **state)
{
	(void)state;
	host_set_memory_map();
	boot_info.memory_count = 0;
	if (!setjmp(host_panic)) {
		memblock_init();
		fail_msg("a machine without memory boots");
	}
}

static void test_ram_far_beyond_the_rest_is_left_out(void **state)
{
	(void)state;
	host_set_memory_map();
	add_ram(1UL << 40, (1UL << 40) + (16 << 20));
	memblock_init();
	assert_int_equal(memblock_end_of_ram(), 63 << 20);
	/* 8 GiB with the hole below 4 GiB: no region is dropped. */
	boot_info = (struct boot_info){ .memory_count = 0 };
	add_ram(0x100000, 0x80000000);
	add_ram(0x100000000, 0x280000000);
	memblock_init();
	assert_int_equal(memblock_end_of_ram(), 0x280000000);
}

static void test_reservations_merge(void **state)
{
	u64 before;

	(void)state;
	host_set_memory_map();
	memblock_init();
	before = free_bytes();
	for (unsigned i = 0; i < 1000; i++)
		memblock_reserve(0x400000 + i * 0x1000, 0x1000);
	memblock_reserve(0x3ff800, 0x900);
	assert_int_equal(free_bytes(), before - 1001 * 0x1000);
	memblock_reserve(0x380000, 0x900000);
	assert_int_equal(free_bytes(), before - 0x900000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_low_memory_image_modules_and_holes_are_not_free),
		cmocka_unit_test(test_allocations_are_aligned_and_never_overlap),
		cmocka_unit_test(test_small_pieces_share_pages_and_are_zeroed),
		cmocka_unit_test(test_real_mode_memory_lies_below_its_limit),
		cmocka_unit_test(test_no_memory_left_is_a_panic),
		cmocka_unit_test(test_a_memory_map_without_usable_memory_is_refused),
		cmocka_unit_test(test_ram_far_beyond_the_rest_is_left_out),
		cmocka_unit_test(test_reservations_merge),
	};

	return cmocka_run_group_tests_name("memblock", tests, NULL, NULL);
}
