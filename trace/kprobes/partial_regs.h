/* The registers of probes at call sites, which ftrace saves in part. */
#pragma once

#include "trace/ftrace/ftrace.h"

/*
 * Returns the arguments as registers for code that knows no ftrace: with sp, and with a cs by which
 * user_mode() tells that they are not of a program.
 */
static __always_inline struct pt_regs *ftrace_partial_regs(struct ftrace_regs *fregs)
{
	fregs->regs.sp = (unsigned long)ftrace_regs_return_slot(fregs);
	fregs->regs.cs &= ~3UL;
	return &fregs->regs;
}
