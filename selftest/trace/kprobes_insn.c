/* Self-tests of a probe's instruction: copies, slots, emulation, all without a breakpoint. */
#include "arch/probes/insn_emulate.h"
#include "arch/probes/kprobes.h"
#include "arch/patch/text_area.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/selftest.h"

#define ADDR 0xffffffff81234560UL
#define INT3 0xcc

/* mov rax, [rip + 0x10]; the same with eip; and one with an immediate: add [rip - 16], 5 */
static const u8 load[] = { 0x48, 0x8b, 0x05, 0x10, 0, 0, 0 };
static const u8 load_eip[] = { 0x67, 0x48, 0x8b, 0x05, 0x10, 0, 0, 0 };
static const u8 add_imm[] = { 0x83, 0x05, 0xf0, 0xff, 0xff, 0xff, 5 };

/* Whether the copy, which is or will be at copy_addr, does what the instruction at ADDR does. */
static bool same_operands(struct selftest *test, const u8 *copy, unsigned long copy_addr,
			  const u8 *text, size_t size)
{
	struct insn insn, copied;
	long away;

	if (insn_decode(&insn, text, size) || insn_decode(&copied, copy, size) ||
	    copied.length != insn.length) {
		selftest_diag(test, "the copy at %#lx is another instruction", copy_addr);
		return false;
	}
	away = (long)(insn_rip_address(&copied, copy_addr) - insn_rip_address(&insn, ADDR));
	if (away || copied.imm != insn.imm)
		selftest_diag(test,
			      "operand of the copy at %#lx: %+ld bytes from the right one, imm %ld",
			      copy_addr, away, (long)copied.imm);
	return !away && copied.imm == insn.imm;
}

/* Copies the instruction at ADDR. 0, an error, or 1: the copy does something else. */
static int copied_by(struct selftest *test, long distance, const u8 *text, size_t size)
{
	unsigned long at = ADDR + (unsigned long)distance;
	u8 copy[MAX_INSN_SIZE] = { 0 };
	struct insn insn;
	int error = insn_decode(&insn, text, size);

	if (!error)
		error = arch_kprobe_copy_insn(copy, at, &insn, text, ADDR);
	if (error)
		return error;
	return same_operands(test, copy, at, text, size) ? 0 : 1;
}

SELFTEST(kprobes_insn, a_copy_has_the_operand_of_the_original_or_is_refused)
{
	static const long distances[] = { 0, 64, -64, 0x1234567, -0x1234567 };

	for (unsigned i = 0; i < ARRAY_SIZE(distances); i++) {
		ASSERT(copied_by(test, distances[i], load, sizeof(load)) == 0);
		ASSERT(copied_by(test, distances[i], add_imm, sizeof(add_imm)) == 0);
	}
	EXPECT_EQ(copied_by(test, -0x7fffffff, load, sizeof(load)), -EOPNOTSUPP);
	EXPECT_EQ(copied_by(test, -0x100000000, load, sizeof(load)), -EOPNOTSUPP);
	EXPECT_EQ(copied_by(test, 0x80000000, add_imm, sizeof(add_imm)), -EOPNOTSUPP);
	EXPECT_EQ(copied_by(test, 64, load_eip, sizeof(load_eip)), -EOPNOTSUPP);
}

