/* Self-tests of the hook of page faults. */
#include "arch/irq/page_fault.h"

#include "arch/cpu/ptrace.h"
#include "kernel/errno.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/signal.h"
#include "selftest/arch/ring3.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

extern const char ring3_kernel_read[], ring3_kernel_read_end[];

/* What the hook has seen of this task, and of the program of ring3.h. */
static struct task_struct *tester;
static unsigned minor_faults, failed_faults, of_program;
static unsigned long last_address;
static bool from_user, preemption_was_on;

static void see_fault(const struct pt_regs *regs, unsigned long address, bool minor, bool major)
{
	if (current != tester) {
		of_program += user_mode(regs) && !minor && !major;
		return;
	}
	minor_faults += minor;
	failed_faults += !minor && !major;
	last_address = address;
	from_user = user_mode(regs);
	preemption_was_on = !preempt_count();
}

static struct page_fault_hook hook = { .fn = see_fault };

static void expect_faults(struct selftest *test, unsigned minor, unsigned failed)
{
	EXPECT_EQ(READ_ONCE(minor_faults), minor);
	EXPECT_EQ(READ_ONCE(failed_faults), failed);
}

SELFTEST(page_fault_hook, sees_each_fault_once_and_whether_it_succeeded)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);

	ASSERT(mm);
	tester = current;
	minor_faults = failed_faults = 0;
	EXPECT_EQ(user_poke(addr, 1), 0);
	expect_faults(test, 0, 0);
	EXPECT_EQ(page_fault_hook_set(&hook), 0);
	EXPECT_EQ(user_poke(addr, 2), 0); /* the page is there */
	expect_faults(test, 0, 0);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE + 7, 3), 0);
	expect_faults(test, 1, 0);
	EXPECT_EQ_HEX(READ_ONCE(last_address), addr + PAGE_SIZE + 7);
	EXPECT(!READ_ONCE(from_user));
	EXPECT(!READ_ONCE(preemption_was_on));
	EXPECT_EQ(user_peek(addr + 4 * PAGE_SIZE), -EFAULT);
	expect_faults(test, 1, 1);
	EXPECT_EQ(page_fault_hook_set(NULL), 0);
	EXPECT_EQ(user_poke(addr + 2 * PAGE_SIZE, 4), 0);
	expect_faults(test, 1, 1);
	test_mm_end(mm);
}

SELFTEST(page_fault_hook, sees_the_fault_that_ends_a_program)
{
	struct ring3 program;

	tester = current;
	of_program = 0;
	EXPECT_EQ(page_fault_hook_set(&hook), 0);
	if (ring3_start(&program, ring3_kernel_read, ring3_kernel_read_end, 0)) {
		EXPECT_EQ(ring3_wait(&program), SIGSEGV);
		ring3_free(&program);
	} else {
		EXPECT(!"started");
	}
	EXPECT_EQ(page_fault_hook_set(NULL), 0);
	EXPECT_EQ(of_program, 1);
}
