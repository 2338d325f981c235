/*
 * The exception table: instructions that may fault, each with the instruction at which the kernel
 * then continues. Only an access to memory that another program chose may be in it.
 *
 * An entry is made where the instruction is: EXTABLE() in inline assembly, the macro of the same
 * name (arch/mm/uaccess.inc) in assembly files. After a fault at the first address the exception
 * handler changes nothing but the instruction pointer.
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/compiler.h"

struct exception_table_entry {
	unsigned long insn;  /* may fault with #PF or #GP */
	unsigned long fixup; /* continue here */
};

/* from and to are assembler labels, as strings. */
#define EXTABLE(from, to)                                                                          \
	".pushsection .table.rodata.ex_table.1., \"a\"\n\t"                                        \
	".balign 8\n\t"                                                                            \
	".quad " from ", " to "\n\t"                                                               \
	".popsection\n\t"

/*
 * Finds the entry of generated code, which is in the text area. The part of the kernel that
 * generates code that may fault sets it, once. The entry stays until that code is freed. Any
 * context. NULL: there is no such code.
 */
extern const struct exception_table_entry *(*search_generated_exception_table)(unsigned long ip);

/* Returns the entry of the instruction at ip, or NULL. Any context. */
const struct exception_table_entry *search_exception_table(unsigned long ip);
/*
 * True if the instruction or the fixup of an entry is in [start, end). The caller keeps the module
 * that is there.
 */
bool exception_table_touches(unsigned long start, unsigned long end);
/* Moves regs->ip to the fixup, if the instruction there has one. Any context. */
bool fixup_exception(struct pt_regs *regs);