SELFTEST(kprobes_insn, a_slot_has_two_copies_and_is_left_behind_each)
{
	static const u64 flags[] = { 0, X86_EFLAGS_IF };
	unsigned long behind[ARRAY_SIZE(flags)];
	struct arch_kprobe probe;
	unsigned wrong = 0, stops = 0;

	ASSERT(arch_kprobe_prepare(&probe, ADDR, load, sizeof(load)) == 0);
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
		struct pt_regs regs = { .ip = ADDR + 1, .flags = flags[i] };
		const u8 *copy;

		EXPECT(!arch_kprobe_execute(&probe, &regs));
		copy = (const u8 *)regs.ip;
		behind[i] = regs.ip + sizeof(load) + 1;
		EXPECT(same_operands(test, copy, regs.ip, load, sizeof(load)));
		EXPECT_EQ(copy[sizeof(load)], INT3);
		regs.ip = behind[i];
		EXPECT(arch_kprobe_leave_slot(&probe, &regs));
		EXPECT_EQ(regs.ip - ADDR, sizeof(load));
		EXPECT_EQ(regs.flags, flags[i]);
	}
	for (unsigned long offset = 1; offset <= KPROBE_SLOT_SIZE; offset++) {
		struct pt_regs regs = { .ip = probe.slot + offset };

		stops += *(const u8 *)(regs.ip - 1) == INT3;
		if (regs.ip == behind[0] || regs.ip == behind[1])
			continue;
		if (arch_kprobe_leave_slot(&probe, &regs) && !wrong++)
			selftest_diag(test, "an int3 that is behind no copy leads out: ip slot+%lu",
				      offset);
	}
	EXPECT_EQ(wrong, 0);
	/* A byte of a displacement may be an int3, too. */
	if (stops < KPROBE_SLOT_SIZE - ARRAY_SIZE(flags) * sizeof(load))
		selftest_diag(test, "only %u bytes of the slot are int3", stops);
	EXPECT(stops >= KPROBE_SLOT_SIZE - ARRAY_SIZE(flags) * sizeof(load));
	arch_kprobe_release(&probe);
}

#define REFUSED_SLOTS 200

SELFTEST(kprobes_insn, a_slot_that_cannot_reach_the_operand_is_freed)
{
	struct text_area_stats before, after;
	struct arch_kprobe probe;

	text_area_stats_read(&before);
	for (unsigned i = 0; i < REFUSED_SLOTS; i++)
		ASSERT(arch_kprobe_prepare(&probe, ADDR - 0x80000000, load, sizeof(load)) ==
		       -EOPNOTSUPP);
	EXPECT_EQ(probe.slot, 0);
	text_area_stats_read(&after);
	/* Others may allocate at the same time, but not so much. */
	EXPECT(after.bytes < before.bytes + REFUSED_SLOTS * KPROBE_SLOT_SIZE / 2);
}

/* Instructions that load segment registers or wait, and whether a slot may execute them. */
static const struct special {
	const char *name;
	u8 text[8];
	int error;
} specials[] = {
	{ "swapgs", { 0x0f, 0x01, 0xf8 }, -EOPNOTSUPP },
	{ "mov gs, eax", { 0x8e, 0xe8 }, -EOPNOTSUPP },
	{ "mov gs, [rax]", { 0x8e, 0x28 }, -EOPNOTSUPP },
	{ "pop gs", { 0x0f, 0xa9 }, -EOPNOTSUPP },
	{ "lgs eax, [rcx]", { 0x0f, 0xb5, 0x01 }, -EOPNOTSUPP },
	{ "wrgsbase rax", { 0xf3, 0x48, 0x0f, 0xae, 0xd8 }, -EOPNOTSUPP },
	{ "wrgsbase r8d", { 0xf3, 0x41, 0x0f, 0xae, 0xd8 }, -EOPNOTSUPP },
	{ "mov ss, eax", { 0x8e, 0xd0 }, -EOPNOTSUPP },
	{ "mwait", { 0x0f, 0x01, 0xc9 }, -EOPNOTSUPP },
	{ "mwaitx", { 0x0f, 0x01, 0xfb }, -EOPNOTSUPP },
	{ "sti", { 0xfb }, -EOPNOTSUPP },
	{ "hlt", { 0xf4 }, -EOPNOTSUPP },
	{ "int3", { 0xcc }, -EOPNOTSUPP },
	{ "mov ds, eax", { 0x8e, 0xd8 }, 0 },
	{ "mov es, eax", { 0x8e, 0xc0 }, 0 },
	{ "mov fs, eax", { 0x8e, 0xe0 }, 0 },
	{ "mov eax, gs", { 0x8c, 0xe8 }, 0 },
	{ "push gs", { 0x0f, 0xa8 }, 0 },
	{ "pop fs", { 0x0f, 0xa1 }, 0 },
	{ "lss eax, [rcx]", { 0x0f, 0xb2, 0x01 }, 0 },
	{ "lfs eax, [rcx]", { 0x0f, 0xb4, 0x01 }, 0 },
	{ "rdgsbase rax", { 0xf3, 0x48, 0x0f, 0xae, 0xc8 }, 0 },
	{ "wrfsbase rax", { 0xf3, 0x48, 0x0f, 0xae, 0xd0 }, 0 },
	{ "sfence", { 0x0f, 0xae, 0xf8 }, 0 },
	{ "ldmxcsr [rax]", { 0x0f, 0xae, 0x10 }, 0 },
	{ "xsave [rax]", { 0x0f, 0xae, 0x20 }, 0 },
	{ "ptwrite [rax]", { 0xf3, 0x0f, 0xae, 0x20 }, 0 },
	{ "monitor", { 0x0f, 0x01, 0xc8 }, 0 },
	{ "clac", { 0x0f, 0x01, 0xca }, 0 },
};

