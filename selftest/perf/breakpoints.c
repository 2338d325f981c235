/* Self-tests of perf's breakpoints in the kernel, and of what cannot be watched. */
#include "arch/cpu/halt.h"
#include "arch/cpu/linkage.h"
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "kernel/task/task_work.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/perf/internal.h"

long sys_perf_event_open(unsigned long attr, pid_t pid, int cpu, int group, unsigned long flags)
	SYSCALL_SYMBOL(perf_event_open);
long sys_close(unsigned fd) SYSCALL_SYMBOL(close);
long sys_read(unsigned fd, unsigned long buf, size_t count) SYSCALL_SYMBOL(read);

/* User memory of the test, for arguments. */
static struct mm_struct *mm;
static unsigned long page;

static bool begin(void)
{
	mm = test_mm_begin();
	page = test_mmap(0, PAGE_SIZE, 0);
	return mm != NULL;
}

static long open_breakpoint(const volatile void *address, u32 type, pid_t pid, int cpu, u64 period)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					      .size = sizeof(attr),
					      .sample_period = period,
					      .bp_type = type,
					      .bp_addr = (unsigned long)address,
					      .bp_len = sizeof(long) };

	if (copy_to_user((void __user *)page, &attr, sizeof(attr)))
		return -EFAULT;
	return sys_perf_event_open(page, pid, cpu, -1, 0);
}

static u64 count_of(long fd)
{
	u64 count;

	if (sys_read((unsigned)fd, page, sizeof(count)) != sizeof(count) ||
	    copy_from_user(&count, (const void __user *)page, sizeof(count)))
		return ~0ULL;
	return count;
}

static void end(const long *fds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sys_close((unsigned)fds[i]);
	task_work_run(); /* a program does it before it goes on */
	test_mm_end(mm);
	run_on_any_cpu();
}

static u64 watched[4] __aligned(32);

#define WRITES 1000U

static void write_watched(void *unused __unused, unsigned index)
{
	for (unsigned i = 0; i < WRITES * (index + 1); i++)
		WRITE_ONCE(watched[0], i);
}

SELFTEST(perf_breakpoint, writes_of_each_cpu_are_hits_of_its_own_event)
{
	unsigned n = min(num_online_cpus(), 8U);
	long fds[8];

	ASSERT(begin());
	for (unsigned i = 0; i < n; i++) {
		fds[i] = open_breakpoint(&watched[0], HW_BREAKPOINT_W, -1, (int)nth_online_cpu(i),
					 i % 2);
		ASSERT(fds[i] >= 0);
	}
	ASSERT(run_threads(n, EACH_CPU, write_watched, NULL));
	for (unsigned i = 0; i < n; i++)
		EXPECT_EQ(count_of(fds[i]), WRITES * (i + 1));
	end(fds, n);
}

SELFTEST(perf_breakpoint, event_moves_with_its_task)
{
	long fds[2];

	ASSERT(begin());
	fds[0] = open_breakpoint(&watched[0], HW_BREAKPOINT_W, 0, -1, 0);
	/* Another word: QEMU reports one register only for each access. */
	fds[1] = open_breakpoint(&watched[1], HW_BREAKPOINT_W, 0, (int)nth_online_cpu(0), 0);
	ASSERT(fds[0] >= 0 && fds[1] >= 0);
	for (unsigned i = 0; i < 40; i++) {
		ASSERT(run_on_nth_cpu(i));
		WRITE_ONCE(watched[0], i);
		WRITE_ONCE(watched[1], i);
	}
	EXPECT_EQ(count_of(fds[0]), 40);
	EXPECT_EQ(count_of(fds[1]), DIV_ROUND_UP(40, num_online_cpus()));
	/* Another task hits nothing. */
	ASSERT(run_threads(1, nth_online_cpu(0), write_watched, NULL));
	EXPECT_EQ(count_of(fds[0]), 40);
	end(fds, 2);
}

