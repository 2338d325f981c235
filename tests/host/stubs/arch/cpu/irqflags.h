/*
 * The host's irqflags.h. The interrupt flag is a variable, so that tests can check that it is
 * restored.
 */
#pragma once

#include <stdbool.h>

#include "arch/cpu/percpu.h"

DECLARE_PER_CPU(bool, host_irqs_off);

#define X86_EFLAGS_IF           (1UL << 9)
#define arch_local_save_flags() (host_irqs_off ? 0 : X86_EFLAGS_IF)

#define raw_local_irq_save    local_irq_save
#define raw_local_irq_restore local_irq_restore
#define local_irq_disable()      (host_irqs_off = true)
#define local_irq_enable()       (host_irqs_off = false)
#define irqs_disabled()          host_irqs_off
#define local_irq_save(flags)    ((flags) = host_irqs_off, host_irqs_off = true)
#define local_irq_restore(flags) (host_irqs_off = (flags))
