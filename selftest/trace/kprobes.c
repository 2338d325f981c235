/*
 * Self-tests of kprobes: where a probe can be, what its handlers see, and that no probe changes
 * what the code computes.
 */
#include "trace/kprobes/kprobes.h"

#include "arch/cpu/irqflags.h"
#include "arch/probes/kprobes.h"
#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/smp.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"
#include "trace/ftrace/ftrace.h"

#define INT3 0xcc
#define UD2  0x0f /* its first byte */

static atomic64_t before, after;
static u64 seen_di, seen_ip, seen_after_ip;

static int count_before(struct kprobe *p __unused, struct pt_regs *regs)
{
	atomic64_inc(&before);
	seen_di = regs->di;
	seen_ip = regs->ip;
	return 0;
}

static void count_after(struct kprobe *p __unused, struct pt_regs *regs,
			unsigned long flags __unused)
{
	atomic64_inc(&after);
	seen_after_ip = regs->ip;
}

static void reset_counts(void)
{
	atomic64_set(&before, 0);
	atomic64_set(&after, 0);
}

#define KINDS_SIZE ((size_t)(kprobe_kinds_end - (const u8 *)kprobe_kinds))

/* Probes each byte of kprobe_kinds(), and counts those where an instruction starts. */
SELFTEST(kprobes, a_probe_at_any_instruction_changes_no_result)
{
	static struct kprobe probe = { .pre_handler = count_before, .post_handler = count_after };
	u64 expected = kprobe_kinds_checksum();
	unsigned boundaries = 0, wrong = 0;
	u8 text[256];

	ASSERT(KINDS_SIZE <= sizeof(text));
	memcpy(text, (const void *)kprobe_kinds, KINDS_SIZE);
	for (size_t i = 0; i < KINDS_SIZE; i++) {
		int error;

		probe.addr = (unsigned long)kprobe_kinds + i;
		reset_counts();
		error = register_kprobe(&probe);
		if (error == -EILSEQ || (error == -EOPNOTSUPP && text[i] == UD2))
			continue;
		if (error)
			selftest_diag(test, "at +%zu: %d", i, error);
		ASSERT(error == 0);
		boundaries++;
		if (((const u8 *)kprobe_kinds)[i] != INT3 || kprobe_kinds_checksum() != expected ||
		    seen_ip != probe.addr + 1 || atomic64_read(&before) != atomic64_read(&after)) {
			selftest_diag(test, "at +%zu", i);
			wrong++;
		}
		wrong += !atomic64_read(&before);
		unregister_kprobe(&probe);
		wrong += atomic64_read(&probe.nmissed) != 0;
	}
	EXPECT_EQ(wrong, 0);
	EXPECT(boundaries > 50);
	EXPECT(memcmp(text, (const void *)kprobe_kinds, KINDS_SIZE) == 0);
}

