/* Executes probed instructions while an int3 is in their place: kprobes.h. */
#include "arch/probes/kprobes.h"

#include "arch/probes/insn_emulate.h"
#include "arch/probes/kprobe_detour.h"
#include "arch/unwind/maccess.h"
#include "arch/cpu/percpu.h"
#include "arch/mm/pgtable.h"
#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sections.h"

#define INT3        0xcc
#define SECOND_COPY 32UL /* its place in the slot: interrupts were on */
BUILD_BUG_ON(MAX_INSN_SIZE + 1 > SECOND_COPY);

/* What POPF changes in the kernel: all but RF, VM, VIF and VIP. */
#define POPF_FLAGS (X86_EFLAGS_USER | X86_EFLAGS_IF | X86_EFLAGS_IOPL | X86_EFLAGS_NT | BIT(21))

void (*kprobe_detour_handler)(void *data, struct pt_regs *regs) __ro_after_init;

void arch_kprobe_set_handlers(const struct arch_kprobe_handlers *handlers)
{
	kprobe_detour_handler = handlers->detour;
	smp_store_release(&kprobe_handlers, handlers);
}

/* ---- which instructions ---- */

/* What is done with an instruction for which insn_flow() says INSN_NEXT. */
enum action { ACT_SLOT, ACT_PUSHF, ACT_POPF, ACT_CLI, ACT_REFUSE };

/*
 * Instructions that load the base of GS. The int3 behind them in the slot would find the per-CPU
 * data of no CPU, because an entry from ring 0 executes no swapgs. wrmsr may write that MSR, too,
 * but only setup code of a CPU does so.
 */
static bool loads_gs(const struct insn *insn)
{
	if (insn->vex)
		return false;
	if (insn->map == INSN_MAP_1BYTE)
		return insn->opcode == 0x8e && insn_modrm_reg(insn) == 5; /* mov gs, rm */
	if (insn->map != INSN_MAP_0F)
		return false;
	switch (insn->opcode) {
	case 0x01:
		return insn->modrm == 0xf8; /* swapgs */
	case 0xa9:                          /* pop gs */
	case 0xb5:                          /* lgs */
		return true;
	case 0xae: /* wrgsbase */
		return insn->rep == 0xf3 && insn_modrm_mod(insn) == 3 && insn_modrm_reg(insn) == 3;
	default:
		return false;
	}
}

/* mwait and mwaitx: interrupts are off in the slot, and would not end them (SDM 2B, MWAIT). */
static bool waits_for_interrupt(const struct insn *insn)
{
	return !insn->vex && insn->map == INSN_MAP_0F && insn->opcode == 0x01 &&
	       (insn->modrm == 0xc9 || insn->modrm == 0xfb);
}

static enum action action_of(const struct insn *insn)
{
	if (loads_gs(insn) || waits_for_interrupt(insn))
		return ACT_REFUSE;
	if (insn->map != INSN_MAP_1BYTE)
		return ACT_SLOT;
	switch (insn->opcode) {
	case 0x9c:
		return ACT_PUSHF;
	case 0x9d:
		return ACT_POPF;
	case 0xfa:
		return ACT_CLI;
	case 0x8e:
		/*
		 * mov ss, rm holds interrupts off until the next instruction has loaded rsp (SDM
		 * 3A 6.8.3). lss loads both at once, and needs no such thing.
		 */
		return insn_modrm_reg(insn) == 2 ? ACT_REFUSE : ACT_SLOT;
	case 0xfb: /* sti: no interrupt may come between it and a hlt */
	case 0xf4: /* hlt */
	case 0xcc: /* a breakpoint that is not ours */
		return ACT_REFUSE;
	default:
		return ACT_SLOT;
	}
}

/* Whether the emulation knows the form: prefixes change the size of what most of them read. */
static bool can_emulate(const struct arch_kprobe *probe)
{
	if (probe->flow == INSN_OTHER || probe->action == ACT_REFUSE)
		return false;
	if (probe->flow == INSN_NEXT)
		return probe->action == ACT_SLOT || !probe->insn.data16;
	return !probe->insn.addr32 && !probe->insn.data16 && probe->insn.segment != 0x64;
}

