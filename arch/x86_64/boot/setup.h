/*
 * The steps of the boot that each machine does in its own way: start_kernel() calls them in order.
 */
#pragma once

/*
 * Boot CPU, before anything else: makes the CPU report exceptions instead of resetting the machine.
 * Interrupts stay off. x86_64: reads CPUID, loads GDT, TSS and IDT, switches on SMEP, SMAP and
 * UMIP.
 */
void arch_cpu_init(void);
/*
 * After memblock_init(): replaces the boot page tables by the final ones (docs/memory-map.md). From
 * here on the memory of memblock_alloc() may be written.
 */
void arch_paging_init(void);
/*
 * Reads the firmware's description of the machine, and prepares the boot CPU's interrupt
 * controller. x86_64: the ACPI tables (CPUs, I/O APICs, FADT, HPET), the 8259s, the local APIC.
 */
void arch_firmware_init(void);
/* After time_init(): sets up device interrupts and the boot CPU's timer. */
void arch_irq_init(void);
