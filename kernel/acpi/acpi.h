/*
 * ACPI tables (ACPI specification 6.4, chapters 5 and 15): found, checked, and read once at boot.
 *
 * The parsers are pure functions of the bytes that read() gives, and believe none of them: lengths,
 * checksums and counts are tested, nonsense is reported through `problem` and left out.
 */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/types.h"

/* size bytes of physical memory at phys, or NULL; stays valid. */
typedef const void *(*acpi_read_fn)(phys_addr_t phys, size_t size);

#define ACPI_MAX_IO_APICS 8
#define ACPI_ISA_IRQS     16

struct acpi_io_apic {
	u32 id;
	phys_addr_t address;
	u32 gsi_base; /* global interrupt of its first pin */
};

struct acpi_isa_override {
	u32 gsi;
	bool active_low, level; /* as the I/O APIC wants it */
};

/* The result of acpi_parse(): what the kernel wants to know. */
struct acpi_info {
	bool found;          /* a root pointer and a root table that are sound */
	const char *problem; /* first nonsense met, or NULL */
	unsigned problem_count;
	char oem_id[7];

	bool have_madt;
	phys_addr_t local_apic_address;
	u32 apic_ids[NR_CPUS]; /* of enabled CPUs, in the MADT's order */
	unsigned cpu_count;
	unsigned cpus_disabled, cpus_dropped; /* not enabled; more than NR_CPUS - 1 */
	struct acpi_io_apic io_apics[ACPI_MAX_IO_APICS];
	unsigned io_apic_count;
	struct acpi_isa_override isa[ACPI_ISA_IRQS];

	bool have_fadt;
	u32 pm1a_control, pm1b_control; /* I/O ports, 0 when absent */
	u32 smi_command;
	u8 acpi_enable;
	bool reset_supported;
	u8 reset_space; /* 0 memory, 1 I/O port */
	u64 reset_address;
	u8 reset_value;
	bool have_s5; /* the DSDT or an SSDT tells how to switch off */
	u8 s5_type_a, s5_type_b;

	bool have_hpet;
	phys_addr_t hpet_address;
};

/* Fill *info, zeroed by the caller, from a copy of the root pointer of rsdp_size bytes. Pure. */
void acpi_parse(struct acpi_info *info, const void *rsdp, size_t rsdp_size, acpi_read_fn read);
/* Find the _S5_ package in a definition block's AML: true and the two sleep types. Pure. */
bool acpi_find_s5(const u8 *aml, size_t size, u8 *type_a, u8 *type_b);

#ifndef NOP5_HOST
extern struct acpi_info acpi_info; /* constant after acpi_init() */
/* Boot: fills acpi_info and reports what it holds. read: as for acpi_parse(). */
void acpi_init(acpi_read_fn read);
/* Switch off through the PM1 control registers; returns if that is not possible. Any context. */
void acpi_power_off(void);
/* Reset through the FADT's reset register; returns if that is not possible. Any context. */
void acpi_reset(void);
#endif
