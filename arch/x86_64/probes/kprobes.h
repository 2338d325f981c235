/*
 * The machine's part of kprobes: which instructions can be probed, and how the probed instruction
 * is executed while an int3 is in its place. trace/kprobes/kprobes.c is the only user.
 *
 * An instruction that depends on its own address is emulated; one that would fault then is executed
 * in a slot, to fault there. All others are executed in a slot: a copy in the text area with an
 * int3 behind it. A slot holds two copies. Both are executed with interrupts off; behind the second
 * one interrupts are switched on again. So the place in the slot is all that the kernel remembers
 * of the interrupted code, and probes nest without limit.
 */
#pragma once

#include "arch/probes/insn.h"
#include "arch/cpu/ptrace.h"
#include "arch/irq/probe_hooks.h"
#include "kernel/compiler.h"
#include "kernel/sections.h"

struct arch_kprobe {
	unsigned long addr; /* [C] */
	unsigned long slot; /* [C] KPROBE_SLOT_SIZE bytes; 0: none */
	struct insn insn;   /* [C] */
	u8 opcode;          /* [C] the first byte, which the int3 replaces */
	u8 flow;            /* [C] enum insn_flow */
	u8 action;          /* [C] kprobes.c: how it is executed, if flow is INSN_NEXT */
};

#define KPROBE_SLOT_SIZE 64UL /* a multiple of it is the address of a slot */

/*
 * Prepares a probe of the instruction at addr, whose size bytes at text are copied without the
 * breakpoints of probes. 0; -EILSEQ: no instruction; -EOPNOTSUPP: one that can be neither emulated
 * nor moved; -ENOMEM. Task context.
 */
int arch_kprobe_prepare(struct arch_kprobe *probe, unsigned long addr, const u8 *text, size_t size);
/* Frees the slot, in which no CPU is. Task context. */
void arch_kprobe_release(struct arch_kprobe *probe);
/*
 * Whether a copy of the instruction elsewhere does the same and goes on behind the copy. Its
 * RIP-relative displacement must be changed; arch_kprobe_copy_insn() does that: 0, or -EOPNOTSUPP
 * if the operand is out of reach. copy_addr is where the bytes at copy will be executed.
 */
bool arch_kprobe_can_move(const struct insn *insn);
int arch_kprobe_copy_insn(u8 *copy, unsigned long copy_addr, const struct insn *insn,
			  const u8 *text, unsigned long addr);
/*
 * Write and remove the int3. On return of disarm no CPU is in a handler that saw it. Task context.
 */
void arch_kprobe_arm(const struct arch_kprobe *probe);
void arch_kprobe_disarm(const struct arch_kprobe *probe);

/*
 * Emulates the instruction and returns true; or returns false, and the interrupted code continues
 * in the slot. Interrupts off, any context.
 */
bool arch_kprobe_execute(const struct arch_kprobe *probe, struct pt_regs *regs);
/* True if regs are behind a copy in the slot: they are now behind the instruction itself. */
bool arch_kprobe_leave_slot(const struct arch_kprobe *probe, struct pt_regs *regs);
/* The copy that regs point to has faulted: they now point to the instruction itself. */
void arch_kprobe_leave_faulted(const struct arch_kprobe *probe, struct pt_regs *regs);
