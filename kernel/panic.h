/* Oops (ends a task) and panic (stops the machine). */
#pragma once

#include "kernel/atomic.h"
#include "kernel/linker_table.h"

struct pt_regs;

/*
 * Reports, stops all other CPUs (each prints its backtrace), and makes QEMU exit with status 33.
 * panic=0: halts instead. Any context.
 */
__printf(1, 2) void __noreturn panic(const char *fmt, ...);
/*
 * Stops the boot as a panic does, with one line on the console instead of a report: "nop5 needs …".
 * The machine lacks it, and nothing is wrong. Boot CPU.
 */
__printf(1, 2) void __noreturn boot_refuse(const char *fmt, ...);
/*
 * Handles a fault in kernel code: reports it, then ends the task. If the task holds a lock, or the
 * fault is in an interrupt, it panics. Called by trap handlers. Never returns.
 */
void __noreturn die(const char *what, struct pt_regs *regs, long error_code);
/*
 * A function that is called before the report of a panic, or of an oops that will be one: it stops
 * what the report would overwrite. Any context from the start of the boot on, perhaps twice; it
 * takes no lock.
 */
typedef void (*panic_enter_t)(void);
#define PANIC_ENTER(fn)                                                                            \
	static const panic_enter_t panic_enter_##fn LINKER_TABLE_ENTRY(rodata, panic_enters, "") = \
		fn
/*
 * Set by trace/ for ftrace_dump_on_oops, else NULL. Called once, in the report, with interrupts
 * off.
 */
extern void (*oops_dump_hook)(void);
extern void (*warning_hook)(void); /* set by trace/, else NULL: a warning begins. Any context. */
/*
 * Hooks that trace/ sets, else NULL. regs are the registers at the fault.
 * enter: called when an exception begins that will become an oops, before any function that can be
 * traced. Interrupts off, any context.
 * release: called in the report. If tracing held something around a callback (preemption, guards),
 * it releases what it took itself. Returns the reason why more than the task must end, or NULL.
 * task: called in the task that ends, after the report.
 */
extern void (*oops_enter_hook)(struct pt_regs *regs);
extern const char *(*oops_release_hook)(struct pt_regs *regs);
extern void (*oops_task_hook)(struct pt_regs *regs);
/* panic=: 0 halts, N restarts after N seconds, a negative number makes QEMU exit */
extern int panic_timeout;
extern int panic_on_oops;
extern atomic_t panic_cpu; /* the CPU that panics, or -1 */
/*
 * Power off (ACPI S5), reset, halt all CPUs, or make QEMU exit through isa-debug-exit. Any context.
 */
void __noreturn machine_power_off(void);
void __noreturn machine_restart(void);
void __noreturn machine_halt(void);
/*
 * Resets by an exception without a handler: the handler of the missing handler is missing too
 * (Intel SDM 3A 6.15, "Interrupt 8"). Any context.
 */
void __noreturn machine_triple_fault(void);
void qemu_debug_exit(u8 value);