bool arch_kprobe_can_move(const struct insn *insn)
{
	return insn_flow(insn) == INSN_NEXT && action_of(insn) != ACT_REFUSE;
}

int arch_kprobe_copy_insn(u8 *copy, unsigned long copy_addr, const struct insn *insn,
			  const u8 *text, unsigned long addr)
{
	memcpy(copy, text, insn->length);
	/*
	 * LAB 14: A RIP-relative operand stays where it is: the copy needs another displacement.
	 * Starts as: (void)copy_addr, (void)addr;
	 */
	if (insn->rip) {
		s64 disp = insn->disp + (s64)(addr - copy_addr);
		s32 disp32 = (s32)disp;

		if (disp != disp32 || insn->addr32)
			return -EOPNOTSUPP;
		memcpy(copy + insn->disp_at, &disp32, sizeof(disp32));
	}
	/* END LAB 14 */
	return 0;
}

static int make_slot(struct arch_kprobe *probe, const u8 *text)
{
	/*
	 * LAB 14: Two copies of the instruction, SECOND_COPY bytes apart, with an int3 behind each.
	 * Starts as: (void)probe, (void)text;
	 * return -EOPNOTSUPP;
	 */
	u8 slot[KPROBE_SLOT_SIZE];
	int error;

	probe->slot = text_area_alloc(KPROBE_SLOT_SIZE);
	if (!probe->slot)
		return -ENOMEM;
	/* The int3 behind each copy remains of these. */
	memset(slot, INT3, sizeof(slot));
	error = arch_kprobe_copy_insn(slot, probe->slot, &probe->insn, text, probe->addr);
	if (!error)
		error = arch_kprobe_copy_insn(slot + SECOND_COPY, probe->slot + SECOND_COPY,
					      &probe->insn, text, probe->addr);
	if (!error)
		error = text_patch_fill(probe->slot, slot, sizeof(slot));
	if (error)
		arch_kprobe_release(probe);
	return error;
	/* END LAB 14 */
}

/* The instruction is executed there; or if its emulation would fault, to fault there. */
static bool needs_slot(const struct arch_kprobe *probe)
{
	if (probe->flow == INSN_CALL_MODRM || probe->flow == INSN_JMP_MODRM)
		return insn_modrm_mod(&probe->insn) != 3;
	return probe->flow == INSN_NEXT && probe->action == ACT_SLOT;
}

int arch_kprobe_prepare(struct arch_kprobe *probe, unsigned long addr, const u8 *text, size_t size)
{
	probe->addr = addr;
	probe->slot = 0;
	if (insn_decode(&probe->insn, text, size))
		return -EILSEQ;
	probe->opcode = text[0];
	probe->flow = (u8)insn_flow(&probe->insn);
	probe->action = (u8)action_of(&probe->insn);
	if (!can_emulate(probe))
		return -EOPNOTSUPP;
	return needs_slot(probe) ? make_slot(probe, text) : 0;
}

void arch_kprobe_release(struct arch_kprobe *probe)
{
	if (probe->slot)
		text_area_free(probe->slot, KPROBE_SLOT_SIZE);
	probe->slot = 0;
}

void arch_kprobe_arm(const struct arch_kprobe *probe)
{
	text_patch_byte(probe->addr, INT3);
}

void arch_kprobe_disarm(const struct arch_kprobe *probe)
{
	text_patch_byte(probe->addr, probe->opcode);
}

/* ---- emulation ---- */

/* Finds where a jump or call through ModRM goes to. False: its operand cannot be read. */
__kprobes /* the breakpoint handler calls it */
static bool modrm_target(const struct arch_kprobe *probe, struct pt_regs *regs,
			 unsigned long *target)
{
	const struct insn *insn = &probe->insn;
	unsigned long address;

	if (insn_modrm_mod(insn) != 3) {
		address = operand_address(insn, regs, probe->addr);
		if (insn->segment == 0x65)
			address += this_cpu_read(this_cpu_off);
		return !copy_from_kernel_nofault(target, (const void *)address, sizeof(*target));
	}
	*target = *register_of(regs, insn_modrm_rm(insn) | (insn->rex & 1) << 3);
	return true;
}

