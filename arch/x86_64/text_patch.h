/*
 * Live text patching: change instructions that other CPUs may be executing. Usable by anyone;
 * ftrace is the first. The mechanism is told in text_patch.c.
 */
#pragma once

#include "kernel/types.h"

#define TEXT_PATCH_SIZE 5 /* a near call or jmp, or the 5-byte nop */

/* One instruction to change. Old and new are each one whole instruction. */
struct text_patch {
	unsigned long addr;
	u8 old[TEXT_PATCH_SIZE];
	u8 new[TEXT_PATCH_SIZE]; /* nop, call rel32, jmp rel32: what can be emulated meanwhile */
};

/*
 * Apply a batch, sorted by address, no two overlapping, all in kernel text or the trampolines'
 * area. Three rounds of IPIs whatever its size; other CPUs go on. 0; -EINVAL: a site does not hold
 * its old bytes, *bad is its index, and nothing was written; -EFAULT: an address that is not text,
 * the same. Task context, interrupts on; sleeps on text_patch_mutex.
 */
int text_patch_apply(const struct text_patch *patches, size_t count, size_t *bad);

/*
 * Fill freshly mapped, not yet reachable executable memory, or memory that nothing can reach any
 * more, through the private alias. Same context.
 */
int text_patch_fill(unsigned long addr, const void *bytes, size_t size);

extern const u8
	text_nop5[TEXT_PATCH_SIZE]; /* 0f 1f 44 00 00, nop dword [rax + rax] (Intel SDM 2B, NOP) */
/* Encode call (e8) or jmp (e9) from addr to target. */
void text_encode_call(u8 insn[TEXT_PATCH_SIZE], unsigned long addr, unsigned long target);
void text_encode_jmp(u8 insn[TEXT_PATCH_SIZE], unsigned long addr, unsigned long target);
/* Where a call or jmp at addr with these bytes goes. */
unsigned long text_decode_target(const u8 insn[TEXT_PATCH_SIZE], unsigned long addr);

/* Figures since boot. */
struct text_patch_stats {
	u64 batches;
	u64 sites;
	u64 breakpoints; /* CPUs that ran into a half-patched site and had it emulated */
};
void text_patch_stats_read(struct text_patch_stats *stats);
