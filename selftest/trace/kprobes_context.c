/*
 * Self-tests of kprobes: probes in code that faults, that has interrupts off, and that NMIs
 * execute; handlers that choose where execution continues.
 */
#include "arch/irq/ipi.h"
#include "arch/cpu/irqflags.h"
#include "arch/unwind/maccess.h"
#include "arch/cpu/percpu.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/kprobes/kprobes.h"

static atomic64_t wrong;

static void reset(void)
{
	atomic64_set(&kprobe_hits, 0);
	atomic64_set(&wrong, 0);
}

#define NOT_MAPPED ((const char *)0xffffff8000000000UL)
#define LAST_BYTES 11 /* of a page, before one that is not mapped */

/* Copies that work, that fault at once, and that fault in the middle. */
static bool copies_are_right(void)
{
	char from[64], to[64] = "";
	unsigned i;

	for (i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7);
	if (copy_from_kernel_nofault(to, from, 61) || memcmp(to, from, 61) || to[61])
		return false;
	if (copy_from_kernel_nofault(to, NOT_MAPPED, 20) != -EFAULT)
		return false;
	return copy_from_kernel_nofault(to, (const char *)-LAST_BYTES, 20) == -EFAULT;
}

SELFTEST(kprobes_context, a_probe_at_an_instruction_that_faults_changes_no_copy)
{
	static struct kprobe probe = { .pre_handler = kprobe_count,
				       .post_handler = kprobe_post_nothing };
	unsigned long start = (unsigned long)__copy_user, end = (unsigned long)__clear_user;
	unsigned probed = 0;

	ASSERT(copies_are_right());
	for (unsigned long at = start; at < end; at++) {
		probe.addr = at;
		reset();
		if (register_kprobe(&probe))
			continue;
		if (!copies_are_right()) {
			selftest_diag(test, "at +%lu", at - start);
			atomic64_inc(&wrong);
		}
		unregister_kprobe(&probe);
		probed++;
		EXPECT_EQ(atomic64_read(&wrong), 0);
	}
	EXPECT(probed >= 12);
}

static u64 flags_before, flags_after;

static int see_flags(struct kprobe *p __unused, struct pt_regs *regs)
{
	flags_before = regs->flags;
	return 0;
}

static void see_flags_after(struct kprobe *p __unused, struct pt_regs *regs,
			    unsigned long flags __unused)
{
	flags_after = regs->flags;
}

SELFTEST(kprobes_context, handlers_and_code_see_the_interrupt_flag_as_it_was)
{
	static struct kprobe probe = { .pre_handler = see_flags, .post_handler = see_flags_after };
	unsigned long flags;

	probe.addr = (unsigned long)kprobe_kinds + 2;
	ASSERT(register_kprobe(&probe) == 0);
	kprobe_kinds(3);
	EXPECT(flags_before & X86_EFLAGS_IF && flags_after & X86_EFLAGS_IF);
	EXPECT(!irqs_disabled());
	local_irq_save(flags);
	kprobe_kinds(3);
	EXPECT(irqs_disabled());
	local_irq_restore(flags);
	EXPECT(!(flags_before & X86_EFLAGS_IF) && !(flags_after & X86_EFLAGS_IF));
	unregister_kprobe(&probe);
}

long kprobe_call_memory(u64 a, const void *fn);
u64 kprobe_operands(u64 a, unsigned long fn_of_cpu);
extern char kprobe_operands_end[];
static DEFINE_PER_CPU(unsigned long, fn_of_cpu);

SELFTEST(kprobes_context, an_emulated_call_through_a_bad_pointer_faults_at_the_call)
{
	static struct kprobe probe = { .pre_handler = kprobe_count };
	unsigned long fn = (unsigned long)kprobe_kinds_add;

	probe.addr = (unsigned long)kprobe_call_memory + 4;
	ASSERT(*(const u8 *)probe.addr == 0xff);
	reset();
	EXPECT_EQ(kprobe_call_memory(2, &fn), 13);
	EXPECT_EQ(kprobe_call_memory(2, NOT_MAPPED), -EFAULT);
	ASSERT(register_kprobe(&probe) == 0);
	EXPECT_EQ(kprobe_call_memory(2, &fn), 13);
	EXPECT_EQ(kprobe_call_memory(2, NOT_MAPPED), -EFAULT);
	EXPECT_EQ(atomic64_read(&kprobe_hits), 2);
	unregister_kprobe(&probe);
}

SELFTEST(kprobes_context, operands_of_the_cpu_and_without_a_base_are_emulated)
{
	static struct kprobe probe = { .pre_handler = kprobe_count };
	unsigned long start = (unsigned long)kprobe_operands;
	unsigned calls = 0;
	u64 expected;

	preempt_disable();
	this_cpu_write(fn_of_cpu, (unsigned long)kprobe_kinds_add);
	preempt_enable();
	for (unsigned cpu = 0; cpu < num_online_cpus(); cpu++)
		per_cpu(fn_of_cpu, nth_online_cpu(cpu)) = (unsigned long)kprobe_kinds_add;
	expected = kprobe_operands(5, (unsigned long)&fn_of_cpu);
	EXPECT_EQ(expected, ((5 * 5 + 3) * 5 + 3) * 5 + 3);
	for (unsigned long at = start; at < (unsigned long)kprobe_operands_end; at++) {
		probe.addr = at;
		reset();
		if (register_kprobe(&probe))
			continue;
		EXPECT_EQ(kprobe_operands(5, (unsigned long)&fn_of_cpu), expected);
		EXPECT_EQ(atomic64_read(&kprobe_hits), 1);
		unregister_kprobe(&probe);
		calls++;
	}
	EXPECT_EQ(calls, 10);
}

