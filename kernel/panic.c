/* Oops and panic: report everything that is known, then end the task or stop the machine. */
#include "kernel/panic.h"

#include "arch/time/clock.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/printk/kmsg_dump.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define QEMU_EXIT_PANIC 16 /* QEMU exits with status 2 * value + 1 = 33 */

int panic_timeout = -1;
int panic_on_oops = 1;
atomic_t panic_cpu = ATOMIC_INIT(-1);

void (*oops_dump_hook)(void);
void (*warning_hook)(void);
void (*oops_enter_hook)(struct pt_regs *regs);
const char *(*oops_release_hook)(struct pt_regs *regs);
void (*oops_task_hook)(struct pt_regs *regs);

DEFINE_LINKER_TABLE(rodata, const panic_enter_t, panic_enters);
DEFINE_LINKER_TABLE(rodata, const kmsg_dumper_t, kmsg_dumpers);

static atomic_t die_cpu = ATOMIC_INIT(-1); /* the CPU that reports an oops now, or -1 */
static unsigned die_depth;                 /* [die_cpu] 2: an oops in the report of an oops */
static unsigned die_count;                 /* [die_cpu] */

/*
 * panic=0: a panic halts, and an oops ends only its task. panic=N restarts the machine N seconds
 * after a panic.
 */
static int __init panic_setup(const char *value)
{
	int error = value ? kstrtoint(value, 10, &panic_timeout) : -EINVAL;

	if (!error && panic_timeout == 0)
		panic_on_oops = 0;
	return error;
}
__setup("panic", panic_setup);

static void __noreturn halt_forever(void)
{
	for (;;) {
		local_irq_disable();
		halt();
	}
}

/* Dumps the trace, once: it may be long, and the dump itself may fault. */
static void oops_dump(void)
{
	void (*dump)(void) = xchg(&oops_dump_hook, NULL);

	if (dump)
		dump();
}

static void panic_entered(void)
{
	for_each_linker_table_entry (enter, panic_enters)
		(*enter)();
}

void kmsg_dump(enum kmsg_dump_reason reason)
{
	for_each_linker_table_entry (dump, kmsg_dumpers)
		(*dump)(reason);
}

/* Waits without the timer interrupt. */
static void panic_wait(u64 ns)
{
	u64 end = arch_ktime() + ns;

	while (arch_ktime() < end)
		cpu_relax();
}

static void __noreturn panic_end(void)
{
	if (panic_timeout > 0) {
		pr_emerg("Rebooting in %d seconds..\n", panic_timeout);
		console_flush();
		panic_wait((u64)panic_timeout * NSEC_PER_SEC);
		machine_restart();
	}
	if (panic_timeout != 0)
		qemu_debug_exit(QEMU_EXIT_PANIC);
	halt_forever();
}

/*
 * A fault in the report of a panic, or twice in that of an oops: ends the machine. What is reported
 * may still wait for a CPU that sends it; it is stopped now, if it was not before.
 */
static void __noreturn panic_end_early(void)
{
	static bool flushes; /* [A] the flush may fault itself */

	if (!xchg(&flushes, true)) {
		smp_stop_other_cpus(false); /* before the console is taken from its holder */
		console_flush_on_panic();
	}
	panic_end();
}

void __init boot_refuse(const char *fmt, ...)
{
	char what[192];
	va_list args;

	local_irq_disable();
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	pr_emerg("nop5 needs %s\n", what);
	console_flush();
	panic_end();
}

/* reported: die() has already printed the registers and the backtrace. */
static void __printf(2, 0) __noreturn vpanic(bool reported, const char *fmt, va_list args)
{
	static char message[256]; /* [panic_cpu] */
	int this_cpu, owner;

	local_irq_disable();
	preempt_disable();
	this_cpu = (int)smp_processor_id();
	owner = atomic_cmpxchg(&panic_cpu, -1, this_cpu);
	if (owner == this_cpu)
		panic_end_early();
	if (owner != -1)
		halt_forever(); /* the NMI of the other CPU prints the backtrace of this CPU */

	panic_entered();
	bust_spinlocks(true);
	vsnprintf(message, sizeof(message), fmt, args);
	pr_emerg("Kernel panic - not syncing: %s\n", message);
	if (!reported) {
		pr_emerg("CPU: %d PID: %d Comm: %s\n", this_cpu, current ? current->pid : 0,
			 current ? current->comm : "swapper");
		dump_stack();
	}
	oops_dump();
	smp_stop_other_cpus(true);
	kmsg_dump(KMSG_DUMP_PANIC);
	console_flush_on_panic();
	pr_emerg("---[ end Kernel panic - not syncing: %s ]---\n", message);
	console_flush(); /* the end of QEMU or a reset drops what is in the FIFO */
	panic_end();
}

