/*
 * ACPI tables (ACPI specification 6.4, chapters 5 and 15). The kernel finds, checks and reads them
 * once, at boot.
 *
 * The parsers depend only on the bytes from read(), and trust none of them. They check lengths,
 * checksums and counts. They ignore wrong parts, and report the first one through `problem`.
 */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/types.h"

/* Gives size bytes of physical memory at phys, or NULL. The pointer stays valid. */
typedef const void *(*acpi_read_fn)(phys_addr_t phys, size_t size);

#define ACPI_MAX_IO_APICS 8
#define ACPI_ISA_IRQS     16

struct acpi_io_apic {
	u32 id;
	phys_addr_t address;
	u32 gsi_base; /* the global interrupt number of its first pin */
};

struct acpi_isa_override {
	u32 gsi;
	bool active_low, level; /* for the I/O APIC */
};

/* The result of acpi_parse(). */
struct acpi_info {
	bool found;          /* the root pointer and the root table are valid */
	const char *problem; /* the first error, or NULL */
	unsigned problem_count;
	char oem_id[7];

	bool have_madt;
	phys_addr_t local_apic_address;
	u32 apic_ids[NR_CPUS]; /* of enabled CPUs, in the order of the MADT */
	unsigned cpu_count;
	unsigned cpus_disabled, cpus_dropped; /* not enabled; too many for NR_CPUS */
	struct acpi_io_apic io_apics[ACPI_MAX_IO_APICS];
	unsigned io_apic_count;
	struct acpi_isa_override isa[ACPI_ISA_IRQS];

	bool have_fadt;
	u32 pm1a_control, pm1b_control; /* I/O ports; 0: none */
	u32 smi_command;
	u8 acpi_enable;
	bool reset_supported;
	u8 reset_space; /* 0: memory, 1: I/O port */
	u64 reset_address;
	u8 reset_value;
	bool have_s5; /* the DSDT or an SSDT has _S5_, for powering off */
	u8 s5_type_a, s5_type_b;

	bool have_hpet;
	phys_addr_t hpet_address;
};

/*
 * Fills *info, zeroed by the caller. rsdp is a copy of the root pointer, of rsdp_size bytes. Pure.
 */
void acpi_parse(struct acpi_info *info, const void *rsdp, size_t rsdp_size, acpi_read_fn read);
/*
 * Finds the _S5_ package in the AML of a definition block, and gives the two sleep types. False:
 * not found. Pure.
 */
bool acpi_find_s5(const u8 *aml, size_t size, u8 *type_a, u8 *type_b);

#ifndef NOP5_HOST
extern struct acpi_info acpi_info; /* constant after acpi_init() */
/* Boot: fills acpi_info, and prints a summary. read: as for acpi_parse(). */
void acpi_init(acpi_read_fn read);
/* Powers off through the PM1 control registers. Returns if that is not possible. Any context. */
void acpi_power_off(void);
/* Resets through the reset register of the FADT. Returns if that is not possible. Any context. */
void acpi_reset(void);
#endif
