/* Self-tests of perf events that count events of tracefs. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched_events.h"
#include "kernel/task/task_work.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/user_memory.h"
#include "selftest/perf/event.h"
#include "selftest/selftest.h"
#include "selftest/trace/events/model_events.h"
#include "selftest/trace/tracefs.h"
#include "trace/events/event.h"

static int number_of(const char *system, const char *name)
{
	const struct trace_event_call *call;
	int number;

	mutex_lock(&event_mutex);
	call = trace_find_event_call(system, name);
	number = call ? (int)call->event.type : -1;
	mutex_unlock(&event_mutex);
	return number;
}

/* addr: a page of user memory, for arguments. */
static long open_number(unsigned long addr, int number, pid_t pid, int cpu)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					      .size = sizeof(attr),
					      .config = (u64)(u32)number };

	return open_event(addr, &attr, pid, cpu);
}

static long set_filter(unsigned long addr, long fd, const char *text)
{
	if (copy_to_user((void __user *)addr, text, strlen(text) + 1))
		return -EFAULT;
	return sys_ioctl((unsigned)fd, PERF_EVENT_IOC_SET_FILTER, addr);
}

static u64 count_of(unsigned long addr, long fd)
{
	u64 count;

	if (sys_read((unsigned)fd, addr, sizeof(count)) != sizeof(count) ||
	    copy_from_user(&count, (const void __user *)addr, sizeof(count)))
		return ~0ULL;
	return count;
}

static void close_event(long fd)
{
	sys_close((unsigned)fd);
	task_work_run(); /* a program does it before it goes on */
}

static void fire(u32 from, u32 to)
{
	struct model_values values = { .name = "name", .text = "text" };

	for (u32 i = from; i < to; i++) {
		values.u32 = i;
		trace_model(&values);
		trace_sched_kthread_stop_ret((int)i);
	}
}

SELFTEST(perf_tracepoint, hits_count_and_no_buffer_gets_a_record)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	long a = open_number(addr, number_of("model", "model"), 0, -1);
	long b = open_number(addr, number_of("sched", "sched_kthread_stop_ret"), 0, -1);
	long c = open_number(addr, number_of("model", "model"), 0, -1);

	ASSERT(mm && a >= 0 && b >= 0 && c >= 0);
	reset();
	fire(0, 10);
	EXPECT_EQ(count_of(addr, a), 10);
	EXPECT_EQ(count_of(addr, b), 10);
	/* From here on both ways of model:model are in use, and a still counts each hit once. */
	EXPECT_EQ(set_filter(addr, c, "u32 >= 15 && text == \"text\""), 0);
	EXPECT_EQ(set_filter(addr, b, "ret >= 18"), 0);
	fire(10, 20);
	EXPECT_EQ(count_of(addr, a), 20);
	EXPECT_EQ(count_of(addr, b), 12);
	EXPECT_EQ(count_of(addr, c), 15);
	EXPECT_EQ(set_filter(addr, b, "ret >= 18"), -EEXIST);
	EXPECT(!strstr(get("trace"), "model:"));
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 0/0"));
	close_event(a);
	fire(20, 30);
	EXPECT_EQ(count_of(addr, c), 25);
	close_event(b);
	close_event(c);
	fire(30, 40);
	test_mm_end(mm);
}

SELFTEST(perf_tracepoint, event_that_perf_counts_cannot_be_removed)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	long a, b;

	ASSERT(mm);
	EXPECT_EQ(put("dynamic_events", "s:counted u32 a; char text[]"), 0);
	a = open_number(addr, number_of("synthetic", "counted"), 0, -1);
	b = open_number(addr, number_of("synthetic", "counted"), 0, -1);
	EXPECT(a >= 0 && b >= 0);
	EXPECT_EQ(put_mode("dynamic_events", "-:synthetic/counted", 19, O_APPEND), -EBUSY);
	close_event(a);
	EXPECT_EQ(put_mode("dynamic_events", "-:synthetic/counted", 19, O_APPEND), -EBUSY);
	close_event(b);
	EXPECT_EQ(put_mode("dynamic_events", "-:synthetic/counted", 19, O_APPEND), 0);
	test_mm_end(mm);
}

SELFTEST(perf_tracepoint, function_event_counts_calls_of_all_functions)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	int number = number_of("ftrace", "function");
	long all = open_number(addr, number, 0, -1), one = open_number(addr, number, 0, -1);
	char filter[64];
	u64 before_all, before_one;

	ASSERT(mm && all >= 0 && one >= 0);
	snprintf(filter, sizeof(filter), "ip == %lu", (unsigned long)ftrace_target_add);
	EXPECT_EQ(set_filter(addr, one, filter), 0);
	before_all = count_of(addr, all);
	before_one = count_of(addr, one);
	for (int i = 0; i < 7; i++)
		EXPECT_EQ(ftrace_target_add(i, 1), i + 1);
	EXPECT_EQ(count_of(addr, one) - before_one, 7);
	EXPECT(count_of(addr, all) - before_all >= 7);
	EXPECT(get("enabled_functions")[0]);
	close_event(all);
	EXPECT_EQ(ftrace_target_add(1, 1), 2);
	EXPECT_EQ(count_of(addr, one) - before_one, 8);
	close_event(one);
	EXPECT(!get("enabled_functions")[0]);
	test_mm_end(mm);
}
