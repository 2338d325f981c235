/*
 * Self-tests of the interrupt and exception entries: breakpoints, unknown vectors, backtraces,
 * time.
 */
#include "arch/irq/descriptors.h"
#include "arch/cpu/halt.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "arch/unwind/stacktrace.h"
#include "arch/irq/traps.h"
#include "arch/irq/vectors.h"
#include "kernel/irq/irq.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/sched/kthread.h"
#include "selftest/selftest.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

static unsigned emulated_calls;

static void emulated_target(void)
{
	emulated_calls++;
}

/* Emulates `call emulated_target` for the breakpoint. */
static bool emulate_call_handler(struct pt_regs *regs)
{
	int3_emulate_call(regs, regs->ip, (unsigned long)emulated_target);
	return true;
}

/* Executes a breakpoint with known values in registers. Returns true if it changed none of them. */
static noinline bool breakpoint_keeps_registers(void)
{
	u64 bx = 0x1111, r12 = 0x2222, sp_before, sp_after;

	__asm__ __volatile__("movq %%rsp, %2\n\t"
			     "int3\n\t"
			     "movq %%rsp, %3"
			     : "+b"(bx), "+r"(r12), "=&r"(sp_before), "=&r"(sp_after)
			     :
			     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			       "memory", "cc");
	return bx == 0x1111 && r12 == 0x2222 && sp_before == sp_after;
}

SELFTEST(traps, int3_handler_emulates_a_call)
{
	unsigned before = emulated_calls;
	int3_handler_t usual = set_int3_handler(emulate_call_handler);

	EXPECT(breakpoint_keeps_registers());
	set_int3_handler(usual);
	EXPECT_EQ(emulated_calls, before + 1);
}

static bool continue_handler(struct pt_regs *regs __unused)
{
	return true;
}

/*
 * Returns whether a breakpoint returned by POPF and RET. RET reads the return address from below
 * the interrupted stack pointer, where it stays; after IRET the CPU's frame is at that place.
 * Interrupts off.
 */
static noinline bool breakpoint_returns_by_ret(void)
{
	u64 below_stack, return_address;

	__asm__ __volatile__("int3\n"
			     "1:\tmovq -8(%%rsp), %0\n\t"
			     "leaq 1b(%%rip), %1"
			     : "=&r"(below_stack), "=&r"(return_address)
			     :
			     : "memory");
	return below_stack == return_address;
}

/* NMIs are not blocked here: arch/irq/entry.asm chooses the return path by nmi_running. */
SELFTEST(traps, int3_within_an_nmi_returns_without_iret)
{
	unsigned before = emulated_calls;
	int3_handler_t usual = set_int3_handler(continue_handler);
	unsigned long flags;

	local_irq_save(flags);
	EXPECT(!breakpoint_returns_by_ret());
	nmi_enter();
	this_cpu_inc(nmi_running);
	EXPECT(breakpoint_returns_by_ret());
	set_int3_handler(emulate_call_handler);
	EXPECT(breakpoint_keeps_registers());
	this_cpu_dec(nmi_running);
	nmi_exit();
	EXPECT(irqs_disabled());
	local_irq_restore(flags);
	set_int3_handler(usual);
	EXPECT_EQ(emulated_calls, before + 1);
}

SELFTEST(traps, unknown_vector_is_counted_and_survived)
{
	unsigned cpu = get_cpu();
	u64 before = irq_stat_read(IRQ_STAT_ERR, cpu);

	__asm__ __volatile__("int $0x81");
	EXPECT_EQ(irq_stat_read(IRQ_STAT_ERR, cpu), before + 1);
	put_cpu();
}

SELFTEST(traps, spurious_vector_is_counted_and_survived)
{
	unsigned cpu = get_cpu();
	u64 before = irq_stat_read(IRQ_STAT_SPU, cpu);

	__asm__ __volatile__("int $0xff");
	EXPECT_EQ(irq_stat_read(IRQ_STAT_SPU, cpu), before + 1);
	put_cpu();
}

/* The handlers that arch/irq/entry.asm calls. */
void do_nmi(struct pt_regs *regs);
void do_interrupt(struct pt_regs *regs);

