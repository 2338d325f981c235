/* What start_kernel() asks of the machine, in the order of the boot. */
#pragma once

/*
 * Boot CPU, first of all: read CPUID, load GDT, TSS, IDT, switch on SMEP, SMAP and UMIP. From here
 * on an exception is reported instead of resetting the machine. Interrupts stay off.
 */
void cpu_init(void);
/*
 * After memblock_init(): replace the boot page tables by the final ones (docs/memory-map.md). The
 * pointers of memblock_alloc() may be written from here on.
 */
void paging_init(void);
/*
 * Read the firmware's tables: CPUs and I/O APICs for the next steps, FADT, HPET. Masks the 8259s,
 * sets up the boot CPU's local APIC.
 */
void acpi_init(void);
/* After time_init(): set up the I/O APICs and the boot CPU's timer. */
void apic_init(void);