static __always_inline void push(struct pt_regs *regs, unsigned long value)
{
	regs->sp -= 8;
	*(unsigned long *)regs->sp = value;
}

static __always_inline unsigned long pop(struct pt_regs *regs)
{
	regs->sp += 8;
	return *(const unsigned long *)(regs->sp - 8);
}

/* False: the instruction must fault. */
__kprobes /* the breakpoint handler calls it */
static bool emulate_flow(const struct arch_kprobe *probe, struct pt_regs *regs)
{
	const struct insn *insn = &probe->insn;
	unsigned long next = probe->addr + insn->length, target;

	/*
	 * LAB 14: Set next, and change regs, as each instruction would.
	 * Starts as: (void)target, (void)modrm_target;
	 */
	switch (probe->flow) {
	case INSN_JMP:
		next = insn_target(insn, probe->addr);
		break;
	case INSN_JCC:
		if (condition(insn->opcode, regs->flags))
			next = insn_target(insn, probe->addr);
		break;
	case INSN_LOOP:
		if (loop_condition(insn->opcode, regs))
			next = insn_target(insn, probe->addr);
		break;
	case INSN_CALL:
		push(regs, next);
		next = insn_target(insn, probe->addr);
		break;
	case INSN_CALL_MODRM:
		if (!modrm_target(probe, regs, &target))
			return false;
		push(regs, next);
		next = target;
		break;
	case INSN_JMP_MODRM:
		if (!modrm_target(probe, regs, &next))
			return false;
		break;
	case INSN_RET:
		next = pop(regs);
		if (insn->imm_size)
			regs->sp += (u16)insn->imm;
		break;
	default:
		break;
	}
	/* END LAB 14 */
	regs->ip = next;
	return true;
}

static __always_inline bool execute_in_slot(const struct arch_kprobe *probe, struct pt_regs *regs)
{
	regs->ip = probe->slot + (regs->flags & X86_EFLAGS_IF ? SECOND_COPY : 0);
	regs->flags &= ~X86_EFLAGS_IF;
	return false;
}

__kprobes /* the breakpoint handler calls it */
bool arch_kprobe_execute(const struct arch_kprobe *probe, struct pt_regs *regs)
{
	if (probe->flow != INSN_NEXT)
		return emulate_flow(probe, regs) || execute_in_slot(probe, regs);
	regs->ip = probe->addr + probe->insn.length;
	switch (probe->action) {
	case ACT_PUSHF:
		push(regs, regs->flags);
		break;
	case ACT_POPF:
		regs->flags = (regs->flags & ~POPF_FLAGS) | (pop(regs) & POPF_FLAGS);
		break;
	case ACT_CLI:
		regs->flags &= ~X86_EFLAGS_IF;
		break;
	default:
		return execute_in_slot(probe, regs);
	}
	return true;
}

__kprobes /* the breakpoint handler calls it */
bool arch_kprobe_leave_slot(const struct arch_kprobe *probe, struct pt_regs *regs)
{
	/*
	 * LAB 14: regs->ip is behind the int3 that ends a copy.
	 * Starts as: (void)probe, (void)regs;
	 * return false;
	 */
	unsigned long offset = regs->ip - 1 - probe->slot;

	if (offset % SECOND_COPY != probe->insn.length)
		return false;
	regs->ip = probe->addr + probe->insn.length;
	if (offset >= SECOND_COPY)
		regs->flags |= X86_EFLAGS_IF;
	return true;
	/* END LAB 14 */
}

__kprobes /* the handler of the probe's fault calls it */
void arch_kprobe_leave_faulted(const struct arch_kprobe *probe, struct pt_regs *regs)
{
	if (regs->ip - probe->slot >= SECOND_COPY)
		regs->flags |= X86_EFLAGS_IF;
	regs->ip = probe->addr;
}
