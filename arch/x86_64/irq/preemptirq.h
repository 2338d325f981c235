/*
 * The instructions that turn interrupts and preemption off and on. Each is a site of a static key
 * (kernel/jump_label.h): while the key is on, the instruction is a call of a thunk
 * (preemptirq.asm), which does what the instruction does, and reports it.
 *
 * A call has 5 bytes. CLI and STI have one, so 4 prefixes without effect stand before them (CS
 * segment override, Intel SDM 2A 2.1.1). INC and DEC of the preempt count have 7: the call replaces
 * the first 5, and the thunk returns behind the other 2. So a site that is off costs nothing: it is
 * the instruction that would be there anyway.
 *
 * The target of the site's entry is the struct insn_site of the thunk, thunk_site.
 *
 * The assembly is `inline`: else the compiler counts each line of it as an instruction, and inlines
 * fewer functions.
 */
#pragma once

#include "kernel/types.h"

#define PREEMPTIRQ_SITE(insn, thunk, key)                                                          \
	"1: " insn "\n\t"                                                                          \
	".pushsection .table.data.jump_entries.1., \"aw\"\n\t"                                     \
	".balign 8\n\t"                                                                            \
	".long 1b - ., " thunk "_site - .\n\t"                                                     \
	".quad " key " + 2\n\t" /* JUMP_ENTRY_INSN */                                              \
	".popsection"
