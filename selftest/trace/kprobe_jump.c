/*
 * Self-tests of optimized kprobes: where a jump replaces an int3, that it changes nothing but the
 * cost, and when it is written and taken back.
 */
#include "arch/irq/ipi.h"
#include "arch/cpu/irqflags.h"
#include "arch/unwind/stacktrace.h"
#include "arch/patch/text_area.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/smp.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

#define INT3 0xcc
#define JMP  0xe9

/* selftest/arch/kprobe_jump.asm. The offsets of probes are of the instructions named there. */
u64 kprobe_jump_popf(u64 flags, u64 a);
#define POPF 1
u64 kprobe_jump_flags(u64 flags, u64 a);
#define MOV 2
extern const u8 kprobe_jump_target[], kprobe_jump_indirect[], kprobe_jump_call[],
	kprobe_jump_fault[];

static atomic64_t wrong;

static atomic64_t nmi_hits;

static int count_nmi(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&nmi_hits);
	return 0;
}

static u8 first_byte(unsigned long addr)
{
	return READ_ONCE(*(const u8 *)addr);
}

static u8 jump_length(unsigned long addr)
{
	u8 bytes[DETOUR_MAX_LENGTH], length;

	mutex_lock(&kprobe_mutex);
	length = kprobe_jump_length(addr, bytes);
	mutex_unlock(&kprobe_mutex);
	return length;
}

static void wait_optimized(const struct kprobe *p)
{
	while (!kprobe_optimized(p))
		msleep(1);
}

/* ---- where ---- */

static u8 jump_length_at(const u8 *function, unsigned offset)
{
	return jump_length((unsigned long)function + offset);
}

SELFTEST(kprobe_jump, only_instructions_that_nothing_else_reaches_are_replaced)
{
	EXPECT_EQ(jump_length((unsigned long)kprobe_jump_popf + POPF), 5);
	EXPECT_EQ(jump_length((unsigned long)kprobe_jump_flags + MOV), 10);
	/* inc; cmp, to which a jump leads; cmp itself is the first one of its jump */
	EXPECT_EQ(jump_length_at(kprobe_jump_target, 2), 0);
	EXPECT_EQ(jump_length_at(kprobe_jump_target, 4), 6);
	/* mov, in a function with an indirect jump */
	EXPECT_EQ(jump_length_at(kprobe_jump_indirect, 7), 0);
	/* inc; call. inc; jz. inc; ret, the end of the function */
	EXPECT_EQ(jump_length_at(kprobe_jump_call, 1), 0);
	EXPECT_EQ(jump_length_at(kprobe_jump_call, 8), 0);
	EXPECT_EQ(jump_length_at(kprobe_jump_call, 14), 0);
	/* xor; a mov in the exception table. mov; inc, which is a fixup */
	EXPECT_EQ(jump_length_at(kprobe_jump_fault, 1), 0);
	EXPECT_EQ(jump_length_at(kprobe_jump_fault, 7), 0);
	/* In the entry of a function: the call site of ftrace is not an instruction to move. */
	EXPECT_EQ(jump_length((unsigned long)ftrace_target_add), 0);
}

/* ---- registers and flags ---- */

SELFTEST(kprobe_jump, a_jump_at_any_instruction_changes_no_result)
{
	static struct kprobe probe = { .pre_handler = kprobe_count };
	unsigned long start = (unsigned long)kprobe_kinds, end = (unsigned long)kprobe_kinds_end;
	size_t size = end - start;
	u64 expected = kprobe_kinds_checksum();
	unsigned jumps = 0;
	u8 text[256];

	ASSERT(size <= sizeof(text));
	memcpy(text, (const void *)start, size);
	for (probe.addr = start; probe.addr < end; probe.addr++) {
		if (register_kprobe(&probe))
			continue;
		if (jump_length(probe.addr)) {
			wait_optimized(&probe);
			atomic64_set(&kprobe_hits, 0);
			EXPECT_EQ(first_byte(probe.addr), JMP);
			EXPECT_EQ(kprobe_kinds_checksum(), expected);
			EXPECT(atomic64_read(&kprobe_hits) >= 5);
			EXPECT_EQ(atomic64_read(&probe.nmissed), 0);
			jumps++;
		}
		unregister_kprobe(&probe);
	}
	EXPECT(jumps >= 10);
	EXPECT(!memcmp(text, (const void *)start, size));
}

