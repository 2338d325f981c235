/*
 * The machine's part of uprobes: which instructions of programs can be probed, and how the probed
 * instruction is executed while an int3 is in its place. trace/uprobes/ is the only user.
 *
 * Jumps, calls, returns, push and nops are emulated. All others are executed in a slot: a copy in a
 * page of the process with an int3 behind it. An operand relative to rip gets a scratch register in
 * the copy, so the same copy is right at any address, and equal instructions can share a slot.
 *
 * A single step by TF would do instead of the int3. But TF traps at each round of a rep
 * instruction, and pushf stores it. Context: task, on the way from or to ring 3.
 */
#pragma once

#include "arch/probes/insn.h"
#include "arch/cpu/ptrace.h"
#include "arch/irq/probe_hooks.h"

#define UPROBE_SLOT_SIZE (MAX_INSN_SIZE + 1)

struct arch_uprobe {
	struct insn insn;          /* [C] */
	u8 flow;                   /* [C] enum insn_flow */
	u8 action;                 /* [C] uprobes.c: how it is executed, if flow is INSN_NEXT */
	u8 scratch;                /* [C] in the slot: the register in place of rip; 0: none */
	u8 slot[UPROBE_SLOT_SIZE]; /* [C] */
};

/* 0; -ENOEXEC: no instruction; -ENOTSUPP: one that can be neither emulated nor moved. */
int arch_uprobe_analyze(struct arch_uprobe *uprobe, const u8 *text, size_t size);

enum arch_uprobe_result {
	UPROBE_EMULATED, /* regs are behind the instruction */
	UPROBE_IN_SLOT,  /* it must be executed in a slot */
	UPROBE_FAULTED,  /* the program cannot access fault->address; regs->ip is ip */
};
/* Emulates the instruction at ip. */
enum arch_uprobe_result arch_uprobe_emulate(const struct arch_uprobe *uprobe, struct pt_regs *regs,
					    unsigned long ip, struct arch_uprobe_fault *fault);
/* The instruction at ip continues in the slot. Returns what leave needs. */
unsigned long arch_uprobe_enter_slot(const struct arch_uprobe *uprobe, struct pt_regs *regs,
				     unsigned long ip, unsigned long slot);
/* It has been executed, or has faulted: regs->ip is set by the caller. */
void arch_uprobe_leave_slot(const struct arch_uprobe *uprobe, struct pt_regs *regs,
			    unsigned long saved);
