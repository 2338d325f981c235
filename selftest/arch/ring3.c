/* Self-tests of the ways into the kernel and out of it. The programs are in ring3_code.asm. */
#include "selftest/arch/ring3.h"

#include "arch/boot/cpuinfo.h"
#include "arch/irq/ipi.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/ptrace.h"
#include "arch/cpu/special_insns.h"
#include "arch/user/syscall.h"
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
DECLARE_PROGRAM(own_registers);
DECLARE_PROGRAM(own_registers_calls);
DECLARE_PROGRAM(odd_gs);

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

	ASSERT(START(&program, registers, 0));
	EXPECT_EQ(ring3_wait(&program), SIGSEGV);
	expect_registers(test, program.data);
	ring3_free(&program);
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
	EXPECT_EQ(ring3_wait(program), SIGSEGV);
	good = program->data[2] == 1;
	ring3_free(program);
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

/*
 * Four programs with different contents of their registers, on one CPU: two that only compute, and
 * two that make system calls. Each compares its registers all the time.
 */
SELFTEST(ring3, programs_on_one_cpu_keep_their_registers)
{
	struct ring3 programs[4];
	unsigned started = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++, started++) {
		if (!(i % 2 ? START(&programs[i], own_registers, 0)
			    : START(&programs[i], own_registers_calls, 0)))
			break;
		programs[i].data[3] = 0x1111 * (i + 1); /* the program waits for it */
	}
	EXPECT_EQ(started, ARRAY_SIZE(programs));
	for (unsigned i = 0; i < started; i++)
		EXPECT(progress(&programs[i], 10000));
	for (unsigned i = 0; i < started; i++)
		EXPECT(stop_program(test, &programs[i]));
}

/* The program gives GS the base of the kernel, of a user page and of nothing, in turn. */
SELFTEST(ring3, nmis_come_while_the_program_has_any_gs_base)
{
	unsigned cpu = num_online_cpus() - 1;
	struct ring3 program;

	if (!cpu_has(X86_FEATURE_FSGSBASE)) {
		selftest_diag(test, "no FSGSBASE");
		return;
	}
	ASSERT(START(&program, odd_gs, cpu));
	program.data[3] = __per_cpu_offset[cpu];
	program.data[4] = __per_cpu_offset[0];
	program.data[5] = 1;
	storm(test, &program, cpu);
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

static void set_breakpoint(void *address)
{
	write_dr0_and_dr7((u64)address, address ? DR7_FIXED | DR7_G0 : DR7_FIXED);
}

/* A breakpoint in place of a single step that MOV to SS delays to this instruction. */
SELFTEST(ring3, a_debug_exception_at_the_entry_of_system_calls_does_no_harm)
{
	struct ring3 program;

	ASSERT(!smp_call_function_single(0, set_breakpoint, (void *)entry_SYSCALL_64, true));
	if (START(&program, step_into_syscall, 0)) {
		EXPECT_EQ(ring3_wait(&program), SIGTRAP);
		ring3_free(&program);
	} else {
		EXPECT(!"started");
	}
	EXPECT(!smp_call_function_single(0, set_breakpoint, NULL, true));
}

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
		ring3_free(&program);
		if (sig != faults[i].sig)
			selftest_diag(test, "%s: signal %d", faults[i].name, sig);
		EXPECT_EQ(sig, faults[i].sig);
	}
}
