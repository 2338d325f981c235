/* The interface between interrupt vectors of the machine and interrupt numbers of kernel/irq. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/jump_label.h"

/*
 * Unmasks or masks an ISA interrupt, which goes to the boot CPU. 0 or -ENODEV. Any context but NMI.
 */
int arch_enable_irq(unsigned irq);
/* Runs the handler of a device interrupt. Implemented by kernel/irq/irq.c. Hardirq context. */
void handle_device_irq(unsigned irq);
/* Boot, after time_init(): sets up the I/O APICs and the boot CPU's timer. */
void apic_init(void);

/*
 * Hooks of the trace room: a handler begins (true), or has ended. irq: of any interrupt vector, in
 * hardirq context, interrupts off; nmi: in NMI context. The calls are static branches, on while the
 * key is on. While it changes, one of the two calls may be missing.
 */
struct interrupt_hooks {
	void (*irq)(unsigned vector, bool entry);
	void (*nmi)(bool entry);
};
extern struct interrupt_hooks interrupt_hooks; /* constant before the key is first on */
DECLARE_STATIC_KEY_FALSE(interrupt_hooks_key);
/*
 * Returns the name of the interrupt behind a vector, as events/irq_vectors/ has it, or that of the
 * device. *number: the vector, or the number of the device's interrupt. Any context.
 */
const char *interrupt_name(unsigned vector, int *number);
