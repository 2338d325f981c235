/* Self-tests of single instructions of probes: copies, and emulation, without a breakpoint. */
#include "arch/insn_emulate.h"
#include "arch/kprobes.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/selftest.h"

#define ADDR 0xffffffff81234560UL

/* mov rax, [rip + 0x10]; and one with an immediate behind the displacement: add [rip - 16], 5 */
static const u8 load[] = { 0x48, 0x8b, 0x05, 0x10, 0, 0, 0 };
static const u8 add_imm[] = { 0x83, 0x05, 0xf0, 0xff, 0xff, 0xff, 5 };

/* The address of the operand of a copy at copy_addr. 0: it cannot be there. */
static unsigned long copied_operand(const u8 *text, size_t size, unsigned long copy_addr)
{
	u8 copy[MAX_INSN_SIZE] = { 0 };
	struct insn insn;

	if (insn_decode(&insn, text, size) ||
	    arch_kprobe_copy_insn(copy, copy_addr, &insn, text, ADDR) ||
	    insn_decode(&insn, copy, sizeof(copy)) || insn.length != size)
		return 0;
	return insn.imm_at && copy[insn.imm_at] != 5 ? 1 : insn_rip_address(&insn, copy_addr);
}

SELFTEST(kprobes_insn, a_copy_has_the_operand_of_the_original_or_is_refused)
{
	static const long distances[] = { 0, 64, -64, 0x1234567, -0x1234567 };

	for (unsigned i = 0; i < ARRAY_SIZE(distances); i++) {
		unsigned long at = ADDR + (unsigned long)distances[i];

		EXPECT_EQ(copied_operand(load, sizeof(load), at), ADDR + sizeof(load) + 0x10);
		EXPECT_EQ(copied_operand(add_imm, sizeof(add_imm), at),
			  ADDR + sizeof(add_imm) - 16);
	}
	EXPECT_EQ(copied_operand(load, sizeof(load), ADDR - 0x7fffffff), 0);
	EXPECT_EQ(copied_operand(load, sizeof(load), ADDR - 0x100000000), 0);
	EXPECT_EQ(copied_operand(add_imm, sizeof(add_imm), ADDR + 0x80000000), 0);
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
};

SELFTEST(kprobes_insn, jumps_calls_and_returns_are_emulated)
{
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct emulated *c = &cases[i];
		unsigned long stack[3] = { 0, ADDR + 99, 0 };
		struct pt_regs regs = { .ip = ADDR + 1, .flags = c->flags, .cx = c->cx };
		struct arch_kprobe probe;
		bool call = c->sp < 0, ok;

		regs.sp = (unsigned long)&stack[1];
		ASSERT(arch_kprobe_prepare(&probe, ADDR, c->text, sizeof(c->text)) == 0);
		ok = arch_kprobe_execute(&probe, &regs) && regs.ip == ADDR + (unsigned long)c->ip &&
		     regs.cx == c->cx_after && regs.flags == c->flags &&
		     regs.sp == (unsigned long)&stack[1] + (unsigned long)c->sp &&
		     stack[0] == (call ? ADDR + probe.insn.length : 0);
		if (!ok)
			selftest_diag(test, "%02x %02x: ip %+ld, sp %+ld, cx %lu", c->text[0],
				      c->text[1], (long)(regs.ip - ADDR),
				      (long)(regs.sp - (unsigned long)&stack[1]), regs.cx);
		EXPECT(ok);
		arch_kprobe_release(&probe);
	}
}