static int go_to_multiply(struct kprobe *p __unused, struct pt_regs *regs)
{
	regs->ip = (unsigned long)ftrace_target_multiply;
	return 1;
}

static int go_to_recurse(struct kprobe *p __unused, struct pt_regs *regs)
{
	regs->ip = (unsigned long)ftrace_target_recurse;
	return 1;
}

SELFTEST(kprobes_context, a_handler_chooses_where_execution_continues)
{
	static struct kprobe probe = { .pre_handler = go_to_multiply };

	for (unsigned args_only = 0; args_only < 2; args_only++) {
		probe.addr = (unsigned long)ftrace_target_add;
		probe.args_only = args_only;
		ASSERT(register_kprobe(&probe) == 0);
		EXPECT_EQ(ftrace_target_add(7, 8), 56);
		unregister_kprobe(&probe);
		EXPECT_EQ(ftrace_target_add(7, 8), 15);
	}
	/* An int3: the first instruction of an assembly function, which has no call site. */
	probe.addr = (unsigned long)kprobe_kinds_add;
	probe.pre_handler = go_to_recurse;
	ASSERT(register_kprobe(&probe) == 0);
	EXPECT_EQ((unsigned)kprobe_kinds_add(7), 7);
	unregister_kprobe(&probe);
}

static unsigned wrong_places;

static int see_place(struct kprobe *p, struct pt_regs *regs)
{
	wrong_places += regs->ip != p->addr + 1;
	return kprobe_count(p, regs);
}

SELFTEST(kprobes_context, one_function_has_a_probe_of_all_registers_and_one_of_arguments)
{
	static struct kprobe all = { .pre_handler = see_place },
			     args = { .pre_handler = see_place, .args_only = true };

	all.addr = args.addr = (unsigned long)ftrace_target_add;
	wrong_places = 0;
	reset();
	ASSERT(register_kprobe(&all) == 0);
	ASSERT(register_kprobe(&args) == 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&kprobe_hits), 2);
	EXPECT_EQ(wrong_places, 0);
	unregister_kprobe(&args);
	args.pre_handler = go_to_multiply;
	ASSERT(register_kprobe(&args) == 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 56);
	unregister_kprobe(&all);
	unregister_kprobe(&args);
}

/* ---- a handler that runs for long ---- */

static bool in_handler, left_handler;

/*
 * Runs with interrupts off. It waits for no task: that could be on a CPU where another one waits
 * for a call of this CPU.
 */
static int stay(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	WRITE_ONCE(in_handler, true);
	udelay(20000);
	WRITE_ONCE(left_handler, true);
	return 0;
}

static void call_kinds(void *unused __unused, unsigned index __unused)
{
	kprobe_kinds(1);
}

SELFTEST(kprobes_context, disabling_one_of_two_probes_waits_for_its_handler)
{
	static struct kprobe stays = { .pre_handler = stay },
			     other = { .pre_handler = kprobe_count };
	struct test_group caller;

	if (num_online_cpus() < 2)
		return;
	in_handler = left_handler = false;
	stays.addr = other.addr = (unsigned long)kprobe_kinds + 2;
	ASSERT(register_kprobe(&stays) == 0 && register_kprobe(&other) == 0);
	ASSERT(test_group_start(&caller, 1, nth_online_cpu(1), call_kinds, NULL));
	while (!READ_ONCE(in_handler))
		cpu_relax();
	EXPECT_EQ(disable_kprobe(&stays), 0);
	EXPECT(READ_ONCE(left_handler));
	test_group_wait(&caller);
	unregister_kprobe(&stays);
	unregister_kprobe(&other);
}

/* ---- NMIs ---- */

#define NMIS 60

static atomic64_t nmi_hits;

static int count_nmi(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&nmi_hits);
	return 0;
}

static bool stop_work;

static void work(void *expected, unsigned index __unused)
{
	while (!READ_ONCE(stop_work))
		if (kprobe_kinds(6) != *(u64 *)expected)
			atomic64_inc(&wrong);
}

/* The same int3 site is hit by tasks, and NMIs hit another one, also in the middle of the first. */
SELFTEST(kprobes_context, hits_in_nmis_are_counted_or_missed_and_change_nothing)
{
	static struct kprobe of_task = { .pre_handler = kprobe_count,
					 .post_handler = kprobe_post_nothing },
			     of_nmi = { .symbol_name = "smp_handle_nmi",
					.offset = 5,
					.pre_handler = count_nmi };
	u64 expected = kprobe_kinds(6);
	static struct test_group group;

	reset();
	atomic64_set(&nmi_hits, 0);
	stop_work = false;
	of_task.addr = (unsigned long)kprobe_kinds + 2;
	ASSERT(register_kprobe(&of_task) == 0 && register_kprobe(&of_nmi) == 0);
	ASSERT(test_group_start(&group, num_online_cpus(), EACH_CPU, work, &expected));
	while (!atomic64_read(&kprobe_hits))
		msleep(1); /* a task on this CPU works only now */
	for (unsigned i = 0; i < NMIS; i++) {
		s64 seen = atomic64_read(&nmi_hits) + atomic64_read(&of_nmi.nmissed);

		arch_send_nmi(nth_online_cpu(i));
		while (atomic64_read(&nmi_hits) + atomic64_read(&of_nmi.nmissed) == seen)
			cpu_relax();
	}
	WRITE_ONCE(stop_work, true);
	test_group_wait(&group);
	EXPECT(atomic64_read(&nmi_hits) + atomic64_read(&of_nmi.nmissed) >= NMIS);
	EXPECT(atomic64_read(&nmi_hits) > 0);
	EXPECT(atomic64_read(&kprobe_hits) > 0);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	unregister_kprobe(&of_task);
	unregister_kprobe(&of_nmi);
}
