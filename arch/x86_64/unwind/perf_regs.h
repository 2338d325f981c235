/* Registers as perf_event_open(2) numbers them, and those of a place in the kernel. */
#pragma once

#include "kernel/types.h"

struct pt_regs;

/* The register with that number, below 24, of perf_event_open(2). Any context. */
u64 perf_reg_value(const struct pt_regs *regs, unsigned number);
/*
 * The registers of a place in the kernel that no interrupt has saved: ip, sp, and the code segment;
 * the others are 0. Any context.
 */
void perf_fetch_caller_regs(struct pt_regs *regs, unsigned long ip, unsigned long sp);
