/*
 * The four debug registers of a CPU: breakpoints at instructions, watchpoints on data (Intel SDM 3B
 * 17.2). What hits one gets a #DB, which asks the handler before it becomes a signal or an oops.
 *
 * They are off in NMIs and while a #DB is handled: what would hit one there is missed. The memory
 * that the entries use before must not be watched: .entry.text, the IST stacks, the GDT, the TSS,
 * nmi_running.
 */
#pragma once

#include "kernel/types.h"

struct pt_regs;

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
 * Loads the registers of this CPU: the first n, at most HBP_NUM; the others are off. Interrupts
 * off, not in an NMI or in the handler.
 */
void debugreg_load(const struct debugreg *regs, unsigned n);

/*
 * hit: bits 0 to 3, the registers that were hit. True: the handler knows them, and the program or
 * the kernel goes on. False: it is a signal or an oops. Any context but NMI, interrupts off, all
 * registers off. set_debug_handler() replaces the only handler and returns the previous one. NULL,
 * as at the boot: none.
 */
typedef bool (*debug_handler_t)(struct pt_regs *regs, unsigned hit);
debug_handler_t set_debug_handler(debug_handler_t handler);
