/* Interrupt vectors, handlers and counts. */
#pragma once

#include "kernel/compiler.h"

struct pt_regs;
struct seq_file;

/* A device handler. Returns true if its device has caused the interrupt. Hardirq context. */
typedef bool (*irq_handler_t)(int irq, void *dev);

/* What a device interrupt does. Tools read the name by BTF from the events irq_handler_*. */
struct irqaction {
	irq_handler_t handler; /* [irq_lock] to write, after name and dev; NULL when free */
	const char *name;      /* [irq_lock] */
	void *dev;             /* [irq_lock] */
};

/*
 * Sets the handler of an ISA interrupt (0..15), and routes the interrupt to the boot CPU. 0,
 * -EBUSY, -EINVAL, -ENODEV.
 */
int request_irq(unsigned irq, irq_handler_t handler, const char *name, void *dev);

/*
 * Entry to and exit from hardirq context (preempt_count, accounting), in softirq.c. irq_exit() runs
 * pending softirqs.
 */
void irq_enter(void);
void irq_exit(void);

/* Per-CPU counters by kind, in the order of /proc/interrupts. */
enum irq_stat {
	IRQ_STAT_NMI, /* NMI: Non-maskable interrupts */
	IRQ_STAT_LOC, /* LOC: Local timer interrupts */
	IRQ_STAT_SPU, /* SPU: Spurious interrupts */
	IRQ_STAT_IWI, /* IWI: IRQ work interrupts */
	IRQ_STAT_RES, /* RES: Rescheduling interrupts */
	IRQ_STAT_CAL, /* CAL: Function call interrupts */
	IRQ_STAT_TLB, /* TLB: TLB shootdowns */
	IRQ_STAT_TXT, /* TXT: Text-sync interrupts (live patching) */
	IRQ_STAT_ERR, /* ERR: unknown vectors */
	IRQ_STAT_COUNT
};
void irq_stat_inc(enum irq_stat kind);
u64 irq_stat_read(enum irq_stat kind, unsigned cpu);
/* { "NMI", "Non-maskable interrupts" } */
extern const char *const irq_stat_names[IRQ_STAT_COUNT][2];
/* The device interrupts, for /proc/interrupts. The name is NULL when irq is free. */
const char *irq_device_name(unsigned irq);
u64 irq_device_count(unsigned irq, unsigned cpu);
#define NR_ISA_IRQS 16