SELFTEST(kprobes_insn, a_slot_executes_nothing_that_needs_gs_or_interrupts_after_it)
{
	for (unsigned i = 0; i < ARRAY_SIZE(specials); i++) {
		struct arch_kprobe probe;
		struct insn insn;
		int error = arch_kprobe_prepare(&probe, ADDR, specials[i].text,
						sizeof(specials[i].text));

		if (error != specials[i].error)
			selftest_diag(test, "%s: %d", specials[i].name, error);
		EXPECT_EQ(error, specials[i].error);
		if (!error)
			arch_kprobe_release(&probe);
		ASSERT(insn_decode(&insn, specials[i].text, sizeof(specials[i].text)) == 0);
		EXPECT_EQ(arch_kprobe_can_move(&insn), !specials[i].error);
	}
}

/* One instruction, registers before it, and the registers that it must leave. ip: from ADDR on. */
struct emulated {
	u8 text[8];
	u64 flags, cx;
	long ip;
	u64 cx_after;
	long sp; /* the change */
};

#define CF BIT(0)
#define ZF BIT(6)
#define SF BIT(7)
#define OF BIT(11)

static const struct emulated cases[] = {
	{ { 0xeb, 0x10 }, .ip = 18 },
	{ { 0xeb, 0xfe }, .ip = 0 },
	{ { 0xe9, 0, 1, 0, 0 }, .ip = 261 },
	{ { 0x74, 0x10 }, .flags = ZF, .ip = 18 },
	{ { 0x74, 0x10 }, .flags = CF, .ip = 2 },
	{ { 0x75, 0x80 }, .flags = CF, .ip = -126 },
	{ { 0x7c, 0x10 }, .flags = SF, .ip = 18 },
	{ { 0x7c, 0x10 }, .flags = SF | OF, .ip = 2 },
	{ { 0x0f, 0x82, 0xf0, 0xff, 0xff, 0xff }, .flags = CF, .ip = -10 },
	{ { 0x0f, 0x83, 0xf0, 0xff, 0xff, 0xff }, .flags = CF, .ip = 6 },
	{ { 0xe2, 0x10 }, .cx = 2, .ip = 18, .cx_after = 1 },
	{ { 0xe2, 0x10 }, .cx = 1, .ip = 2, .cx_after = 0 },
	{ { 0xe1, 0x10 }, .cx = 9, .flags = ZF, .ip = 18, .cx_after = 8 },
	{ { 0xe0, 0x10 }, .cx = 9, .flags = ZF, .ip = 2, .cx_after = 8 },
	{ { 0xe3, 0x10 }, .cx = 0, .ip = 18 },
	{ { 0xe3, 0x10 }, .cx = 7, .ip = 2, .cx_after = 7 },
	{ { 0xe8, 0, 1, 0, 0 }, .ip = 261, .sp = -8 },
	{ { 0xff, 0xd1 }, .cx = ADDR + 77, .ip = 77, .cx_after = ADDR + 77, .sp = -8 },
	{ { 0xff, 0xe1 }, .cx = ADDR + 78, .ip = 78, .cx_after = ADDR + 78 },
	{ { 0xc3 }, .ip = 99, .sp = 8 },
	{ { 0xc2, 0x20, 0 }, .ip = 99, .sp = 40 },
	{ { 0xc2, 0, 0x80 }, .ip = 99, .sp = 0x8008 },
};

