/* GDT, TSS and IDT (Intel SDM 3A 3.4.5, 7.7, 6.14). */
#pragma once

#include "arch/percpu.h"
#include "kernel/compiler.h"

/*
 * The order is that of SYSCALL and SYSRET (Intel SDM 3A 5.8.8): kernel data behind kernel code;
 * 32-bit user code, user data, 64-bit user code.
 */
#define __KERNEL_CS 0x10
#define __KERNEL_DS 0x18
#define __USER32_CS 0x23
#define __USER_DS   0x2b
#define __USER_CS   0x33
#define GDT_TSS     0x40 /* two entries */
#define GDT_ENTRIES 10

/* Interrupt stack table slots, as the gates name them: 0 is "stay on this stack". */
enum ist_slot { IST_NONE, IST_NMI, IST_DF, IST_MC, NR_IST };

struct tss {
	u32 reserved0;
	u64 rsp0; /* the stack that an entry from ring 3 starts on; set by __switch_to */
	u64 rsp1, rsp2;
	u64 reserved1;
	u64 ist[7]; /* slot 1 first */
	u64 reserved2;
	u16 reserved3;
	u16 io_bitmap; /* past the limit: no bitmap */
} __packed;

struct ist_stacks {
	char *base[NR_IST - 1]; /* lowest byte; slot 1 first */
	size_t size;            /* of each, in bytes */
};

DECLARE_PER_CPU(struct ist_stacks, ist_stacks);

/*
 * Give a CPU stacks with guard pages for its interrupt stack table: one that has not started yet,
 * or the boot CPU, which begins on smaller ones among the init data. 0 or -ENOMEM. Task context.
 */
int alloc_ist_stacks(unsigned cpu);
/*
 * Write and load this CPU's GDT, TSS and IDT register. GS base is set and stays. Once for each
 * per-CPU area that comes to life on the CPU. Interrupts off.
 */
void load_descriptors(void);
/* Boot: fill the IDT that all CPUs share. */
void idt_init(void);
/* Once its page tables are final: nobody writes the IDT any more. */
void idt_protect(void);