static u64 seen_ip, seen_sp, seen_flags, seen_si, seen_di, new_si;

static int see(struct kprobe *p __unused, struct pt_regs *regs)
{
	seen_ip = regs->ip;
	seen_sp = regs->sp;
	seen_flags = regs->flags;
	seen_si = regs->si;
	seen_di = regs->di;
	if (new_si)
		regs->si = new_si;
	return 0;
}

static int return_99(struct kprobe *p __unused, struct pt_regs *regs)
{
	regs->ax = 99;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += 8;
	return 1;
}

#define NO_FLAGS   (BIT(1) | X86_EFLAGS_IF)
#define TEST_FLAGS (NO_FLAGS | 0x8d5) /* CF PF AF ZF SF OF */

SELFTEST(kprobe_jump, a_handler_sees_and_changes_registers_as_after_an_int3)
{
	static struct kprobe probe = { .pre_handler = see };
	u64 expected = kprobe_jump_flags(TEST_FLAGS, 77), other = kprobe_jump_flags(TEST_FLAGS, 78);
	u64 without = kprobe_jump_flags(NO_FLAGS, 77), int3_sp;

	probe.addr = (unsigned long)kprobe_jump_flags + MOV;
	new_si = 0;
	ASSERT(register_kprobe(&probe) == 0);
	ASSERT(first_byte(probe.addr) == INT3);
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 77), expected);
	int3_sp = seen_sp;
	wait_optimized(&probe);
	seen_sp = seen_ip = 0;
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 77), expected);
	EXPECT_EQ(seen_ip, probe.addr + 1);
	EXPECT_EQ(seen_sp, int3_sp);
	EXPECT_EQ(seen_di, TEST_FLAGS);
	EXPECT_EQ(seen_si, 77);
	EXPECT_EQ(seen_flags & TEST_FLAGS, TEST_FLAGS);
	EXPECT_EQ(kprobe_jump_flags(NO_FLAGS, 77), without);
	new_si = 78;
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 77), other);
	unregister_kprobe(&probe);
	probe.pre_handler = return_99;
	ASSERT(register_kprobe(&probe) == 0);
	wait_optimized(&probe);
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 77), 99);
	unregister_kprobe(&probe);
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 77), expected);
}

/* ---- a task that was preempted in the covered bytes ---- */

struct victim {
	struct task_struct *task;
	bool pusher_ready, ready, push, go, release;
	u64 result;
};

/* An interrupt that is pending when it enters popfq comes behind popfq. */
static void be_preempted(void *arg, unsigned index __unused)
{
	struct victim *v = arg;

	WRITE_ONCE(v->task, current);
	v->result = kprobe_jump_popf(wait_with_irqs_off(&v->ready, &v->go), 14);
}

/* Sleeps until its timer finds push, and does not let the CPU go then. */
static void keep_others_off(void *arg, unsigned index __unused)
{
	struct victim *v = arg;

	sched_setscheduler(current, SCHED_FIFO, 10);
	WRITE_ONCE(v->pusher_ready, true);
	while (!READ_ONCE(v->push))
		msleep(1);
	while (!READ_ONCE(v->release))
		cond_resched();
}

static bool is_preempted_at(struct task_struct *task, unsigned long addr)
{
	unsigned long entries[16];
	unsigned n = stack_trace_save_task(task, entries, ARRAY_SIZE(entries));

	for (unsigned i = 0; i < n; i++)
		if (entries[i] == addr)
			return true;
	return false;
}

static bool has_detour(struct kprobe *p)
{
	bool has;

	mutex_lock(&kprobe_mutex);
	has = p->site->detour;
	mutex_unlock(&kprobe_mutex);
	return has;
}

/*
 * Stops a task behind popfq, or behind its copy: at that address. The caller keeps away from the
 * CPU that has interrupts off meanwhile: no other CPU would take a task from there.
 */
static bool stop_victim(struct victim *v, struct test_group *task, struct test_group *pusher,
			unsigned long addr)
{
	*v = (struct victim){ .ready = false };
	set_rt_throttling(false); /* the pusher must not let the victim go */
	if (!run_on_nth_cpu(0) ||
	    !test_group_start(pusher, 1, nth_online_cpu(1), keep_others_off, v))
		return false;
	while (!READ_ONCE(v->pusher_ready))
		yield();
	if (!test_group_start(task, 1, nth_online_cpu(1), be_preempted, v))
		return false;
	while (!READ_ONCE(v->ready))
		yield();
	/* The timer of the pusher expires, and the interrupt waits for popfq. */
	WRITE_ONCE(v->push, true);
	msleep(5);
	WRITE_ONCE(v->go, true);
	while (!is_preempted_at(v->task, addr))
		yield();
	return true;
}

