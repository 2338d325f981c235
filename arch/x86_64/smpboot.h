/* Bringing up CPUs: between cpuinfo.c, smpboot.c and apic.c. */
#pragma once

#include "arch/x86_64/percpu.h"
#include "kernel/compiler.h"

/* Fill in this CPU's cpu_data() and switch on what the boot CPU has. Interrupts off. */
void cpu_setup_features(void);
/* The APIC ID of each possible CPU; known to boot/trampoline.asm. Constant after setup_per_cpu_areas(). */
extern u32 cpu_apic_ids[NR_CPUS];
