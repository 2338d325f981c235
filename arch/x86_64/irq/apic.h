/* The local APIC (Intel SDM 3A 10): xAPIC through memory, x2APIC through MSRs if the CPU has it. */
#pragma once

#include "kernel/compiler.h"

/* Offsets of registers in the xAPIC page. The MSR in x2APIC mode is 0x800 + offset / 16. */
#define APIC_ID      0x20
#define APIC_LVR     0x30
#define APIC_TPR     0x80
#define APIC_EOI     0xb0
#define APIC_SPIV    0xf0
#define APIC_ISR     0x100
#define APIC_ESR     0x280
#define APIC_LVTCMCI 0x2f0
#define APIC_ICR     0x300
#define APIC_ICR2    0x310
#define APIC_LVTT    0x320
#define APIC_LVTTHMR 0x330
#define APIC_LVTPC   0x340
#define APIC_LVT0    0x350
#define APIC_LVT1    0x360
#define APIC_LVTERR  0x370
#define APIC_TMICT   0x380
#define APIC_TMCCT   0x390
#define APIC_TDCR    0x3e0

#define APIC_DM_FIXED         0x000
#define APIC_DM_NMI           0x400
#define APIC_DM_INIT          0x500
#define APIC_DM_STARTUP       0x600
#define APIC_LEVEL_ASSERT     0x4000
#define APIC_ICR_BUSY         0x1000
#define APIC_DEST_SELF        0x40000
#define APIC_LVT_MASKED       0x10000
#define APIC_LVT_TSC_DEADLINE 0x40000
#define APIC_SPIV_ENABLE      0x100
#define APIC_TDR_DIV_16       0x3

extern bool x2apic_mode; /* constant once acpi_init() is done */

u32 apic_read(u32 reg);
void apic_write(u32 reg, u32 value);
/* Signals the end of an interrupt. Interrupts off. */
void apic_eoi(void);
/* Returns this CPU's APIC ID. */
u32 apic_read_id(void);
/* Returns whether vector is in service on this CPU. */
bool apic_vector_in_service(unsigned vector);
/* Sends an IPI to one APIC ID. The command is APIC_DM_* | vector. Any context. */
void apic_send_ipi(u32 apic_id, u32 mode_and_vector);

/* Sends a fixed interrupt to this CPU. Only after local_apic_map(). Any context. Not traceable. */
void apic_send_self(unsigned vector);

/*
 * Boot: chooses the mode, and maps the registers in xAPIC mode. Panics on a CPU without a local
 * APIC.
 */
void local_apic_map(void);
/* Returns the physical address of the CPU's xAPIC registers. */
phys_addr_t local_apic_address(void);
/* Enables this CPU's local APIC and masks all LVT entries except the NMI pin. Interrupts off. */
void local_apic_setup(void);
/* Returns false before local_apic_map(). */
bool local_apic_present(void);

/* Sets up the one-shot timer of this CPU. kernel/time/ktime.h programs events. */
void local_apic_timer_setup(void);
/*
 * Boot: starts to count, and later measures the rate of the counter against ktime. The more time
 * between the two calls, the more exact. Returns the rate in kHz.
 */
void local_apic_timer_start_count(void);
u64 local_apic_timer_calibrate(void);

/* Boot: maps the I/O APICs that the MADT names and masks all their pins. */
void io_apic_init(void);
/* Boot, before local_apic_map(): moves the 8259s to PIC_VECTOR_BASE and masks them. */
void pic_disable(void);