static void let_victim_go(struct victim *v, struct test_group *task, struct test_group *pusher)
{
	WRITE_ONCE(v->release, true);
	test_group_wait(pusher);
	test_group_wait(task);
	run_on_any_cpu();
	set_rt_throttling(true);
}

SELFTEST(kprobe_jump, no_jump_is_written_while_a_task_is_preempted_in_the_covered_bytes)
{
	static struct kprobe probe = { .addr = (unsigned long)kprobe_jump_popf + POPF,
				       .pre_handler = kprobe_count };
	struct test_group task, pusher;
	struct victim v;

	if (num_online_cpus() < 2)
		return;
	ASSERT(stop_victim(&v, &task, &pusher, probe.addr + 1));
	ASSERT(register_kprobe(&probe) == 0);
	while (!has_detour(&probe) || !is_rcu_tasks_holdout(v.task))
		msleep(1);
	/* Now the optimizer waits for the task. Hits continue behind the bytes meanwhile. */
	atomic64_set(&kprobe_hits, 0);
	for (unsigned i = 0; i < 20; i++) {
		msleep(5);
		EXPECT_EQ(kprobe_jump_popf(NO_FLAGS, i), 3 * i);
		EXPECT(!kprobe_optimized(&probe));
		EXPECT_EQ(first_byte(probe.addr), INT3);
		EXPECT_EQ(first_byte(probe.addr + 1), 0x48); /* lea */
	}
	EXPECT_EQ(atomic64_read(&kprobe_hits), 20);
	EXPECT(is_preempted_at(v.task, probe.addr + 1) && is_rcu_tasks_holdout(v.task));
	let_victim_go(&v, &task, &pusher);
	EXPECT_EQ(v.result, 42);
	wait_optimized(&probe);
	EXPECT_EQ(first_byte(probe.addr), JMP);
	EXPECT_EQ(kprobe_jump_popf(NO_FLAGS, 5), 15);
	EXPECT_EQ(atomic64_read(&kprobe_hits), 21);
	unregister_kprobe(&probe);
}

static int walk_ended(void *arg __unused, unsigned long ip __unused)
{
	return 0;
}

SELFTEST(kprobe_jump, a_detour_stays_while_a_task_is_preempted_in_it)
{
	static struct kprobe probe = { .addr = (unsigned long)kprobe_jump_popf + POPF,
				       .pre_handler = kprobe_count };
	struct text_area_stats before, now;
	struct test_group task, pusher;
	unsigned long copy;
	struct victim v;

	if (num_online_cpus() < 2)
		return;
	rcu_barrier_tasks();
	rcu_barrier();
	text_area_stats_read(&before);
	ASSERT(register_kprobe(&probe) == 0);
	wait_optimized(&probe);
	mutex_lock(&kprobe_mutex);
	copy = arch_detour_copies(&probe.site->detour->arch) + 1; /* behind popfq */
	mutex_unlock(&kprobe_mutex);
	ASSERT(stop_victim(&v, &task, &pusher, copy));
	/* A live patch must wait for this task. */
	EXPECT(arch_stack_walk_reliable(v.task, walk_ended, NULL) < 0);
	unregister_kprobe(&probe);
	EXPECT_EQ(first_byte(probe.addr), 0x9d); /* popfq */
	EXPECT_EQ(kprobe_jump_popf(NO_FLAGS, 5), 15);
	msleep(50);
	text_area_stats_read(&now);
	EXPECT_EQ(now.bytes, before.bytes + 64);
	EXPECT_EQ(first_byte(copy), 0x48); /* lea */
	let_victim_go(&v, &task, &pusher);
	EXPECT_EQ(v.result, 42);
	rcu_barrier_tasks();
	rcu_barrier();
	text_area_stats_read(&now);
	EXPECT_EQ(now.bytes, before.bytes);
}

/* ---- back to the int3 ---- */

