/* More than one CPU: bring-up and calls on other CPUs. */
#pragma once

#include "arch/percpu.h"
#include "kernel/cpumask.h"

/* Boot: count the CPUs of the MADT and give each its per-CPU area; then start them in parallel. */
void setup_per_cpu_areas(void);
void smp_init(void);
/* The part of setup_per_cpu_areas() that is the calls' own. */
void smp_call_init(void);

/*
 * Run func(info) on another CPU, on all others, or on all, in interrupt context with interrupts
 * off; with wait, return when it has. The caller has interrupts on, but for
 * smp_call_function_single() without wait. 0; -ENXIO when offline; -EBUSY when interrupts are off
 * and this CPU's last call there still waits to be run.
 */
typedef void (*smp_call_func_t)(void *info);
int smp_call_function_single(unsigned cpu, smp_call_func_t func, void *info, bool wait);
void smp_call_function(smp_call_func_t func, void *info, bool wait);
void on_each_cpu(smp_call_func_t func, void *info, bool wait);
/*
 * Make the target CPU pass through its interrupt return (need-resched set by the caller). Any
 * context.
 */
void smp_send_reschedule(unsigned cpu);
/* NMI the other CPUs one after another; each prints its backtrace if asked, and halts. Interrupts
 * off. */
void smp_stop_other_cpus(bool backtrace);
/* Ask one CPU by NMI to print its registers and backtrace; waits for it. */
void smp_backtrace_cpu(unsigned cpu);
/* In the NMI handler, or where NMIs may be blocked: do what those two asked of this CPU. */
struct pt_regs;
void smp_handle_nmi(struct pt_regs *regs);
/*
 * The interrupt handler of the call-function IPI: run what is queued for this CPU. Interrupts off.
 */
void generic_smp_call_function_interrupt(void);
