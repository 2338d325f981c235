/* More than one CPU: bring-up and calls on other CPUs. */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/cpumask.h"

/* Boot: counts the CPUs of the MADT and makes their per-CPU areas; then starts them in parallel. */
void setup_per_cpu_areas(void);
void smp_init(void);
/* Part of setup_per_cpu_areas(): allocates the records for calls. */
void smp_call_init(void);

/*
 * Runs func(info) on one CPU, on the other CPUs of a mask, on all other CPUs, or on all CPUs, in
 * interrupt context with interrupts off. wait: returns when it has ended everywhere. The caller has
 * interrupts on, except for smp_call_function_single() without wait. 0; -ENXIO: the CPU is offline;
 * -EBUSY: interrupts are off, and that CPU has not yet run the last call of this CPU.
 */
typedef void (*smp_call_func_t)(void *info);
int smp_call_function_single(unsigned cpu, smp_call_func_t func, void *info, bool wait);
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func, void *info,
			    bool wait);
void smp_call_function(smp_call_func_t func, void *info, bool wait);
void on_each_cpu(smp_call_func_t func, void *info, bool wait);
/*
 * Interrupts the CPU, so that it looks at its need_resched, which the caller has set. Any context.
 */
void smp_send_reschedule(unsigned cpu);
/*
 * Stops the other CPUs by NMI, one after another; the first call does. backtrace: each prints its
 * backtrace before it halts. Interrupts off.
 */
void smp_stop_other_cpus(bool backtrace);
/* Makes a CPU print its registers and backtrace, by NMI, and waits for that. */
void smp_backtrace_cpu(unsigned cpu);
/*
 * Serves the requests of the two functions above, and returns whether there was one. Called by the
 * NMI handler, and where NMIs may be blocked.
 */
struct pt_regs;
bool smp_handle_nmi(struct pt_regs *regs);
/* The handler of the call-function IPI: runs the calls queued for this CPU. Interrupts off. */
void generic_smp_call_function_interrupt(void);
