/*
 * ACPI tables: the parser reads valid parts, and reports and ignores invalid parts.
 * sources: kernel/acpi/tables.c kernel/acpi/aml_s5.c
 */
#include "test.h"

#include "kernel/acpi/acpi.h"

#define MEMORY_SIZE 0x4000
#define RSDT	    0x100
#define XSDT	    0x200
#define MADT	    0x400
#define FADT	    0x800
#define DSDT	    0xc00
#define HPET	    0x1000
#define HEADER	    36

/* Physical memory. rsdp is separate, because boot_info has a copy of it. */
static u8 memory[MEMORY_SIZE];
static u8 rsdp[36];

static const void *read_memory(phys_addr_t phys, size_t size)
{
	return phys < MEMORY_SIZE && size <= MEMORY_SIZE - phys ? memory + phys : NULL;
}

static void put(u8 *at, u64 value, size_t bytes)
{
	memcpy(at, &value, bytes);
}

static u8 sum(const u8 *bytes, size_t size)
{
	u8 s = 0;

	while (size--)
		s = (u8)(s + *bytes++);
	return s;
}

/* Sets the signature, length and checksum of the table at phys. */
static void finish_table(u32 phys, const char *signature, u32 length)
{
	u8 *t = memory + phys;

	memcpy(t, signature, 4);
	put(t + 4, length, 4);
	t[9] = 0;
	t[9] = (u8)-sum(t, length);
}

static void finish_rsdp(u8 revision)
{
	memcpy(rsdp, "RSD PTR ", 8);
	memcpy(rsdp + 9, "NOP5OE", 6);
	rsdp[15] = revision;
	put(rsdp + 16, RSDT, 4);
	put(rsdp + 20, sizeof(rsdp), 4);
	put(rsdp + 24, revision >= 2 ? XSDT : 0, 8);
	rsdp[8] = 0;
	rsdp[8] = (u8)-sum(rsdp, 20);
	rsdp[32] = 0;
	rsdp[32] = (u8)-sum(rsdp, 36);
}

static u32 madt_end;

static void madt_add(const void *entry, u8 length)
{
	memcpy(memory + MADT + madt_end, entry, length);
	madt_end += length;
	finish_table(MADT, "APIC", madt_end);
}

static void madt_add_cpu(u8 apic_id, u8 flags)
{
	madt_add((u8[]){ 0, 8, apic_id, apic_id, flags, 0, 0, 0 }, 8);
}

static const u8 s5_aml[] = { 0x08, '_', 'S', '5', '_', 0x12, 0x06, 0x04, 0x0a, 0x05, 0x0a, 0x06, 0x00 };

static int setup(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	memset(rsdp, 0, sizeof(rsdp));

	put(memory + MADT + 36, 0xfee00000, 4);
	madt_end = 44;
	finish_table(MADT, "APIC", madt_end);

	put(memory + FADT + 40, DSDT, 4);
	put(memory + FADT + 64, 0x604, 4);
	finish_table(FADT, "FACP", 116);
	memcpy(memory + DSDT + HEADER, s5_aml, sizeof(s5_aml));
	finish_table(DSDT, "DSDT", HEADER + sizeof(s5_aml));

	put(memory + HPET + 44, 0xfed00000, 8);
	finish_table(HPET, "HPET", 56);

	put(memory + RSDT + HEADER, MADT, 4);
	put(memory + RSDT + HEADER + 4, FADT, 4);
	finish_table(RSDT, "RSDT", HEADER + 8);
	put(memory + XSDT + HEADER, MADT, 8);
	put(memory + XSDT + HEADER + 8, FADT, 8);
	put(memory + XSDT + HEADER + 16, HPET, 8);
	finish_table(XSDT, "XSDT", HEADER + 24);
	finish_rsdp(2);
	return 0;
}

static struct acpi_info parse(void)
{
	struct acpi_info info = { 0 };

	acpi_parse(&info, rsdp, sizeof(rsdp), read_memory);
	return info;
}

