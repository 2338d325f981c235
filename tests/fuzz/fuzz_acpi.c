/*
 * ACPI tables: any bytes give a valid acpi_info. The input is the root pointer, then memory from
 * MEMORY_BASE on. The fuzzer corrects checksums, because else no input would pass them.
 * sources: kernel/acpi/tables.c kernel/acpi/aml_s5.c
 */
#include "check.h"
#include "kernel/acpi/acpi.h"
#include "memory.h"

#define RSDP_SIZE   36
#define HEADER_SIZE 36 /* bytes */
#define CHECKSUM    9  /* offset of the checksum in a header */

static void put_checksum_right(uint8_t *bytes, size_t size, size_t at)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	bytes[at] -= sum;
}

static const void *read_table(phys_addr_t phys, size_t size)
{
	uint8_t *copy = memory_read(phys, size);

	if (copy && size >= HEADER_SIZE)
		put_checksum_right(copy, size, CHECKSUM);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct acpi_info *info = calloc(1, sizeof(*info));
	uint8_t rsdp[RSDP_SIZE], type_a, type_b;

	if (!info)
		abort();
	acpi_find_s5(data, size, &type_a, &type_b);
	if (size >= RSDP_SIZE) {
		memcpy(rsdp, data, RSDP_SIZE);
		put_checksum_right(rsdp, 20, 8);
		put_checksum_right(rsdp, 36, 32);
		memory_set(data + RSDP_SIZE, size - RSDP_SIZE);
		acpi_parse(info, rsdp, size & 1 ? 20 : 36, read_table);
		CHECK(info->cpu_count <= NR_CPUS);
		CHECK(info->io_apic_count <= ACPI_MAX_IO_APICS);
		CHECK(!info->problem == !info->problem_count);
		memory_free();
	}
	free(info);
	return 0;
}
