/*
 * Start-up of the other CPUs: declarations that smpboot.c, its neighbours and boot/trampoline.asm
 * share.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/compiler.h"

/* Fills in this CPU's cpu_data() and enables the features that the boot CPU has. Interrupts off. */
void cpu_setup_features(void);
/* The APIC ID of each possible CPU. Constant after setup_per_cpu_areas(). */
extern u32 cpu_apic_ids[NR_CPUS];
/*
 * Boot, before mem_init(): reserves low memory for the trampoline. Returns false if no such memory
 * is free.
 */
bool smp_reserve_trampoline(void);
