/*
 * SMAP: the CPU faults when the kernel touches a user page while EFLAGS.AC is clear (Intel SDM 3A
 * 4.6.1). STAC (here ASM_STAC) opens user memory, CLAC (ASM_CLAC) closes it again. No call may lie
 * between the two: AC would stay set in the called function.
 *
 * A CPU without SMAP does not know the two instructions. So each place holds a 3-byte nop, and the
 * boot CPU replaces the nops if it has SMAP. For arch/ only.
 */
#pragma once

#include "kernel/compiler.h"

#define SMAP_SITE(last_byte)                                                                       \
	"661: .byte 0x0f, 0x1f, 0x00\n\t"                                                          \
	".pushsection .table.init.smap_sites.1., \"aw\"\n\t"                                       \
	".balign 8\n\t"                                                                            \
	".quad 661b, " last_byte "\n\t"                                                            \
	".popsection\n\t"
#define ASM_STAC SMAP_SITE("0xcb")
#define ASM_CLAC SMAP_SITE("0xca")

/*
 * Boot CPU, before the other CPUs start and when text can be patched: puts STAC and CLAC in their
 * places.
 */
void smap_init(void);
