/* Shared by the files of exceptions: traps.c (the kernel's) and arch/user/traps_user.c. */
#pragma once

#include "arch/cpu/ptrace.h"
#include "arch/irq/traps.h"

/* Error code of a page fault (Intel SDM 3A 4.7). */
#define PF_PROT  (1UL << 0) /* the page is there, and its entry forbids the access */
#define PF_WRITE (1UL << 1)
#define PF_USER  (1UL << 2)
#define PF_RSVD  (1UL << 3)
#define PF_INSTR (1UL << 4)

extern const char *const exception_names[NR_EXCEPTIONS];

/*
 * Called by entry.asm when the IRET that returns to ring 3 has faulted. at_iret: the registers of
 * that fault. They are the program's, except rip, cs, flags, rsp and ss, which are still at the top
 * of the stack. Returns task_pt_regs(current) with all registers of the program and the error code.
 * Interrupts off.
 */
struct pt_regs *fix_bad_iret(struct pt_regs *at_iret);
