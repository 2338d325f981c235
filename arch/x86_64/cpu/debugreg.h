/*
 * The four debug registers of a CPU: breakpoints at instructions, watchpoints on data (Intel SDM 3B
 * 17.2). What hits one gets a #DB. kernel/hw_breakpoint.h shares the registers out.
 *
 * They are off in NMIs and while a #DB is handled: what would hit one there is missed. The memory
 * that the entries use before cannot be watched: debugreg_may_watch().
 */
#pragma once

#include "kernel/types.h"

struct hw_breakpoint;

#define HBP_NUM 4

struct debugreg {
	unsigned long address; /* a multiple of the length */
	u8 type;               /* DEBUGREG_*, as in DR7 */
	u8 len;                /* DEBUGREG_LEN_*, as in DR7; 0 for an instruction */
};
#define DEBUGREG_X     0 /* before the instruction */
#define DEBUGREG_W     1 /* after the access */
#define DEBUGREG_RW    3
#define DEBUGREG_LEN_1 0
#define DEBUGREG_LEN_2 1
#define DEBUGREG_LEN_4 3
#define DEBUGREG_LEN_8 2

/*
 * Whether no hit can come before an entry has switched the registers off, nor where the kernel
 * cannot be interrupted at all. Any context.
 */
bool debugreg_may_watch(const struct debugreg *reg);

/*
 * Whether this CPU's registers may be loaded: not in an NMI nor in a #DB in the kernel, whose end
 * would undo it. Any context, interrupts off.
 */
bool debugreg_may_change(void);
/* The bytes that a DEBUGREG_LEN_* means. */
unsigned debugreg_bytes(u8 len);

/*
 * Loads a breakpoint into a register of this CPU, which hw_breakpoint_reserve() has made sure to be
 * free; takes it out again. Interrupts off, debugreg_may_change().
 */
void debugreg_start(struct hw_breakpoint *bp);
void debugreg_stop(struct hw_breakpoint *bp);
