/*
 * The instruction of a static branch, and its entry in the table of all static branches.
 * kernel/jump_label.h explains the mechanism and includes this header.
 *
 * The instruction is in every state five bytes: a nop, or a jmp with a 32-bit displacement. Each
 * of the two functions returns false where the nop is, and true where the jmp leads. They are
 * inlined, so the compiler lays the code of the two cases out as for an ordinary branch.
 */
#pragma once

#include "kernel/compiler.h"

struct static_key;

/*
 * One struct jump_entry. The assembler knows a distance between two places of the kernel as 32
 * bits. The address of the key has 64 bits; bit 0 holds `likely`.
 */
#define JUMP_ENTRY                                                                                 \
	".pushsection .table.data.jump_entries.1., \"aw\"\n\t"                                     \
	".balign 8\n\t"                                                                            \
	".long 1b - ., %l[jump] - .\n\t"                                                           \
	".quad %c0 + %c1\n\t"                                                                      \
	".popsection"

/* The initial instruction is the nop. likely: the key is true while the nop is there. */
static __always_inline bool arch_static_branch(struct static_key *key, bool likely)
{
	__asm__ goto("1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t" JUMP_ENTRY
		     :
		     : "i"(key), "i"(likely)
		     :
		     : jump);
	return false;
jump:
	return true;
}

/* The initial instruction is the jmp. */
static __always_inline bool arch_static_branch_jump(struct static_key *key, bool likely)
{
	__asm__ goto("1: .byte 0xe9\n\t"
		     ".long %l[jump] - 2f\n\t"
		     "2: " JUMP_ENTRY
		     :
		     : "i"(key), "i"(likely)
		     :
		     : jump);
	return false;
jump:
	return true;
}
