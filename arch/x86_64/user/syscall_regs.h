/* A system call as the registers of the program describe it. Task context. */
#pragma once

#include "kernel/types.h"

struct pt_regs;

#define AUDIT_ARCH 0xc000003eU /* x86-64, little endian */

/* Makes the system call of the registers, for the current task. Its result. */
long arch_make_syscall(struct pt_regs *regs);
void arch_syscall_args(const struct pt_regs *regs, u64 args[6]);
