/*
 * Live text patching: changes instructions that other CPUs may be executing. Any kernel code can
 * use it; ftrace does. text_patch.c explains the mechanism.
 */
#pragma once

#include "kernel/types.h"

struct pt_regs;

#define TEXT_PATCH_SIZE 5 /* a near call or jmp, or the 5-byte nop */

/*
 * One instruction to change. Old and new are each one whole instruction, or its first 5 bytes. At
 * least one of them can be emulated: a nop, call rel32 or jmp rel32. A CPU that reaches the site
 * during the change executes the new instruction, or, if that cannot be emulated, the old one.
 */
struct text_patch {
	unsigned long addr;
	u8 old[TEXT_PATCH_SIZE];
	u8 new[TEXT_PATCH_SIZE];
};

/*
 * Applies a batch of patches that are sorted by address, do not overlap, and are all in kernel text
 * or the text area. It takes three rounds of IPIs for any size; other CPUs keep running. Returns 0,
 * -EINVAL (a site does not hold its old bytes) or -EFAULT (an address is not text); on an error
 * *bad is the index of the patch, and nothing is written. Task context, interrupts on; sleeps on
 * text_patch_mutex.
 */
int text_patch_apply(const struct text_patch *patches, size_t count, size_t *bad);

/*
 * Writes to executable memory through the private alias (text_alias.c): a second mapping, which is
 * writable. No CPU can reach this memory, not yet or no longer. Same context.
 */
int text_patch_fill(unsigned long addr, const void *bytes, size_t size);

/* 0f 1f 44 00 00, nop dword [rax + rax] (Intel SDM 2B, NOP) */
extern const u8 text_nop5[TEXT_PATCH_SIZE];

#define CALL_OPCODE 0xe8 /* call rel32 */
#define JMP_OPCODE  0xe9 /* jmp rel32 */

static inline void text_encode(u8 insn[TEXT_PATCH_SIZE], u8 opcode, unsigned long addr,
			       unsigned long target)
{
	s32 displacement = (s32)(target - (addr + TEXT_PATCH_SIZE));

	insn[0] = opcode;
	__builtin_memcpy(insn + 1, &displacement, sizeof(displacement));
}

/* Encode call or jmp from addr to target. */
static inline void text_encode_call(u8 insn[TEXT_PATCH_SIZE], unsigned long addr,
				    unsigned long target)
{
	text_encode(insn, CALL_OPCODE, addr, target);
}

static inline void text_encode_jmp(u8 insn[TEXT_PATCH_SIZE], unsigned long addr,
				   unsigned long target)
{
	text_encode(insn, JMP_OPCODE, addr, target);
}

/* Returns the target of a call or jmp at addr with these bytes. */
unsigned long text_decode_target(const u8 insn[TEXT_PATCH_SIZE], unsigned long addr);

/* Counts since boot. */
struct text_patch_stats {
	u64 batches;
	u64 sites;
	u64 breakpoints; /* traps at half-patched sites, which were emulated */
};
void text_patch_stats_read(struct text_patch_stats *stats);

/* ---- for kprobes: a breakpoint that stays ---- */

/*
 * Replaces the first byte of an instruction of the image by an int3, or an int3 by the byte. On
 * return no CPU executes the old byte; if it was an int3, no CPU is in the handler of that
 * breakpoint. No site of text_patch_apply() may be there. Same context.
 */
void text_patch_byte(unsigned long addr, u8 byte);

/*
 * Handles an int3 that this CPU has executed, and that another CPU has replaced since. False: the
 * int3 is still there, and belongs to no batch. For the breakpoint handler. Two cases:
 *
 * 1. The instruction that is there now can be emulated: emulates it.
 * 2. It cannot: lets the CPU execute it. A real CPU executes what is there now. But QEMU's TCG may
 *    have translated the int3 once more just before it was replaced. It keeps that translation
 *    until text_patch_apply() or text_patch_byte() writes a second time, and these wait for this
 *    CPU: it would trap for ever. So first ask all users of int3 that could still have one here.
 */
bool text_patch_int3_gone(struct pt_regs *regs);