/* Where code continues that an interrupt, or an NMI, has met at this address. */
static unsigned long continues_at(unsigned long ip, bool nmi)
{
	struct pt_regs regs = { .ip = ip, .cs = __KERNEL_CS, .orig_ax = SPURIOUS_APIC_VECTOR };
	unsigned long flags;

	local_irq_save(flags);
	if (nmi)
		do_nmi(&regs);
	else
		do_interrupt(&regs);
	local_irq_restore(flags);
	return regs.ip;
}

/* The window between STI and HLT is closed to interrupts, until an NMI in it has returned. */
SELFTEST(traps, interrupt_before_a_halt_lets_the_cpu_look_again)
{
	unsigned long wait_end = (unsigned long)spin_wait_halt_end;

	EXPECT_EQ_HEX(continues_at(SAFE_HALT_HLT, true), SAFE_HALT_HLT);
	EXPECT_EQ_HEX(continues_at(SAFE_HALT_HLT, false), SAFE_HALT_END);
	EXPECT_EQ_HEX(continues_at(SAFE_HALT_END, false), SAFE_HALT_END);
	EXPECT_EQ_HEX(*(const u8 *)SAFE_HALT_HLT, 0xf4);
	for (unsigned nmi = 0; nmi < 2; nmi++) {
		EXPECT_EQ_HEX(continues_at(wait_end - 1, nmi), (unsigned long)spin_wait_halt);
		EXPECT_EQ_HEX(continues_at(wait_end, nmi), wait_end);
	}
}

static bool trace_has(const unsigned long *entries, unsigned count, const char *name)
{
	char symbol[KSYM_NAME_LEN];

	for (unsigned i = 0; i < count; i++)
		if (kallsyms_lookup(entries[i] - 1, NULL, NULL, symbol) && !strcmp(symbol, name))
			return true;
	return false;
}

static unsigned long handler_trace[32];
static unsigned handler_trace_count;

static bool trace_handler(struct pt_regs *regs)
{
	(void)regs;
	handler_trace_count = stack_trace_save(handler_trace, ARRAY_SIZE(handler_trace), 0);
	return true;
}

static noinline void breakpoint_site(void)
{
	__asm__ __volatile__("int3");
}

SELFTEST(traps, backtrace_crosses_an_exception)
{
	int3_handler_t usual = set_int3_handler(trace_handler);

	breakpoint_site();
	set_int3_handler(usual);
	EXPECT(trace_has(handler_trace, handler_trace_count, "trace_handler"));
	EXPECT(trace_has(handler_trace, handler_trace_count, "do_int3"));
	EXPECT(trace_has(handler_trace, handler_trace_count, "breakpoint_site"));
	EXPECT(trace_has(handler_trace, handler_trace_count, "ret_from_fork"));
}

static noinline int sleeper(void *unused __unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

SELFTEST(traps, sleeping_task_has_a_backtrace)
{
	struct task_struct *task = kthread_run(sleeper, NULL, "selftest/sleep");
	unsigned long entries[16];
	unsigned count = 0;

	ASSERT(!IS_ERR(task));
	/* A task that loses its CPU on the way to its sleep is in sleeper() without schedule(). */
	while (!trace_has(entries, count, "sleeper") || !trace_has(entries, count, "schedule")) {
		msleep(1);
		count = stack_trace_save_task(task, entries, ARRAY_SIZE(entries));
	}
	EXPECT(trace_has(entries, count, "ret_from_fork"));
	kthread_stop(task);
}

SELFTEST(traps, time_does_not_go_backwards)
{
	ktime_t last = ktime_get();
	unsigned backwards = 0;

	preempt_disable();
	for (unsigned i = 0; i < 10000; i++) {
		ktime_t now = ktime_get();

		backwards += now < last;
		last = now;
	}
	preempt_enable();
	EXPECT_EQ(backwards, 0);
}

SELFTEST(traps, udelay_waits_at_least_that_long)
{
	ktime_t start = ktime_get();

	udelay(200);
	EXPECT(ktime_get() - start >= 200 * NSEC_PER_USEC);
}
