/*
 * Detours: a jump in place of the first 5 bytes of one or more instructions, to code that calls the
 * handlers of a probe, executes copies of these instructions, and jumps back behind them.
 *
 *	addr:	e9 .. .. .. ..		jmp	detour	covers `length` bytes of whole instructions
 *
 *	detour:	(8 bytes)		data, for the handler
 *		e8 .. .. .. ..		call	kprobe_detour_entry
 *	copies:	(length bytes)		the instructions
 *		e9 .. .. .. ..		jmp	addr + length
 *
 * kprobe_detour_entry (kprobe_detour_entry.asm) saves all registers, calls the handler, and
 * continues at regs->ip. A task can be preempted at any instruction of a detour.
 *
 * trace/kprobes/optimize.c is the only user. It proves that nothing but the first instruction is a
 * target of a jump, and that no CPU and no task is between the others, before the jump is written.
 */
#pragma once

#include "arch/probes/insn.h"
#include "arch/cpu/ptrace.h"
#include "arch/patch/text_patch.h"
#include "kernel/compiler.h"

#define DETOUR_JUMP_SIZE  TEXT_PATCH_SIZE
#define DETOUR_MAX_LENGTH (DETOUR_JUMP_SIZE - 1 + MAX_INSN_SIZE)
#define DETOUR_ENTRY_AT   8UL                                  /* the call of kprobe_detour_entry */
#define DETOUR_COPIES_AT  (DETOUR_ENTRY_AT + DETOUR_JUMP_SIZE) /* the assembly knows it, too */

struct arch_detour {
	unsigned long addr;             /* [C] of the probed instruction */
	unsigned long code;             /* [C] in the text area */
	u8 length;                      /* [C] of the instructions that the jump covers */
	u8 original[DETOUR_MAX_LENGTH]; /* [C] their bytes, without the breakpoints of probes */
};

/*
 * False if an exception may lead the kernel to an address in [start, end), or comes from there and
 * is expected: a task may sleep until then. Task context. The module there does not go.
 */
bool arch_detour_can_cover(unsigned long start, unsigned long end);
/*
 * Makes a detour for the length bytes of whole instructions at addr, which arch_kprobe_can_move().
 * text has a copy of them without breakpoints. 0, -ENOMEM, or -EOPNOTSUPP: an operand is out of
 * reach. Task context.
 */
int arch_detour_prepare(struct arch_detour *detour, unsigned long addr, const u8 *text, u8 length,
			void *data);
/* Frees the code. No task is in it: after a grace period of RCU-tasks. Task context. */
void arch_detour_release(struct arch_detour *detour);
/* Fills the patch that replaces the int3 of the probe and what is behind it by the jump; or back.*/
void arch_detour_patch(struct text_patch *patch, const struct arch_detour *detour, bool jump);
/* The breakpoint handler of probes uses what follows, so that none of it may be a function. */

/* Where the copies of the instructions are. Any context. */
static __always_inline unsigned long arch_detour_copies(const struct arch_detour *detour)
{
	return detour->code + DETOUR_COPIES_AT;
}

/*
 * True if ip is at a copy: *original is the address of the instruction that it is a copy of. Any
 * context.
 */
static __always_inline bool arch_detour_find(const struct arch_detour *detour, unsigned long ip,
					     unsigned long *original)
{
	unsigned long offset = ip - arch_detour_copies(detour);

	*original = detour->addr + offset;
	return offset < detour->length;
}

/*
 * Called by kprobe_detour_entry at a hit, with the data of the detour, in any context. regs->ip is
 * at the copies; execution continues where it is after the call, with regs->sp and all others.
 */
extern void (*kprobe_detour_handler)(void *data, struct pt_regs *regs);
