/* Self-tests of the counters of perf_event_open(2), and of what they read in the kernel. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/wait.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/fork.h"
#include "kernel/task/task_work.h"
#include "kernel/time/timer.h"
#include "kernel/vm/mm.h"
#include "kernel/workqueue/workqueue.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/perf/event.h"
#include "selftest/selftest.h"
#include "trace/perf/internal.h"

SELFTEST(perf, faults_without_a_page_are_counted_apart)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	u64 minor = current->min_flt, bad = current->bad_flt;
	int code;

	ASSERT(mm);
	EXPECT_EQ(do_user_addr_fault(addr, FAULT_FLAG_USER, &code), 0);
	EXPECT_EQ(current->min_flt - minor, 1);
	EXPECT_EQ(current->bad_flt - bad, 0);
	EXPECT_EQ(do_user_addr_fault(addr, FAULT_FLAG_USER | FAULT_FLAG_INSTRUCTION, &code),
		  SIGSEGV);
	EXPECT_EQ(do_user_addr_fault(addr + PAGE_SIZE, FAULT_FLAG_USER, &code), SIGSEGV);
	EXPECT_EQ(current->min_flt - minor, 1);
	EXPECT_EQ(current->bad_flt - bad, 2);
	test_mm_end(mm);
}

static void nothing(void *arg, unsigned index)
{
	(void)arg;
	(void)index;
}

SELFTEST(perf, switches_are_counted_for_each_cpu)
{
	unsigned cpu = nth_online_cpu(1);
	u64 before, all;

	ASSERT(run_on_nth_cpu(1));
	before = cpu_switches(cpu);
	all = nr_context_switches();
	for (unsigned i = 0; i < 5; i++)
		EXPECT(run_threads(1, cpu, nothing, NULL)); /* on this CPU, while this task waits */
	EXPECT(cpu_switches(cpu) - before >= 5);
	EXPECT(nr_context_switches() - all >= 5);
	run_on_any_cpu();
}

/* ---- events against the ends of tasks ---- */

/* An open event of a task, or an errno. addr: user memory for the attributes. */
static long open_on(unsigned long addr, u64 config, pid_t pid, bool inherit)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = config,
					      .inherit = inherit };

	return open_event(addr, &attr, pid, -1);
}

static unsigned long objects(const char *name)
{
	struct slabinfo info;

	for (unsigned place = 0; get_slabinfo(place, &info); place = info.place + 1)
		if (!strcmp(info.name, name))
			return info.active_objs;
	return 0;
}

static bool may_end;

static int yield_and_end(void *unused __unused)
{
	do
		yield();
	while (!READ_ONCE(may_end));
	return 0;
}

/* The tasks end while their events are opened, read and closed; each tenth waits for the open. */
static unsigned open_and_close(struct selftest *test, unsigned long addr)
{
	unsigned opened = 0;

	for (unsigned i = 0; i < 300; i++) {
		pid_t pid;
		long fd;

		WRITE_ONCE(may_end, i % 10 != 0);
		pid = kernel_thread(yield_and_end, NULL, "shortlived");
		fd = open_on(addr, i % 7, pid, i % 2);
		WRITE_ONCE(may_end, true);
		EXPECT(fd >= 0 || fd == -ESRCH);
		if (fd >= 0) {
			opened++;
			EXPECT_EQ(sys_read((unsigned)fd, addr, 8), 8);
			EXPECT_EQ(sys_ioctl((unsigned)fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		}
		if (i % 3)
			EXPECT_EQ(kernel_wait4(pid, NULL, 0), pid);
		if (fd >= 0) {
			EXPECT_EQ(sys_read((unsigned)fd, addr, 8), 8);
			EXPECT_EQ(sys_close((unsigned)fd), 0);
		}
		if (!(i % 3))
			EXPECT_EQ(kernel_wait4(pid, NULL, 0), pid);
	}
	return opened;
}

/* The events when those that are closed are freed, those of earlier tests, too. */
static unsigned long open_events(void)
{
	task_work_run(); /* a program does it before it goes on */
	rcu_barrier();
	rcu_barrier(); /* the last reference to an original is dropped by a callback */
	return objects("perf_event");
}

SELFTEST(perf, task_may_end_at_any_time_while_its_events_are_used)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	unsigned long before = open_events();

	ASSERT(mm);
	EXPECT(open_and_close(test, addr) > 0);
	EXPECT_EQ(open_events(), before);
	test_mm_end(mm);
}

/* ---- taps ---- */

static unsigned times_on, times_off;

static int count_switching(bool on)
{
	times_on += on;
	times_off += !on;
	return 0;
}

SELFTEST(perf, a_tap_is_not_switched_with_each_event)
{
	static struct perf_tap tap = { .set = count_switching };

	times_on = times_off = 0;
	mod_delayed_work(&perf_taps_off, 3600 * NSEC_PER_SEC); /* it does not run by itself */
	for (unsigned i = 0; i < 10; i++) {
		ASSERT(!perf_tap_get(&tap));
		perf_tap_put(&tap);
	}
	EXPECT_EQ(times_on, 1);
	ASSERT(!perf_tap_get(&tap));
	mod_delayed_work(&perf_taps_off, 0);
	flush_work(&perf_taps_off.work);
	EXPECT_EQ(times_off, 0); /* an event needs it */
	perf_tap_put(&tap);
	mod_delayed_work(&perf_taps_off, 0);
	flush_work(&perf_taps_off.work);
	EXPECT_EQ(times_on, 1);
	EXPECT_EQ(times_off, 1);
}
