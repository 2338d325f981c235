/* Executes probed instructions of programs: uprobes.h. */
#include "arch/probes/uprobes.h"

#include "arch/probes/insn_emulate.h"
#include "arch/cpu/msr.h"
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

#define INT3 0xcc

enum action { ACT_SLOT, ACT_NOP, ACT_PUSH, ACT_REFUSE };

#define REG_BX 3
#define REG_SI 6
#define REG_DI 7

void arch_uprobe_set_handlers(const struct arch_uprobe_handlers *handlers)
{
	smp_store_release(&uprobe_handlers, handlers);
}

/* ---- which instructions ---- */

static enum action action_of_0f(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x1f: /* nop */
		return ACT_NOP;
	case 0x1e: /* endbr64 */
		return insn->rep == 0xf3 && insn->modrm == 0xfa ? ACT_NOP : ACT_SLOT;
	default:
		return ACT_SLOT;
	}
}

/* What is done with an instruction for which insn_flow() says INSN_NEXT. */
static enum action action_of(const struct insn *insn)
{
	if (insn->vex)
		return ACT_SLOT;
	if (insn->map == INSN_MAP_0F)
		return action_of_0f(insn);
	if (insn->map != INSN_MAP_1BYTE)
		return ACT_SLOT;
	switch (insn->opcode) {
	case 0x90: /* with REX.B: xchg r8, rax */
		return insn->rex & 1 ? ACT_SLOT : ACT_NOP;
	case 0x50 ... 0x57:
		return insn->data16 ? ACT_SLOT : ACT_PUSH;
	/* Only the kernel may execute these: in, out, cli, sti. Linux refuses them, too. */
	case 0x6c ... 0x6f:
	case 0xe4 ... 0xe7:
	case 0xec ... 0xef:
	case 0xfa:
	case 0xfb:
		return ACT_REFUSE;
	default:
		return ACT_SLOT;
	}
}

/* Whether the emulation knows the form: prefixes change the size of what most of them read. */
static bool can_execute(const struct arch_uprobe *uprobe)
{
	if (uprobe->flow == INSN_OTHER)
		return false;
	if (uprobe->flow == INSN_NEXT)
		return uprobe->action != ACT_REFUSE;
	return !uprobe->insn.addr32 && !uprobe->insn.data16;
}

/* The operand that the prefix VEX, EVEX or XOP names; a number that is none of ours without one. */
static unsigned vex_register(const struct insn *insn, const u8 *text)
{
	if (!insn->vex)
		return ~0U;
	/* VVVV is in the byte before the opcode; of EVEX in the one before that. */
	return ~(unsigned)text[insn->opcode_at - (insn->vex == 0x62 ? 2 : 1)] >> 3 & 15;
}

/* Removes the bit of a prefix that makes register 8 to 15 of rm. */
static void clear_rex_b(const struct insn *insn, u8 *copy)
{
	static const u8 escapes[] = {
		[INSN_MAP_1BYTE] = 0, [INSN_MAP_0F] = 1, [INSN_MAP_0F38] = 2, [INSN_MAP_0F3A] = 2
	};

	switch (insn->vex) {
	case 0xc5:
		break;
	case 0xc4:
	case 0x8f:
		copy[insn->opcode_at - 2] |= 0x20;
		break;
	case 0x62:
		copy[insn->opcode_at - 3] |= 0x20;
		break;
	default:
		if (insn->rex)
			copy[insn->opcode_at - escapes[insn->map] - 1] &= (u8)~1;
	}
}

/*
 * Replaces rip + disp32 by register + disp32, which has the same size. No instruction uses si or di
 * implicitly and has a memory operand in ModRM; nor bx, but cmpxchg8b.
 */
static void replace_rip(struct arch_uprobe *uprobe, const u8 *text)
{
	const struct insn *insn = &uprobe->insn;
	unsigned reg = insn_modrm_reg(insn), vex = vex_register(insn, text);

	uprobe->scratch = REG_SI;
	if (reg == REG_SI || vex == REG_SI)
		uprobe->scratch = reg == REG_DI || vex == REG_DI ? REG_BX : REG_DI;
	uprobe->slot[insn->modrm_at] = (u8)(0x80 | reg << 3 | uprobe->scratch);
	clear_rex_b(insn, uprobe->slot);
}

int arch_uprobe_analyze(struct arch_uprobe *uprobe, const u8 *text, size_t size)
{
	const struct insn *insn = &uprobe->insn;

	if (insn_decode(&uprobe->insn, text, size))
		return -ENOEXEC;
	uprobe->flow = (u8)insn_flow(insn);
	uprobe->action = (u8)action_of(insn);
	uprobe->scratch = 0;
	if (!can_execute(uprobe))
		return -ENOTSUPP;
	memset(uprobe->slot, INT3, sizeof(uprobe->slot));
	memcpy(uprobe->slot, text, insn->length);
	if (insn->rip && uprobe->flow == INSN_NEXT)
		replace_rip(uprobe, text);
	return 0;
}

