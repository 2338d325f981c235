/* Self-tests of signals: which thread of a process takes one, and how soon. */
#include "kernel/signal/signal.h"

#include "kernel/irq/irq.h"
#include "kernel/process/fork.h"
#include "kernel/process/wait.h"
#include "kernel/sched/signal.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define ROUNDS 20

/* A process with two threads: the first one blocks a signal, the other one keeps a CPU busy. */
struct two_threads {
	struct task_struct *busy;
	bool stop;
	unsigned interrupted; /* rounds in which the busy thread was interrupted at once */
};

static int keep_busy(void *arg)
{
	struct two_threads *two = arg;

	if (!run_on_nth_cpu(1))
		return 1;
	WRITE_ONCE(two->busy, current);
	while (!READ_ONCE(two->stop))
		cpu_relax();
	return 0;
}

/*
 * Whether the CPU of the busy thread gets a reschedule interrupt before two of its ticks, which
 * come once a second.
 */
static bool is_interrupted(struct two_threads *two)
{
	unsigned cpu = nth_online_cpu(1);
	u64 ticks, interrupts;

	set_current_blocked(0);
	while (!READ_ONCE(two->busy->on_cpu))
		cpu_relax();
	ticks = irq_stat_read(IRQ_STAT_LOC, cpu);
	interrupts = irq_stat_read(IRQ_STAT_RES, cpu);
	set_current_blocked(SIG_BIT(SIGUSR1));
	while (irq_stat_read(IRQ_STAT_RES, cpu) == interrupts)
		if (irq_stat_read(IRQ_STAT_LOC, cpu) > ticks + 1)
			return false;
	return true;
}

static int block_a_signal(void *arg)
{
	struct two_threads *two = arg;
	struct kernel_clone_args args = {
		.flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD,
		.fn = keep_busy,
		.fn_arg = two,
		.exit_signal = -1,
	};

	if (!run_on_nth_cpu(0) || kernel_clone(&args) < 0)
		return 1;
	while (!READ_ONCE(two->busy))
		msleep(1);
	send_signal(SIGUSR1, current); /* pending for the process from now on */
	for (unsigned i = 0; i < ROUNDS; i++)
		two->interrupted += is_interrupted(two);
	WRITE_ONCE(two->stop, true);
	while (READ_ONCE(current->signal->nr_threads) > 1)
		msleep(1);
	flush_signals(current);
	return 0;
}

SELFTEST(signal, that_a_thread_blocks_interrupts_another_thread_at_once)
{
	struct two_threads two = { 0 };
	int status = -1;
	pid_t pid;

	if (num_online_cpus() < 2)
		return;
	pid = kernel_thread(block_a_signal, &two, "two_threads");
	ASSERT(pid > 0);
	EXPECT_EQ(kernel_wait4(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	/* The busy thread may have lost its CPU for a moment: then it needs no interrupt. */
	selftest_diag(test, "interrupted in %u of %u rounds", two.interrupted, ROUNDS);
	EXPECT(two.interrupted >= ROUNDS - 2);
}