SELFTEST(perf_breakpoint, what_the_entries_use_is_refused)
{
	ASSERT(begin());
	EXPECT_EQ(open_breakpoint(this_cpu_ptr(&nmi_running), HW_BREAKPOINT_W, 0, -1, 0), -EINVAL);
	EXPECT_EQ(open_breakpoint(this_cpu_ptr(&debugreg_control), HW_BREAKPOINT_RW, -1, 0, 0),
		  -EINVAL);
	EXPECT_EQ(open_breakpoint((const void *)spin_wait_halt, HW_BREAKPOINT_X, 0, -1, 0),
		  -EINVAL);
	end(NULL, 0);
}

/* ---- beside all that runs ---- */

static bool nmi_wanted; /* [A] */

static bool breakpoint_nmi(struct pt_regs *regs __unused)
{
	if (!xchg(&nmi_wanted, false))
		return false;
	WRITE_ONCE(watched[0], ftrace_target_add(1, 1));
	return true;
}
NMI_HANDLER(breakpoint_nmi);

static void send_nmi(void)
{
	WRITE_ONCE(nmi_wanted, true);
	arch_send_nmi(smp_processor_id());
	while (READ_ONCE(nmi_wanted))
		cpu_relax();
}

/*
 * The watched place is in the code of hits itself, in an NMI, and in a function that all tracing
 * hooks at the same time.
 */
static void hit_while_all_is_traced(struct selftest *test, bool traced)
{
	long fds[3];

	ASSERT(begin());
	ASSERT(run_on_nth_cpu(0));
	if (traced)
		EXPECT_EQ(put("current_tracer", "function"), 0);
	fds[0] = open_breakpoint((const void *)ftrace_target_add, HW_BREAKPOINT_X, 0, -1, 1);
	fds[1] = open_breakpoint(&watched[0], HW_BREAKPOINT_RW, 0, -1, 3);
	fds[2] = open_breakpoint(&current->perf, HW_BREAKPOINT_RW, 0, -1, 1);
	ASSERT(fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0);
	for (int i = 0; i < 100; i++) {
		WRITE_ONCE(watched[0], 7);
		EXPECT_EQ(ftrace_target_add(i, 2), i + 2);
		send_nmi();
	}
	EXPECT_EQ(count_of(fds[0]), 100);
	EXPECT_EQ(count_of(fds[1]), 100);
	/* Each switch and each open reads it; a hit does so, too, but that is no hit. */
	EXPECT(count_of(fds[2]) < 100000);
	end(fds, 3);
	reset();
}

SELFTEST(perf_breakpoint, hits_beside_nmis_are_counted_once)
{
	hit_while_all_is_traced(test, false);
}

SELFTEST(perf_breakpoint, hits_in_functions_that_are_traced_are_counted_once)
{
	hit_while_all_is_traced(test, true);
}

static void switch_tracing(void *stop, unsigned index __unused)
{
	while (!READ_ONCE(*(bool *)stop)) {
		put("current_tracer", "function");
		put("current_tracer", "nop");
	}
}

SELFTEST(perf_breakpoint, breakpoint_at_a_function_whose_first_bytes_change)
{
	struct test_group group;
	bool stop = false;
	long fd;

	ASSERT(begin());
	ASSERT(run_on_nth_cpu(0));
	fd = open_breakpoint((const void *)ftrace_target_add, HW_BREAKPOINT_X, 0, -1, 0);
	ASSERT(fd >= 0);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), switch_tracing, &stop));
	for (int i = 0; i < 2000; i++) {
		EXPECT_EQ(ftrace_target_add(i, 1), i + 1);
		if (i % 100 == 0)
			msleep(1);
	}
	EXPECT_EQ(count_of(fd), 2000);
	WRITE_ONCE(stop, true);
	test_group_wait(&group);
	end(&fd, 1);
	reset();
}
