/* Self-tests of the ways into the kernel and out of it. The programs are in ring3_code.asm. */
#include "selftest/arch/ring3.h"

#include "arch/ipi.h"
#include "arch/ptrace.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/signal.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"
#include "selftest/selftest.h"

#define DECLARE_PROGRAM(name)     extern const char ring3_##name[], ring3_##name##_end[]
#define START(program, name, cpu) ring3_start(program, ring3_##name, ring3_##name##_end, cpu)

DECLARE_PROGRAM(registers);
DECLARE_PROGRAM(spin);
DECLARE_PROGRAM(call);

/* The results of ring3_registers. */
static void expect_registers(struct selftest *test, const volatile u64 *data)
{
	static const u64 values[] = { 0x101, 0x102, 0x103, 0x104, 0x105, 0x108,
				      0x109, 0x10a, 0x10c, 0x10d, 0x10e };
	const u64 flags = 0x44ed7; /* FLAGS_ODD, NT, IF, and bit 1, which is always set */

	EXPECT_EQ(data[0], -ENOSYS);
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		EXPECT_EQ(data[1 + i], values[i]);
	EXPECT_EQ(data[12], RING3_DATA + PAGE_SIZE - 8);
	EXPECT_EQ(data[13], 0); /* rcx: the address after SYSCALL */
	EXPECT_EQ(data[14], flags);
	EXPECT_EQ(data[15], flags);
	EXPECT_EQ(data[16], 0);
	EXPECT_EQ(data[17], 0x33);
	EXPECT_EQ(data[18], 0x2b);
}

SELFTEST(ring3, a_system_call_keeps_registers_and_flags)
{
	struct ring3 program;
	u64 results[19];

	ASSERT(START(&program, registers, 0));
	wait_for_completion(&program.task->exited);
	for (unsigned i = 0; i < ARRAY_SIZE(results); i++)
		results[i] = program.data[i];
	EXPECT_EQ(ring3_wait(&program), SIGSEGV);
	expect_registers(test, results);
}

/* Waits until the program has counted n more, at most 10 s. */
static bool progress(const struct ring3 *program, u64 n)
{
	u64 start = program->data[0];

	for (unsigned i = 0; i < 10000 && program->data[0] - start < n; i++)
		msleep(1);
	return program->data[0] - start >= n;
}

/* Ends ring3_spin or ring3_call. Returns whether it found its registers as they should be. */
static bool stop_program(struct selftest *test, struct ring3 *program)
{
	bool good;

	program->data[1] = 1;
	wait_for_completion(&program->task->exited);
	good = program->data[2] == 1;
	EXPECT_EQ(ring3_wait(program), SIGSEGV);
	return good;
}

static void storm(struct selftest *test, struct ring3 *program, unsigned cpu)
{
	for (unsigned i = 0; i < 3000; i++) {
		if (i % 3)
			arch_send_nmi(cpu);
		else
			smp_send_reschedule(cpu);
		if (i % 100 == 0)
			msleep(1);
		udelay(20);
	}
	EXPECT(progress(program, 1000));
	EXPECT(stop_program(test, program));
}

SELFTEST(ring3, interrupts_and_nmis_leave_a_program_as_it_was)
{
	unsigned cpu = num_online_cpus() - 1;
	struct ring3 program;

	ASSERT(START(&program, spin, cpu));
	storm(test, &program, cpu);
}

SELFTEST(ring3, nmis_in_the_entry_and_exit_of_system_calls_do_no_harm)
{
	unsigned cpu = num_online_cpus() - 1;
	struct ring3 program;

	ASSERT(START(&program, call, cpu));
	storm(test, &program, cpu);
}

/* Two programs, and the runner of the tests, on one CPU. */
SELFTEST(ring3, programs_share_a_cpu)
{
	struct ring3 a, b;

	ASSERT(START(&a, call, 0));
	EXPECT(progress(&a, 1000));
	EXPECT(stop_program(test, &a));
	ASSERT(START(&b, spin, 0));
	EXPECT(progress(&b, 1000));
	EXPECT(stop_program(test, &b));
}

/* A program that never enters the kernel by itself must not delay a grace period. */
SELFTEST(ring3, a_program_delays_no_grace_period_of_rcu_tasks)
{
	struct ring3 program;

	ASSERT(START(&program, spin, num_online_cpus() - 1));
	EXPECT(progress(&program, 1000));
	synchronize_rcu_tasks();
	EXPECT(stop_program(test, &program));
}

#define FAULT(name, signal)                                                                        \
	{                                                                                          \
#name, ring3_##name, ring3_##name##_end, signal                                    \
	}

DECLARE_PROGRAM(divide);
DECLARE_PROGRAM(ud2);
DECLARE_PROGRAM(int3);
DECLARE_PROGRAM(int80);
DECLARE_PROGRAM(step);
DECLARE_PROGRAM(step_into_syscall);
DECLARE_PROGRAM(noncanonical);
DECLARE_PROGRAM(kernel_read);
DECLARE_PROGRAM(kernel_jump);
DECLARE_PROGRAM(cli);

SELFTEST(ring3, each_exception_ends_the_program_with_its_signal)
{
	static const struct {
		const char *name, *text, *end;
		int sig;
	} faults[] = {
		FAULT(divide, SIGFPE),        FAULT(ud2, SIGILL),
		FAULT(int3, SIGTRAP),         FAULT(int80, SIGSEGV),
		FAULT(step, SIGTRAP),         FAULT(step_into_syscall, SIGTRAP),
		FAULT(noncanonical, SIGSEGV), FAULT(kernel_read, SIGSEGV),
		FAULT(kernel_jump, SIGSEGV),  FAULT(cli, SIGSEGV),
	};

	for (unsigned i = 0; i < ARRAY_SIZE(faults); i++) {
		struct ring3 program;
		int sig;

		ASSERT(ring3_start(&program, faults[i].text, faults[i].end, 0));
		sig = ring3_wait(&program);
		if (sig != faults[i].sig)
			selftest_diag(test, "%s: signal %d", faults[i].name, sig);
		EXPECT_EQ(sig, faults[i].sig);
	}
}
