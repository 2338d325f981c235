/* The entries of the wakeup tracers, in Linux's binary layout. */
#pragma once

#include "trace/core/entries.h"

/* common_type. */
#define TRACE_CTX  2
#define TRACE_WAKE 3

/* A task switch, or a wake-up by the task prev. */
struct ctx_switch_entry {
	struct trace_entry ent;
	u32 prev_pid, next_pid;
	u32 next_cpu;
	u8 prev_prio, prev_state; /* state: 0 runs, else 1 + the number of its bit */
	u8 next_prio, next_state;
};
