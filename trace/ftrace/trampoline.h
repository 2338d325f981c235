/* Trampolines of ops, for the files of trace/ftrace. Task context unless stated. */
#pragma once

#include "kernel/kallsyms.h"
#include "trace/ftrace/internal.h"

struct ftrace_trampoline {
	unsigned long address;          /* [C] the sites call it */
	size_t size;                    /* [C] bytes */
	enum ftrace_save save;          /* [C] the registers that it saves */
	ftrace_func_t target;           /* [F] the trampoline calls it */
	struct kallsyms_dynamic symbol; /* the name in kallsyms */
};

/* Makes a trampoline for ops that calls target. NULL without memory. */
struct ftrace_trampoline *ftrace_trampoline_create(struct ftrace_ops *ops, ftrace_func_t target);
/*
 * Makes the trampoline call another function, while CPUs execute it. 0, or -ENODEV and ftrace is
 * shut down. [F]
 */
int ftrace_trampoline_set_target(struct ftrace_trampoline *tramp, ftrace_func_t target);
/* Makes the trampoline call nothing, for ever. Any context. */
void ftrace_trampoline_silence(const struct ftrace_trampoline *tramp);
/*
 * ftrace_trampoline_hide() removes the name when no site calls the trampoline any more. After a
 * grace period of RCU-tasks, ftrace_trampoline_free() frees it.
 */
void ftrace_trampoline_hide(struct ftrace_trampoline *tramp);
void ftrace_trampoline_free(struct ftrace_trampoline *tramp);