static void test_sound_tables_are_read_through_the_xsdt(void **state)
{
	struct acpi_info info;

	(void)state;
	madt_add_cpu(0, 1);
	madt_add_cpu(3, 1);
	madt_add_cpu(5, 0);
	info = parse();
	assert_true(info.found);
	assert_null(info.problem);
	assert_string_equal(info.oem_id, "NOP5OE");
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.apic_ids[1], 3);
	assert_int_equal(info.cpus_disabled, 1);
	assert_int_equal(info.local_apic_address, 0xfee00000);
	assert_int_equal(info.pm1a_control, 0x604);
	assert_true(info.have_s5);
	assert_int_equal(info.s5_type_a, 5);
	assert_int_equal(info.s5_type_b, 6);
	assert_int_equal(info.hpet_address, 0xfed00000);
}

static void test_old_root_pointer_leads_to_the_rsdt(void **state)
{
	struct acpi_info info;

	(void)state;
	finish_rsdp(0);
	info = parse();
	assert_true(info.found);
	assert_true(info.have_madt);
	assert_true(info.have_fadt);
	assert_false(info.have_hpet);
}

static void test_wrong_xsdt_falls_back_to_the_rsdt(void **state)
{
	struct acpi_info info;

	(void)state;
	memory[XSDT + 9]++;
	info = parse();
	assert_true(info.found);
	assert_true(info.have_madt);
	assert_non_null(info.problem);
}

static void test_root_pointer_that_is_not_sound_gives_nothing(void **state)
{
	struct acpi_info info = { 0 };

	(void)state;
	rsdp[8]++;
	info = parse();
	assert_false(info.found);
	assert_int_equal(info.problem_count, 1);
	memset(&info, 0, sizeof(info));
	acpi_parse(&info, rsdp, 0, read_memory);
	assert_false(info.found);
	assert_int_equal(info.isa[4].gsi, 4);
}

static void test_table_with_a_wrong_checksum_is_left_out(void **state)
{
	struct acpi_info info;

	(void)state;
	memory[MADT + 9]++;
	info = parse();
	assert_false(info.have_madt);
	assert_true(info.have_fadt);
	assert_string_equal(info.problem, "a table's checksum is wrong");
}

static void test_length_beyond_memory_is_not_followed(void **state)
{
	(void)state;
	put(memory + MADT + 4, MEMORY_SIZE, 4);
	assert_string_equal(parse().problem, "a table reaches beyond readable memory");
	put(memory + MADT + 4, 0xffffffff, 4);
	assert_string_equal(parse().problem, "a table's length makes no sense");
	put(memory + MADT + 4, 35, 4);
	assert_string_equal(parse().problem, "a table's length makes no sense");
}

static void test_madt_entries_that_do_not_fit_end_it(void **state)
{
	struct acpi_info info;

	(void)state;
	madt_add_cpu(0, 1);
	madt_add((u8[]){ 0, 0 }, 2); /* with length 0 a loop would never end */
	madt_add_cpu(1, 1);
	info = parse();
	assert_int_equal(info.cpu_count, 1);
	assert_non_null(info.problem);
}

static void test_short_madt_entry_is_left_out(void **state)
{
	struct acpi_info info;

	(void)state;
	madt_add((u8[]){ 1, 4, 0, 0 }, 4); /* an I/O APIC takes 12 bytes */
	madt_add_cpu(0, 1);
	info = parse();
	assert_int_equal(info.io_apic_count, 0);
	assert_int_equal(info.cpu_count, 1);
	assert_non_null(info.problem);
}

static void test_apic_id_named_twice_is_one_cpu(void **state)
{
	struct acpi_info info;

	(void)state;
	madt_add_cpu(2, 1);
	madt_add_cpu(2, 1);
	info = parse();
	assert_int_equal(info.cpu_count, 1);
	assert_non_null(info.problem);
}

