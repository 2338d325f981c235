/*
 * The registers of struct pt_regs by name and by use, for probes. Names are Linux's: "ax", "di",
 * "ip", "flags".
 */
#pragma once

#include "arch/cpu/ptrace.h"

/*
 * Returns the offset in struct pt_regs of the register with that name; -EINVAL: no such register.
 */
int regs_query_register_offset(const char *name);

#define REGS_ARGUMENTS     6 /* arguments in registers; the others are on the stack */
#define REGS_RESULT_OFFSET offsetof(struct pt_regs, ax)
/*
 * Returns the offset of the register that holds argument index, from 0 on; -EINVAL: on the stack.
 */
int regs_argument_offset(unsigned index);
/* Returns whether the register at this offset holds an argument. */
bool regs_is_argument(int offset);
