/* What a call costs, in TSC ticks, for benches that compare two ways of calling. */
#pragma once

#include "kernel/types.h"

struct seq_file;

/*
 * Returns the ticks of one call of function, times CALL_COST_SCALE. Calls it many times in several
 * rounds, and takes the fastest round: interrupts, and a host that stops the CPU, only make others
 * slower. calls: in all. Task context.
 */
u64 call_cost(void (*function)(void), unsigned calls);
#define CALL_COST_SCALE 1000

/*
 * Prints a line: the ticks by which a call became dearer, from plain to changed. Both are of
 * call_cost(). Negative if it became cheaper.
 */
void show_call_cost(struct seq_file *m, const char *what, u64 plain, u64 changed);