static void test_more_cpus_than_fit_are_counted(void **state)
{
	struct acpi_info info;

	(void)state;
	memmove(memory + 0x2000, memory + MADT, 44);
	put(memory + XSDT + HEADER, 0x2000, 8);
	finish_table(XSDT, "XSDT", HEADER + 24);
	for (u32 i = 0; i < 260; i++) {
		u8 *e = memory + 0x2000 + 44 + i * 16;

		e[0] = 9; /* local x2APIC */
		e[1] = 16;
		put(e + 4, i, 4);
		put(e + 8, 1, 4);
	}
	finish_table(0x2000, "APIC", 44 + 260 * 16);
	info = parse();
	assert_int_equal(info.cpu_count, NR_CPUS - 1);
	assert_int_equal(info.cpus_dropped, 260 - (NR_CPUS - 1));
}

static void test_interrupt_overrides_are_taken(void **state)
{
	struct acpi_info info;

	(void)state;
	madt_add((u8[]){ 2, 10, 0, 0, 2, 0, 0, 0, 0, 0 }, 10);
	madt_add((u8[]){ 2, 10, 0, 9, 9, 0, 0, 0, 0x0f, 0 }, 10);
	madt_add((u8[]){ 2, 10, 0, 16, 1, 0, 0, 0, 0, 0 }, 10);
	info = parse();
	assert_int_equal(info.isa[0].gsi, 2);
	assert_false(info.isa[0].active_low);
	assert_true(info.isa[9].active_low && info.isa[9].level);
	assert_int_equal(info.isa[1].gsi, 1);
	assert_int_equal(info.problem_count, 1);
}

static void test_s5_is_found_behind_a_root_prefix_and_in_plain_numbers(void **state)
{
	static const u8 prefixed[] = { 0x08, '\\', '_', 'S', '5', '_', 0x12, 0x46, 0x00, 0x02, 0x00, 0x01 };
	static const u8 mentioned[] = { 0x70, '_', 'S', '5', '_', 0x12, 0x06, 0x02, 0x0a, 0x05, 0x0a, 0x05 };
	u8 a = 9, b = 9;

	(void)state;
	assert_true(acpi_find_s5(prefixed, sizeof(prefixed), &a, &b));
	assert_int_equal(a, 0);
	assert_int_equal(b, 1);
	assert_false(acpi_find_s5(mentioned, sizeof(mentioned), &a, &b));
}

static void test_s5_that_is_cut_off_is_not_found(void **state)
{
	u8 a, b;

	(void)state;
	for (size_t size = 0; size < 10; size++) {
		u8 *copy = test_malloc(size + 1); /* ASan detects a read beyond the end */

		memcpy(copy + 1, s5_aml, size);
		assert_false(acpi_find_s5(copy + 1, size, &a, &b));
		test_free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sound_tables_are_read_through_the_xsdt, setup),
		cmocka_unit_test_setup(test_old_root_pointer_leads_to_the_rsdt, setup),
		cmocka_unit_test_setup(test_wrong_xsdt_falls_back_to_the_rsdt, setup),
		cmocka_unit_test_setup(test_root_pointer_that_is_not_sound_gives_nothing, setup),
		cmocka_unit_test_setup(test_table_with_a_wrong_checksum_is_left_out, setup),
		cmocka_unit_test_setup(test_length_beyond_memory_is_not_followed, setup),
		cmocka_unit_test_setup(test_madt_entries_that_do_not_fit_end_it, setup),
		cmocka_unit_test_setup(test_short_madt_entry_is_left_out, setup),
		cmocka_unit_test_setup(test_apic_id_named_twice_is_one_cpu, setup),
		cmocka_unit_test_setup(test_more_cpus_than_fit_are_counted, setup),
		cmocka_unit_test_setup(test_interrupt_overrides_are_taken, setup),
		cmocka_unit_test_setup(test_s5_is_found_behind_a_root_prefix_and_in_plain_numbers, setup),
		cmocka_unit_test_setup(test_s5_that_is_cut_off_is_not_found, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
