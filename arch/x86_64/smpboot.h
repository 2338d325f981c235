/* Bringing up CPUs: what smpboot.c shares with its neighbours and with boot/trampoline.asm. */
#pragma once

#include "arch/percpu.h"
#include "kernel/compiler.h"

/* Fill in this CPU's cpu_data() and switch on what the boot CPU has. Interrupts off. */
void cpu_setup_features(void);
/* The APIC ID of each possible CPU. Constant after setup_per_cpu_areas(). */
extern u32 cpu_apic_ids[NR_CPUS];
/* Boot: low memory for the trampoline, before mem_init() has it; whether there is any. */
bool smp_reserve_trampoline(void);