void __noreturn panic(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(false, fmt, args);
}
EXPORT_SYMBOL(panic);

static void __printf(1, 2) __noreturn panic_after_oops(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(true, fmt, args);
}

/*
 * Waits until no other CPU reports an oops. A fault in the report of this CPU nests.
 *
 * The waiting CPU may be inside an NMI, and then it receives no other NMI. So it polls for the
 * requests that NMIs carry: print a backtrace, or stop.
 */
static void oops_enter(struct pt_regs *regs)
{
	int this_cpu = (int)smp_processor_id();

	if (atomic_read(&die_cpu) != this_cpu) {
		while (atomic_cmpxchg(&die_cpu, -1, this_cpu) != -1) {
			if (atomic_read(&panic_cpu) == this_cpu)
				panic_end_early(); /* the panic has stopped that CPU, or will */
			smp_handle_nmi(regs);
			cpu_relax();
		}
	}
	die_depth++;
	bust_spinlocks(true);
}

static void oops_exit(void)
{
	bust_spinlocks(false);
	if (--die_depth == 0)
		atomic_set(&die_cpu, -1);
}

static void backtrace_other_cpus(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu)
		if (cpu != smp_processor_id())
			smp_backtrace_cpu(cpu);
}

/* The reason why more than the task must end; NULL: ending the task is enough. */
static const char *why_oops_is_fatal(struct pt_regs *regs)
{
	if (in_interrupt())
		return "Fatal exception in interrupt";
	if (in_atomic() || irqs_disabled_flags(regs->flags))
		return "Fatal exception with a lock held or interrupts off";
#ifdef CONFIG_DEBUG
	if (current && current->held_locks.depth)
		return "Fatal exception with a lock held";
#endif
	if (!current || (current->flags & PF_IDLE))
		return "Attempted to kill the idle task!";
	if (current->pid == 1)
		return "Attempted to kill init!";
	if (!stack_is_of_task(current, regs))
		return "Fatal exception on an interrupt stack";
	if (panic_on_oops)
		return "Fatal exception";
	return NULL;
}

void __noreturn die(const char *what, struct pt_regs *regs, long error_code)
{
	const char *fatal = NULL;

	local_irq_disable();
	oops_enter(regs);
	if (die_depth > 2)
		panic_end_early();
	if (panic_on_oops)
		panic_entered();
	die_count++;
	pr_emerg("%s: %04lx [#%u] PREEMPT SMP\n", what, error_code, die_count);
	show_regs(regs);
	if (oops_release_hook)
		fatal = oops_release_hook(regs);
	if (!fatal)
		fatal = why_oops_is_fatal(regs);
	if (fatal) { /* smp_stop_other_cpus() prints the backtraces of the other CPUs */
		kmsg_dump(KMSG_DUMP_OOPS);
		panic_after_oops("%s", fatal);
	}
	oops_dump();
	backtrace_other_cpus();
	pr_emerg("---[ end trace %016x ]---\n", 0);
	kmsg_dump(KMSG_DUMP_OOPS);
	oops_exit();

	local_irq_enable();
	if (oops_task_hook)
		oops_task_hook(regs);
	/* The task is never freed, because a mutex that it left locked has it as owner for ever. */
	get_task_struct(current);
	current->flags |= PF_OOPSED;
	do_exit(SIGSEGV);
}

void __noreturn report_bug(const char *file, int line, const char *what)
{
	pr_emerg("------------[ cut here ]------------\n");
	pr_emerg("kernel BUG at %s:%d! (%s)\n", file, line, what);
	__builtin_trap(); /* #UD: its handler calls die() with the registers */
}
EXPORT_SYMBOL(report_bug);

void report_warning(const char *file, int line, const char *what)
{
	if (warning_hook)
		warning_hook(); /* before the report, whose calls would fill the trace */
	pr_warn("------------[ cut here ]------------\n");
	pr_warn("WARNING: CPU: %u PID: %d at %s:%d %pS (%s)\n", smp_processor_id(),
		current ? current->pid : 0, file, line, _RET_IP_, what);
	dump_stack();
	pr_warn("---[ end trace %016x ]---\n", 0);
}
EXPORT_SYMBOL(report_warning);
