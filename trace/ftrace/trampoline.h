/* Trampolines of ops: trace/ftrace/ops.c and trace/ftrace/update.c. Task context. */
#pragma once

#include "kernel/kallsyms.h"
#include "trace/ftrace/internal.h"

struct ftrace_trampoline {
	unsigned long address;          /* [C] what the sites call */
	size_t size;                    /* [C] bytes */
	bool save_regs;                 /* [C] like ftrace_regs_caller */
	ftrace_func_t target;           /* [F] what it calls */
	struct kallsyms_dynamic symbol; /* its name */
};

/* One for ops that calls target. NULL without memory. */
struct ftrace_trampoline *ftrace_trampoline_create(struct ftrace_ops *ops, ftrace_func_t target);
/* Have it call another function, while it is being executed. 0, or ftrace is shut down. [F] */
int ftrace_trampoline_set_target(struct ftrace_trampoline *tramp, ftrace_func_t target);
/* For ever: it calls nobody any more. Any context. */
void ftrace_trampoline_silence(const struct ftrace_trampoline *tramp);
/* Take its name away, when no site calls it any more; and a grace period of RCU-tasks later: */
void ftrace_trampoline_hide(struct ftrace_trampoline *tramp);
void ftrace_trampoline_free(struct ftrace_trampoline *tramp);
