/* What traps_user.c does while arch/irq/page_fault.h has a user. */
#pragma once

#include "kernel/types.h"

struct pt_regs;

/* Calls the hook, if there is one. Task context. */
void page_fault_tell(const struct pt_regs *regs, unsigned long address, bool minor, bool major);