/* ---- emulation ---- */

static unsigned long segment_base(const struct insn *insn)
{
	switch (insn->segment) {
	case 0x64:
		return rdmsr(MSR_FS_BASE);
	case 0x65:
		return rdmsr(MSR_KERNEL_GS_BASE);
	default:
		return 0;
	}
}

static bool read_word(unsigned long address, unsigned long *value, struct arch_uprobe_fault *fault)
{
	*fault = (struct arch_uprobe_fault){ .address = address };
	return !get_user(*value, (const unsigned long __user *)address);
}

static bool push(struct pt_regs *regs, unsigned long value, struct arch_uprobe_fault *fault)
{
	unsigned long address = regs->sp - 8;

	*fault = (struct arch_uprobe_fault){ .address = address, .write = true };
	if (put_user(value, (unsigned long __user *)address))
		return false;
	regs->sp = address;
	return true;
}

/* Where a jump or call through ModRM goes to. */
static bool modrm_target(const struct insn *insn, struct pt_regs *regs, unsigned long ip,
			 unsigned long *target, struct arch_uprobe_fault *fault)
{
	if (insn_modrm_mod(insn) != 3)
		return read_word(operand_address(insn, regs, ip) + segment_base(insn), target,
				 fault);
	*target = *register_of(regs, insn_modrm_rm(insn) | (insn->rex & 1) << 3);
	return true;
}

/* False: a fault, and nothing has changed. */
static bool emulate_flow(const struct arch_uprobe *uprobe, struct pt_regs *regs, unsigned long ip,
			 struct arch_uprobe_fault *fault)
{
	const struct insn *insn = &uprobe->insn;
	unsigned long next = ip + insn->length, target;

	switch (uprobe->flow) {
	case INSN_JMP:
		next = insn_target(insn, ip);
		break;
	case INSN_JCC:
		if (condition(insn->opcode, regs->flags))
			next = insn_target(insn, ip);
		break;
	case INSN_LOOP:
		if (loop_condition(insn->opcode, regs))
			next = insn_target(insn, ip);
		break;
	case INSN_CALL:
		if (!push(regs, next, fault))
			return false;
		next = insn_target(insn, ip);
		break;
	case INSN_CALL_MODRM:
		if (!modrm_target(insn, regs, ip, &target, fault) || !push(regs, next, fault))
			return false;
		next = target;
		break;
	case INSN_JMP_MODRM:
		if (!modrm_target(insn, regs, ip, &next, fault))
			return false;
		break;
	case INSN_RET:
		if (!read_word(regs->sp, &next, fault))
			return false;
		regs->sp += 8 + (insn->imm_size ? (u16)insn->imm : 0UL);
		break;
	}
	regs->ip = next;
	return true;
}

enum arch_uprobe_result arch_uprobe_emulate(const struct arch_uprobe *uprobe, struct pt_regs *regs,
					    unsigned long ip, struct arch_uprobe_fault *fault)
{
	const struct insn *insn = &uprobe->insn;
	bool done = true;

	if (uprobe->flow != INSN_NEXT) {
		done = emulate_flow(uprobe, regs, ip, fault);
	} else if (uprobe->action == ACT_PUSH) {
		done = push(regs, *register_of(regs, (insn->opcode & 7) | (insn->rex & 1) << 3),
			    fault);
		regs->ip = ip + insn->length;
	} else if (uprobe->action == ACT_NOP) {
		regs->ip = ip + insn->length;
	} else {
		return UPROBE_IN_SLOT;
	}
	if (unlikely(!done)) {
		regs->ip = ip;
		return UPROBE_FAULTED;
	}
	return UPROBE_EMULATED;
}

unsigned long arch_uprobe_enter_slot(const struct arch_uprobe *uprobe, struct pt_regs *regs,
				     unsigned long ip, unsigned long slot)
{
	unsigned long saved = 0;
	u64 *scratch;

	if (uprobe->scratch) {
		scratch = register_of(regs, uprobe->scratch);
		saved = *scratch;
		*scratch = ip + uprobe->insn.length;
	}
	regs->ip = slot;
	return saved;
}

void arch_uprobe_leave_slot(const struct arch_uprobe *uprobe, struct pt_regs *regs,
			    unsigned long saved)
{
	if (uprobe->scratch)
		*register_of(regs, uprobe->scratch) = saved;
}
