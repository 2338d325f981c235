/*
 * Zones of memory that survive a reboot: what is written, what the next boot reads, and what damage
 * does. sources: fs/pstore/zone.c
 */
#include "test.h"

#include "fs/pstore/zone.h"
#include "kernel/errno.h"

#define SIG 0x43474244

void *vmalloc(size_t size)
{
	return malloc(size);
}

void vfree(const void *address)
{
	free((void *)address);
}

/* A boot: lays the zone into the area, as the last boot has left it. */
static void boot(struct persistent_ram_zone *zone, void *area, size_t size)
{
	assert_int_equal(persistent_ram_init(zone, area, size, SIG), 0);
}

static void assert_old(const struct persistent_ram_zone *zone, const char *text)
{
	assert_non_null(zone->old);
	assert_int_equal(zone->old_size, strlen(text));
	assert_memory_equal(zone->old, text, strlen(text));
}

static void test_the_next_boot_reads_the_end_of_what_was_written(void **state)
{
	static char text[8192];

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		size_t size = 80 + (size_t)rand() % 1000, length = 0,
		       target = 1 + (size_t)rand() % 4000;
		struct persistent_ram_zone zone;
		u8 *area = calloc(1, size);

		boot(&zone, area, size);
		assert_null(zone.old);
		assert_false(zone.damaged);
		persistent_ram_zap(&zone);
		while (length < target) {
			size_t part = 1 + (size_t)rand() % (round % 5 ? 90 : 1500);

			for (size_t i = 0; i < part; i++)
				text[length + i] = (char)('a' + rand() % 26);
			persistent_ram_write(&zone, text + length, part);
			length += part;
		}
		text[length] = '\0';
		boot(&zone, area, size);
		assert_old(&zone, text + (length > zone.size ? length - zone.size : 0));
		persistent_ram_free_old(&zone);
		persistent_ram_zap(&zone);
		boot(&zone, area, size);
		assert_null(zone.old);
		free(area);
	}
}

static void test_an_area_that_is_too_small_is_refused(void **state)
{
	struct persistent_ram_zone zone;
	u8 area[64] = { 0 };

	(void)state;
	assert_int_equal(
		persistent_ram_init(&zone, area, sizeof(struct persistent_ram_buffer), SIG),
		-EINVAL);
}

static void test_a_header_that_makes_no_sense_is_left_out(void **state)
{
	char area[256] = { 0 };
	struct persistent_ram_zone zone;

	(void)state;
	boot(&zone, area, sizeof(area));
	persistent_ram_zap(&zone);
	persistent_ram_write(&zone, "text", 4);
	zone.buffer->size = 1 << 20;
	boot(&zone, area, sizeof(area));
	assert_null(zone.old);
	assert_true(zone.damaged);
	zone.buffer->size = 4;
	zone.buffer->start = 5;
	boot(&zone, area, sizeof(area));
	assert_null(zone.old);
	assert_true(zone.damaged);
}

/* ASan finds each access outside of the area. */
static void test_no_damage_makes_the_next_boot_leave_the_area(void **state)
{
	static const char text[] = "the quick brown fox jumps over the lazy dog\n";

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		size_t size = 60 + (size_t)rand() % 800;
		struct persistent_ram_zone zone;
		u8 *area = calloc(1, size);

		boot(&zone, area, size);
		persistent_ram_zap(&zone);
		for (unsigned i = 0; i < 30; i++)
			persistent_ram_write(&zone, text, sizeof(text) - 1);
		for (unsigned bits = 0; bits < round % 60; bits++)
			area[rand() % (round % 3 ? size : sizeof(struct persistent_ram_buffer))] ^=
				(u8)(1 << rand() % 8);
		boot(&zone, area, size);
		persistent_ram_free_old(&zone);
		persistent_ram_zap(&zone);
		persistent_ram_write(&zone, text, sizeof(text) - 1);
		free(area);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_boot_reads_the_end_of_what_was_written),
		cmocka_unit_test(test_an_area_that_is_too_small_is_refused),
		cmocka_unit_test(test_a_header_that_makes_no_sense_is_left_out),
		cmocka_unit_test(test_no_damage_makes_the_next_boot_leave_the_area),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
