/* Self-test of the names of tasks in a trace. */
#include "arch/cpu/processor.h"
#include "kernel/lib/string.h"
#include "kernel/sched/runqueue.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/core/cmdlines.h"
#include "trace/core/trace_printk.h"
#include "trace/ftrace/ftrace.h"

static pid_t held; /* the task that does not switch before may_switch is true */
static bool may_switch;

static void hold_task(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	while (current->pid == READ_ONCE(held) && !READ_ONCE(may_switch))
		cpu_relax();
}

static struct ftrace_ops holder = { .func = hold_task };

static void write_an_entry(void *arg __unused, unsigned index __unused)
{
	WRITE_ONCE(held, current->pid);
	trace_puts("an entry\n");
}

SELFTEST(cmdlines, a_task_has_its_name_before_its_last_switch)
{
	struct cpumask here = { { 0 } };
	struct test_group group;
	char comm[TASK_COMM_LEN];

	if (num_online_cpus() == 1)
		return; /* the held task would keep the only CPU */
	cpumask_set_cpu(nth_online_cpu(0), &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	held = 0;
	may_switch = false;
	ASSERT(ftrace_set_filter_ip(&holder, (unsigned long)do_task_dead, false, true) == 0);
	ASSERT(register_ftrace_function(&holder) == 0);
	tracing_record_cmdline(true);
	EXPECT(test_group_start(&group, 1, nth_online_cpu(1), write_an_entry, NULL));
	test_group_wait(&group); /* the task has ended, and has not switched */
	trace_find_cmdline(READ_ONCE(held), comm);
	EXPECT(strcmp(comm, "test/0") == 0);
	WRITE_ONCE(may_switch, true);
	tracing_record_cmdline(false);
	EXPECT_EQ(unregister_ftrace_function(&holder), 0);
	set_cpus_allowed(current, &cpu_possible_mask);
}
