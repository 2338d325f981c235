/* The interface between interrupt vectors of the machine and interrupt numbers of kernel/irq. */
#pragma once

#include "kernel/compiler.h"

/*
 * Unmasks or masks an ISA interrupt, which goes to the boot CPU. 0 or -ENODEV. Any context but NMI.
 */
int arch_enable_irq(unsigned irq);
/* Runs the handler of a device interrupt. Implemented by kernel/irq/irq.c. Hardirq context. */
void handle_device_irq(unsigned irq);
/* Boot, after time_init(): sets up the I/O APICs and the boot CPU's timer. */
void apic_init(void);
