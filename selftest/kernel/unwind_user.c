/* Self-tests of the stack of a program as an interrupt finds it. */
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind_event.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/arch/ring3.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

extern const char ring3_spin[], ring3_spin_end[];

/* What an interrupt of the program has found. */
struct found {
	bool user;
	unsigned long ip, entries[8];
	unsigned count, of_kernel;
};

static void look_at_program(void *data)
{
	const struct pt_regs kernel = { .cs = 0x10 };
	struct found *found = data;
	struct pt_regs *regs;

	if (!in_hardirq())
		return; /* a loop that waits with interrupts off answers calls, too */
	regs = stack_trace_handler_regs();
	found->user = user_mode(regs);
	if (!found->user)
		return;
	found->ip = regs->ip;
	found->count = stack_trace_save_user_regs(regs, found->entries, ARRAY_SIZE(found->entries));
	found->of_kernel = stack_trace_save_user_regs(&kernel, found->entries + 7, 1);
}

SELFTEST(unwind_user, interrupt_finds_the_stack_of_the_program)
{
	unsigned cpu = nth_online_cpu(1), tries = 0;
	struct found found = { 0 };
	struct ring3 program;

	if (num_online_cpus() == 1)
		return; /* a call on this CPU interrupts this task */
	ASSERT(run_on_nth_cpu(0));
	ASSERT(ring3_start(&program, ring3_spin, ring3_spin_end, cpu));
	while (!found.user && tries++ < 10000) {
		msleep(1);
		smp_call_function_single(cpu, look_at_program, &found, true);
	}
	program.data[1] = 1;
	ring3_wait(&program);
	ring3_free(&program);
	run_on_any_cpu();
	EXPECT(found.user);
	EXPECT_EQ_HEX(found.ip & PAGE_MASK, RING3_CODE);
	/* The program starts with a frame pointer of 0, and uses none. */
	EXPECT_EQ(found.count, 1);
	EXPECT_EQ_HEX(found.entries[0], found.ip);
	EXPECT_EQ(found.of_kernel, 0);
}
