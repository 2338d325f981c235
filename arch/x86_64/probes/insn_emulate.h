/*
 * What the emulations of probed instructions share: registers by number, addresses of operands,
 * conditions of jumps. All is inline, because the breakpoint handler of kprobes uses it.
 */
#pragma once

#include "arch/probes/insn.h"
#include "arch/cpu/ptrace.h"

#define X86_EFLAGS_CF BIT(0)
#define X86_EFLAGS_PF BIT(2)
#define X86_EFLAGS_ZF BIT(6)
#define X86_EFLAGS_SF BIT(7)
#define X86_EFLAGS_OF BIT(11)

static __always_inline u64 *register_of(struct pt_regs *regs, unsigned number)
{
	switch (number) {
	case 0:
		return &regs->ax;
	case 1:
		return &regs->cx;
	case 2:
		return &regs->dx;
	case 3:
		return &regs->bx;
	case 4:
		return &regs->sp;
	case 5:
		return &regs->bp;
	case 6:
		return &regs->si;
	case 7:
		return &regs->di;
	case 8:
		return &regs->r8;
	case 9:
		return &regs->r9;
	case 10:
		return &regs->r10;
	case 11:
		return &regs->r11;
	case 12:
		return &regs->r12;
	case 13:
		return &regs->r13;
	case 14:
		return &regs->r14;
	default:
		return &regs->r15;
	}
}

/*
 * The address of a memory operand of the instruction that lies at ip (SDM 2A, tables 2-2 and 2-3),
 * without the base of its segment.
 */
static __always_inline unsigned long operand_address(const struct insn *insn, struct pt_regs *regs,
						     unsigned long ip)
{
	unsigned long address = (unsigned long)(long)insn->disp;
	unsigned rm = insn_modrm_rm(insn), index;

	if (insn->rip)
		return insn_rip_address(insn, ip);
	if (rm != 4)
		return address + *register_of(regs, rm | (insn->rex & 1) << 3);
	if ((insn->sib & 7) != 5 || insn_modrm_mod(insn))
		address += *register_of(regs, (insn->sib & 7) | (insn->rex & 1) << 3);
	index = (insn->sib >> 3 & 7) | (insn->rex & 2) << 2;
	if (index != 4)
		address += *register_of(regs, index) << (insn->sib >> 6);
	return address;
}

/* SDM 1, appendix B: the condition in the low four bits of the opcode. */
static __always_inline bool condition(u8 opcode, u64 flags)
{
	bool sign_differs = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF), result;

	switch (opcode >> 1 & 7) {
	case 0:
		result = flags & X86_EFLAGS_OF;
		break;
	case 1:
		result = flags & X86_EFLAGS_CF;
		break;
	case 2:
		result = flags & X86_EFLAGS_ZF;
		break;
	case 3:
		result = flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF);
		break;
	case 4:
		result = flags & X86_EFLAGS_SF;
		break;
	case 5:
		result = flags & X86_EFLAGS_PF;
		break;
	case 6:
		result = sign_differs;
		break;
	default:
		result = sign_differs || (flags & X86_EFLAGS_ZF);
		break;
	}
	return result != (opcode & 1);
}

/* loopne e0, loope e1, loop e2, jrcxz e3 */
static __always_inline bool loop_condition(u8 opcode, struct pt_regs *regs)
{
	if (opcode == 0xe3)
		return !regs->cx;
	regs->cx--;
	if (!regs->cx)
		return false;
	return opcode == 0xe2 || !(regs->flags & X86_EFLAGS_ZF) == (opcode == 0xe0);
}
