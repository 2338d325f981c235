/* The end: oops (a task dies) and panic (the machine stops). */
#pragma once

#include "kernel/atomic.h"

struct pt_regs;

/*
 * Report, stop all other CPUs (each prints its backtrace), leave QEMU with status 33 (panic=0:
 * halt). Any context.
 */
__printf(1, 2) void __noreturn panic(const char *fmt, ...);
/*
 * A fault in kernel code: print all there is to know, then end the task if it held no lock and was
 * in no interrupt, else panic. Called by trap handlers, returns never.
 */
void __noreturn die(const char *what, struct pt_regs *regs, long error_code);
/* Of the trace room (ftrace_dump_on_oops), NULL while it wants nothing: called in a report, once,
 * interrupts off. */
extern void (*oops_dump_hook)(void);
/*
 * Of the trace room, each NULL while it wants nothing; regs are where it faulted.
 * enter: an exception has begun that will be an oops, and nothing that can be traced has been
 * called yet. Interrupts off, any context.
 * release: in the report. What tracing held around a callback (preemption, guards) is given back,
 * as far as that is its own; why nevertheless more than the task has to end, or NULL.
 * task: in the task that ends, after the report.
 */
extern void (*oops_enter_hook)(struct pt_regs *regs);
extern const char *(*oops_release_hook)(struct pt_regs *regs);
extern void (*oops_task_hook)(struct pt_regs *regs);
extern int panic_timeout; /* panic=: 0 halts, anything else leaves QEMU at once */
extern int panic_on_oops;
extern atomic_t panic_cpu; /* the CPU that panics, or -1 */
/* Power off (ACPI S5), reset, or leave QEMU through isa-debug-exit with a status. Any context. */
void __noreturn machine_power_off(void);
void __noreturn machine_restart(void);
void qemu_debug_exit(u8 value);