SELFTEST(kprobes_insn, jumps_calls_and_returns_are_emulated)
{
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct emulated *c = &cases[i];
		unsigned long stack[3] = { 0, ADDR + 99, 0 };
		struct pt_regs regs = { .ip = ADDR + 1, .flags = c->flags, .cx = c->cx };
		struct arch_kprobe probe;
		unsigned long pushed;
		bool ok;

		regs.sp = (unsigned long)&stack[1];
		ASSERT(arch_kprobe_prepare(&probe, ADDR, c->text, sizeof(c->text)) == 0);
		pushed = c->sp < 0 ? ADDR + probe.insn.length : 0;
		ok = arch_kprobe_execute(&probe, &regs) && regs.ip == ADDR + (unsigned long)c->ip &&
		     regs.cx == c->cx_after && regs.flags == c->flags &&
		     regs.sp == (unsigned long)&stack[1] + (unsigned long)c->sp &&
		     stack[0] == pushed;
		if (!ok)
			selftest_diag(test,
				      "%02x %02x: ip %+ld (right: %+ld), sp %+ld (%+ld), cx %#lx "
				      "(%#lx), pushed %#lx (%#lx)",
				      c->text[0], c->text[1], (long)(regs.ip - ADDR), c->ip,
				      (long)(regs.sp - (unsigned long)&stack[1]), c->sp, regs.cx,
				      c->cx_after, stack[0], pushed);
		arch_kprobe_release(&probe);
		ASSERT(ok);
	}
}

#define NOT_MAPPED 0xffffff8000000000UL

/* call [rcx], jmp [rcx], call [rsp], jmp [rsp] */
static const u8 through_memory[][3] = {
	{ 0xff, 0x11 }, { 0xff, 0x21 }, { 0xff, 0x14, 0x24 }, { 0xff, 0x24, 0x24 }
};

SELFTEST(kprobes_insn, a_target_in_memory_is_read_before_anything_changes)
{
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(through_memory); i++) {
		const u8 *text = through_memory[i / 2];
		unsigned long stack[2] = { 0, ADDR + 99 }, sp = (unsigned long)&stack[1];
		bool readable = i % 2 || text[2], call = !(text[1] & 0x20), ok;
		struct pt_regs regs = { .ip = ADDR + 1, .sp = sp };
		struct arch_kprobe probe = { .addr = ADDR }; /* without a slot */

		regs.cx = readable ? sp : NOT_MAPPED;
		ASSERT(insn_decode(&probe.insn, text, sizeof(through_memory[0])) == 0);
		probe.flow = (u8)insn_flow(&probe.insn);
		ok = arch_kprobe_execute(&probe, &regs) == readable;
		if (readable)
			ok = ok && regs.ip == ADDR + 99 && regs.sp == sp - (call ? 8 : 0) &&
			     stack[0] == (call ? ADDR + probe.insn.length : 0);
		else
			ok = ok && regs.sp == sp && regs.cx == NOT_MAPPED && stack[0] == 0;
		if (!ok)
			selftest_diag(test,
				      "%02x %02x, whose target can%s be read: ip %#lx, sp %+ld",
				      text[0], text[1], readable ? "" : "not", regs.ip,
				      (long)(regs.sp - sp));
		ASSERT(ok);
	}
}