SELFTEST(kprobes, a_probe_at_an_entry_uses_ftrace_and_sees_the_arguments)
{
	static struct kprobe probe = { .symbol_name = "ftrace_target_add",
				       .pre_handler = count_before,
				       .post_handler = count_after };

	reset_counts();
	ASSERT(register_kprobe(&probe) == 0);
	EXPECT_EQ(probe.addr, (unsigned long)ftrace_target_add);
	EXPECT_EQ(*(const u8 *)ftrace_target_add, 0xe8);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(seen_di, 7);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT_EQ(atomic64_read(&after), 1);
	EXPECT_EQ(seen_after_ip, probe.addr + 5);
	unregister_kprobe(&probe);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(kprobes, wrong_places_are_refused_with_linux_errnos)
{
	static struct kprobe inside = { .symbol_name = "ftrace_target_add", .offset = 1 };
	static struct kprobe breakpoint_path = { .symbol_name = "do_int3", .offset = 1 };
	static struct kprobe entry_code = { .symbol_name = "asm_exc_int3" };
	static struct kprobe detour_end = { .symbol_name = "preempt_schedule" };
	static struct kprobe unknown = { .symbol_name = "no_such_function" };
	static struct kprobe data = { .addr = (unsigned long)&before };
	static struct kprobe nothing;
	static struct kprobe both = { .symbol_name = "do_int3",
				      .addr = (unsigned long)ftrace_target_add };

	EXPECT_EQ(register_kprobe(&inside), -EILSEQ);
	EXPECT_EQ(register_kprobe(&breakpoint_path), -EINVAL);
	EXPECT_EQ(register_kprobe(&entry_code), -EINVAL);
	EXPECT_EQ(register_kprobe(&detour_end), -EINVAL);
	EXPECT_EQ(register_kprobe(&unknown), -ENOENT);
	EXPECT_EQ(register_kprobe(&data), -EINVAL);
	EXPECT_EQ(register_kprobe(&nothing), -EINVAL);
	EXPECT_EQ(register_kprobe(&both), -EINVAL);
	EXPECT_EQ(enable_kprobe(&nothing), -EINVAL);
}

SELFTEST(kprobes, probes_of_one_address_are_enabled_each_for_itself)
{
	static struct kprobe first = { .pre_handler = count_before },
			     second = { .post_handler = count_after,
					.flags = KPROBE_FLAG_DISABLED };
	struct text_area_stats stats, stats_after;

	first.addr = second.addr = (unsigned long)kprobe_kinds + 2; /* mov rbp, rsp: in a slot */
	text_area_stats_read(&stats);
	reset_counts();
	ASSERT(register_kprobe(&first) == 0 && register_kprobe(&second) == 0);
	EXPECT_EQ(register_kprobe(&first), -EINVAL);
	kprobe_kinds(1);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT_EQ(atomic64_read(&after), 0);
	EXPECT_EQ(enable_kprobe(&second), 0);
	EXPECT_EQ(disable_kprobe(&first), 0);
	kprobe_kinds(1);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT_EQ(atomic64_read(&after), 1);
	EXPECT_EQ(disable_kprobe(&second), 0);
	EXPECT(*(const u8 *)first.addr != INT3);
	unregister_kprobe(&first);
	unregister_kprobe(&second);
	/* The optimizer may have made a detour, which is freed after a grace period. */
	do {
		msleep(1);
		text_area_stats_read(&stats_after);
	} while (stats_after.bytes > stats.bytes);
}

SELFTEST(kprobes, several_probes_come_and_go_at_once)
{
	static struct kprobe probes[8] = { [0 ... 7] = { .pre_handler = count_before } },
			     wrong = { .symbol_name = "do_int3" };
	struct kprobe *ps[ARRAY_SIZE(probes) + 1] = { [ARRAY_SIZE(probes)] = &wrong };
	const int n = ARRAY_SIZE(probes);
	u8 text[256];

	memcpy(text, (const void *)kprobe_kinds, KINDS_SIZE);
	for (int i = 0; i < n; i++) { /* 3 at one address */
		ps[i] = &probes[i];
		probes[i].addr = (unsigned long)(i < 6 ? kprobe_kinds : kprobe_kinds_add);
		probes[i].offset = i < 3 ? 2 : 0;
	}
	EXPECT_EQ(register_kprobes(ps, 0), -EINVAL);
	EXPECT_EQ(register_kprobes(ps, n + 1), -EINVAL);
	EXPECT(memcmp(text, (const void *)kprobe_kinds, KINDS_SIZE) == 0);
	reset_counts();
	for (int i = 0; i < n; i++) {
		probes[i].addr = (unsigned long)(i < 6 ? kprobe_kinds : kprobe_kinds_add);
		probes[i].offset = i < 3 ? 2 : 0;
	}
	ASSERT(register_kprobes(ps, n) == 0);
	kprobe_kinds(3);
	EXPECT_EQ(atomic64_read(&before), 6 + 2 * 4);
	unregister_kprobes(ps, n);
	kprobe_kinds(3);
	EXPECT_EQ(atomic64_read(&before), 6 + 2 * 4);
	EXPECT(memcmp(text, (const void *)kprobe_kinds, KINDS_SIZE) == 0);
}

static int call_kinds(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	kprobe_kinds(3);
	return 0;
}

SELFTEST(kprobes, a_hit_inside_a_handler_is_missed_and_counted)
{
	static struct kprobe outer = { .symbol_name = "kprobe_kinds_add",
				       .pre_handler = call_kinds },
			     inner = { .pre_handler = count_before, .post_handler = count_after };
	u64 expected = kprobe_kinds_add(4);

	inner.addr = (unsigned long)kprobe_kinds + 2;
	reset_counts();
	ASSERT(register_kprobe(&outer) == 0 && register_kprobe(&inner) == 0);
	EXPECT_EQ(kprobe_kinds_add(4), expected);
	EXPECT_EQ(atomic64_read(&inner.nmissed), 1);
	EXPECT_EQ(atomic64_read(&outer.nmissed), 4); /* kprobe_kinds() calls it four times */
	EXPECT_EQ(atomic64_read(&before), 0);
	EXPECT_EQ(atomic64_read(&after), 0);
	unregister_kprobe(&outer);
	unregister_kprobe(&inner);
}

#define CALLS 2000

static atomic64_t wrong_sums;

static void call_many(void *expected)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (kprobe_kinds(6) != *(u64 *)expected)
			atomic64_inc(&wrong_sums);
}

SELFTEST(kprobes, hits_on_all_cpus_equal_the_calls)
{
	static struct kprobe probe = { .pre_handler = count_before, .post_handler = count_after };
	u64 expected = kprobe_kinds(6);

	probe.addr = (unsigned long)kprobe_kinds + 2;
	reset_counts();
	atomic64_set(&wrong_sums, 0);
	ASSERT(register_kprobe(&probe) == 0);
	EXPECT_EQ(run_on_cpus(call_many, &expected), 0);
	EXPECT_EQ(atomic64_read(&before), (u64)CALLS * num_online_cpus());
	EXPECT_EQ(atomic64_read(&after), atomic64_read(&before));
	EXPECT_EQ(atomic64_read(&probe.nmissed), 0);
	EXPECT_EQ(atomic64_read(&wrong_sums), 0);
	unregister_kprobe(&probe);
}

void do_int3(struct pt_regs *regs);

/* QEMU may translate an int3 again while its byte is written, and trap where memory has none. */
SELFTEST(kprobes, a_trap_is_a_hit_as_long_as_the_probe_is_there)
{
	static struct kprobe probe = { .pre_handler = count_before, .post_handler = count_after };
	struct pt_regs regs = { .sp = (unsigned long)(&regs + 1) };
	unsigned long flags;
	u8 original;

	probe.addr = (unsigned long)kprobe_kinds + 2;
	original = *(const u8 *)probe.addr;
	reset_counts();
	ASSERT(register_kprobe(&probe) == 0);
	text_patch_byte(probe.addr, original);
	regs.ip = probe.addr + 1;
	local_irq_save(flags); /* as in the handler of an exception */
	do_int3(&regs);
	local_irq_restore(flags);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT(regs.ip != probe.addr && regs.ip != probe.addr + 1);
	unregister_kprobe(&probe);
	regs.ip = probe.addr + 1;
	local_irq_save(flags);
	do_int3(&regs);
	local_irq_restore(flags);
	EXPECT_EQ(atomic64_read(&before), 1);
	EXPECT_EQ_HEX(regs.ip, probe.addr);
}