SELFTEST(kprobe_jump, other_probes_and_post_handlers_take_the_jump_back)
{
	static struct kprobe probe = { .addr = (unsigned long)kprobe_jump_flags + MOV,
				       .pre_handler = kprobe_count },
			     covered = { .addr = (unsigned long)kprobe_jump_flags + MOV + 3,
					 .pre_handler = kprobe_count },
			     post = { .addr = (unsigned long)kprobe_jump_flags + MOV,
				      .post_handler = kprobe_post_nothing,
				      .flags = KPROBE_FLAG_DISABLED };
	u64 expected = kprobe_jump_flags(TEST_FLAGS, 5);

	ASSERT(register_kprobe(&probe) == 0);
	wait_optimized(&probe);
	EXPECT_EQ(register_kprobe(&covered), 0);
	EXPECT(!kprobe_optimized(&probe));
	EXPECT_EQ(first_byte(probe.addr), INT3);
	EXPECT_EQ(first_byte(covered.addr), INT3);
	atomic64_set(&kprobe_hits, 0);
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 5), expected);
	EXPECT_EQ(atomic64_read(&kprobe_hits), 2);
	wait_optimized(&covered);
	EXPECT(!kprobe_optimized(&probe));
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 5), expected);
	EXPECT_EQ(atomic64_read(&kprobe_hits), 4);
	unregister_kprobe(&covered);
	wait_optimized(&probe); /* without another call */

	ASSERT(register_kprobe(&post) == 0);
	EXPECT(kprobe_optimized(&probe) && kprobe_optimized(&post));
	EXPECT_EQ(enable_kprobe(&post), 0);
	EXPECT_EQ(first_byte(probe.addr), INT3);
	EXPECT_EQ(disable_kprobe(&post), 0);
	wait_optimized(&probe);
	EXPECT_EQ(disable_kprobe(&probe), 0);
	EXPECT_EQ(first_byte(probe.addr), 0x48); /* mov */
	EXPECT_EQ(enable_kprobe(&probe), 0);
	wait_optimized(&probe);
	EXPECT_EQ(kprobe_jump_flags(TEST_FLAGS, 5), expected);
	unregister_kprobe(&post);
	unregister_kprobe(&probe);
}

/* ---- all at once ---- */

static bool stop_work;
static atomic64_t calls;

static void work(void *expected, unsigned index __unused)
{
	u64 mine = 0;

	for (; !READ_ONCE(stop_work); mine++) {
		if (kprobe_jump_flags(TEST_FLAGS, 9) != *(u64 *)expected)
			atomic64_inc(&wrong);
		if (mine % 256 == 0)
			msleep(1);
	}
	atomic64_add((s64)mine, &calls);
}

#define TURNS 6

/* Each state is written while all CPUs execute the instructions, and NMIs come in between. */
SELFTEST(kprobe_jump, hits_are_exact_while_jumps_come_and_go_on_all_cpus)
{
	static struct kprobe probe = { .addr = (unsigned long)kprobe_jump_flags + MOV,
				       .pre_handler = kprobe_count },
			     covered = { .addr = (unsigned long)kprobe_jump_flags + MOV + 3 },
			     of_nmi = { .symbol_name = "smp_handle_nmi",
					.offset = 5,
					.pre_handler = count_nmi };
	u64 expected = kprobe_jump_flags(TEST_FLAGS, 9);
	struct test_group group;

	stop_work = false;
	atomic64_set(&wrong, 0);
	atomic64_set(&calls, 0);
	atomic64_set(&kprobe_hits, 0);
	ASSERT(register_kprobe(&probe) == 0 && register_kprobe(&of_nmi) == 0);
	ASSERT(test_group_start(&group, num_online_cpus(), EACH_CPU, work, &expected));
	for (unsigned i = 0; i < TURNS; i++) {
		arch_send_nmi(nth_online_cpu(i));
		wait_optimized(&probe);
		arch_send_nmi(nth_online_cpu(i + 1));
		EXPECT_EQ(register_kprobe(&covered), 0);
		arch_send_nmi(nth_online_cpu(i + 2));
		unregister_kprobe(&covered);
	}
	WRITE_ONCE(stop_work, true);
	test_group_wait(&group);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(atomic64_read(&kprobe_hits) + atomic64_read(&probe.nmissed),
		  atomic64_read(&calls));
	EXPECT(atomic64_read(&nmi_hits) + atomic64_read(&of_nmi.nmissed) > 0);
	unregister_kprobe(&of_nmi);
	unregister_kprobe(&probe);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}
