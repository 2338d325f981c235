/* GDT, TSS and IDT (Intel SDM 3A 3.4.5, 7.7, 6.14). */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/compiler.h"

/*
 * SYSCALL and SYSRET need this order (Intel SDM 3A 5.8.8): kernel data after kernel code; then
 * 32-bit user code, user data, 64-bit user code.
 */
#define __KERNEL_CS 0x10
#define __KERNEL_DS 0x18
#define __USER32_CS 0x23
#define __USER_DS   0x2b
#define __USER_CS   0x33
#define GDT_TSS     0x40 /* two entries */
#define GDT_CPU     0x78 /* its limit is the number of the CPU: for the vDSO; at Linux's place */
#define GDT_ENTRIES 16

/* Slots of the interrupt stack table. A gate with slot 0 stays on the current stack. */
enum ist_slot { IST_NONE, IST_NMI, IST_DF, IST_MC, IST_DB, NR_IST };

struct tss {
	u32 reserved0;
	u64 rsp0; /* the stack of an entry from ring 3; set by __switch_to */
	u64 rsp1;
	u64 rsp2; /* not of the CPU: arch/user/entry_syscall.asm keeps the program's rsp in it */
	u64 reserved1;
	u64 ist[7]; /* ist[0] is slot 1 */
	u64 reserved2;
	u16 reserved3;
	u16 io_bitmap; /* beyond the limit: no bitmap */
} __packed;

struct gdt {
	u64 entries[GDT_ENTRIES];
};

DECLARE_PER_CPU(struct gdt, cpu_gdt);
DECLARE_PER_CPU(struct tss, cpu_tss);

struct gate {
	u16 offset_low;
	u16 selector;
	u8 ist;
	u8 type;
	u16 offset_middle;
	u32 offset_high;
	u32 reserved;
};

extern struct gate idt_table[256];

struct ist_stacks {
	char *base[NR_IST - 1]; /* lowest byte; base[0] is slot 1 */
	size_t size;            /* of each stack, in bytes */
};

DECLARE_PER_CPU(struct ist_stacks, ist_stacks);

/*
 * Allocates interrupt stacks with guard pages for a CPU that has not started yet, or for the boot
 * CPU, which starts with smaller stacks in init data. 0 or -ENOMEM. Task context.
 */
int alloc_ist_stacks(unsigned cpu);
/*
 * Writes and loads this CPU's GDT and TSS, and loads the IDT register. Does not change the GS base.
 * Called once for each per-CPU area that the CPU begins to use. Interrupts off.
 */
void load_descriptors(void);
/* Boot: fills the IDT that all CPUs share. */
void idt_init(void);
/* Boot: makes the IDT read-only. Called when the final page tables are in use. */
void idt_protect(void);
