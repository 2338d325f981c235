/* Self-tests of compiled programs in the kernel: what the host cannot test. */
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "arch/mm/pgtable.h"
#include "arch/patch/text_area.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/preempt.h"
#include "kernel/rcu/rcu.h"
#include "kernel/smp.h"
#include "selftest/bpf/programs.h"
#include "selftest/selftest.h"

static u64 run(const struct bpf_prog *prog, const void *ctx)
{
	u64 result;

	preempt_disable();
	result = bpf_prog_run(prog, ctx);
	preempt_enable();
	return result;
}

/* Loads size bytes at an address, into R0 and into R7, which must keep its neighbours. */
static u64 probe(struct selftest *test, u64 address, u8 size)
{
	const struct bpf_insn insns[] = {
		LOAD_ADDRESS(BPF_REG_7, address),
		MOV_REG(BPF_REG_8, BPF_REG_7),
		INSN(BPF_LDX | BPF_PROBE_MEM | size, BPF_REG_0, BPF_REG_7, 0, 0),
		INSN(BPF_LDX | BPF_PROBE_MEM | size, BPF_REG_7, BPF_REG_7, 0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_X, BPF_REG_0, BPF_REG_7, 1, 0),
		EXIT,
		MOV_IMM(BPF_REG_0, -1),
		EXIT,
	};
	struct bpf_prog *prog = test_prog_create(insns, ARRAY_SIZE(insns));
	u64 compiled, interpreted;

	if (!prog) {
		selftest_fail(test, __FILE__, __LINE__, "no program");
		return 0;
	}
	compiled = run(prog, NULL);
	preempt_disable();
	interpreted = bpf_interpret(NULL, prog->insns);
	preempt_enable();
	EXPECT_EQ_HEX(compiled, interpreted);
	test_prog_free(prog);
	return compiled;
}

SELFTEST(bpf_jit, a_load_from_an_address_that_is_not_mapped_gives_0)
{
	static const u64 word = 0x8877665544332211;

	EXPECT_EQ_HEX(probe(test, (u64)&word, BPF_B), 0x11);
	EXPECT_EQ_HEX(probe(test, (u64)&word, BPF_H), 0x2211);
	EXPECT_EQ_HEX(probe(test, (u64)&word, BPF_W), 0x44332211);
	EXPECT_EQ_HEX(probe(test, (u64)&word, BPF_DW), 0x44332211);
	EXPECT_EQ_HEX(probe(test, 0, BPF_DW), 0);
	EXPECT_EQ_HEX(probe(test, 0x400000, BPF_DW), 0);
	EXPECT_EQ_HEX(probe(test, 0x8000000000000000, BPF_DW), 0); /* not canonical */
	EXPECT_EQ_HEX(probe(test, 0xffff800000000000 - 4096, BPF_B), 0);
	EXPECT_EQ_HEX(probe(test, TEXT_AREA_END - PAGE_SIZE, BPF_W), 0);
	EXPECT_EQ_HEX(probe(test, ~0UL - 7, BPF_DW), 0);
}

static char names[3][KSYM_SYMBOL_LEN];

/* A helper: notes the names of its callers. */
static u64 note_callers(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused, u64 r4 __unused,
			u64 r5 __unused)
{
	unsigned long entries[ARRAY_SIZE(names)] = { 0 };

	stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		sprint_symbol(names[i], entries[i]);
	return 0;
}

SELFTEST(bpf_jit, a_program_is_in_stack_traces_and_in_kallsyms)
{
	const struct bpf_insn insns[] = { CALL(note_callers), EXIT };
	struct bpf_prog *prog = test_prog_create(insns, ARRAY_SIZE(insns));
	char name[KSYM_SYMBOL_LEN];

	ASSERT(prog);
	run(prog, NULL);
	EXPECT(strstr(names[0], "note_callers+"));
	EXPECT(strstr(names[1], "bpf_prog_0000000000000000_test+"));
	EXPECT(strstr(names[1], "[bpf]"));
	EXPECT(strstr(names[2], "selftest_bpf_jit_a_program_is_in_stack_traces") ||
	       strstr(names[2], "run+"));
	sprint_symbol(name, (unsigned long)prog->bpf_func);
	EXPECT(!strncmp(name, "bpf_prog_0000000000000000_test+0x0/", 34));
	test_prog_free(prog);
}

SELFTEST(bpf_jit, a_program_of_many_pages_is_freed_as_a_whole)
{
	struct bpf_insn *insns = kcalloc(BPF_MAXINSNS, sizeof(*insns), GFP_KERNEL);
	struct text_area_stats before, during, after;
	struct bpf_prog *prog;

	ASSERT(insns);
	insns[0] = MOV_IMM(BPF_REG_0, 0);
	for (unsigned i = 1; i < BPF_MAXINSNS - 1; i++)
		insns[i] = INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_0, 0, 0, 1000);
	insns[BPF_MAXINSNS - 1] = EXIT;
	rcu_barrier_tasks();
	text_area_stats_read(&before);
	prog = test_prog_create(insns, BPF_MAXINSNS);
	ASSERT(prog);
	text_area_stats_read(&during);
	EXPECT(during.bytes >= before.bytes + 6 * PAGE_SIZE);
	EXPECT_EQ(run(prog, NULL), (BPF_MAXINSNS - 2) * 1000);
	test_prog_free(prog);
	text_area_stats_read(&after);
	EXPECT_EQ(after.bytes, before.bytes);
	kfree(insns);
}

/* Whether the stack is low when frames of that size are on it. */
static noinline bool is_low_below(unsigned kilobytes)
{
	volatile char frame[1000];

	frame[0] = 0;
	return kilobytes ? is_low_below(kilobytes - 1) + frame[0] : bpf_stack_is_low();
}

static bool asks_nmi;
static bool nmi_is_low[2];

static bool ask_in_nmi(struct pt_regs *regs __unused)
{
	if (READ_ONCE(asks_nmi)) {
		nmi_is_low[0] = is_low_below(0);
		nmi_is_low[1] = is_low_below(8);
		WRITE_ONCE(asks_nmi, false);
	}
	return false;
}
NMI_HANDLER(ask_in_nmi);

static void nothing(void *info __unused)
{
}

SELFTEST(bpf_jit, the_stacks_of_tasks_and_of_nmis_become_low)
{
	EXPECT(!is_low_below(0));
	EXPECT(is_low_below(8));
	WRITE_ONCE(asks_nmi, true);
	arch_send_nmi(smp_processor_id());
	on_each_cpu(nothing, NULL, true); /* an NMI comes before an interrupt that is sent later */
	EXPECT(!READ_ONCE(asks_nmi));
	EXPECT(!nmi_is_low[0]);
	EXPECT(nmi_is_low[1]);
}
