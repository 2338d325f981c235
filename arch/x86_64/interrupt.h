/* Between the vectors of the machine and the interrupt numbers of kernel/irq. */
#pragma once

#include "kernel/compiler.h"

/* Routes an ISA interrupt to the boot CPU. 0, -ENODEV. Any context but NMI. */
int arch_enable_irq(unsigned irq);
/* kernel/irq/irq.c: run the handler of a device interrupt that arrived. Hardirq context. */
void handle_device_irq(unsigned irq);
/* Boot, after time_init(): sets up the I/O APICs and the boot CPU's timer. */
void apic_init(void);
