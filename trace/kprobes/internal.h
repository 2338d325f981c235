/* Declarations shared by the files of trace/kprobes. */
#pragma once

#include "arch/percpu.h"
#include "kernel/sched/mutex.h"
#include "trace/kprobes/kprobes.h"

/* Protects sites and registrations. Before fgraph_mutex, ftrace_lock, text_patch_mutex. */
extern struct mutex kprobe_mutex;
DECLARE_PER_CPU(unsigned, kprobe_active); /* this CPU is in a handler of a probe */

/*
 * Computes the address that p names, and checks that a probe can be there: 0, or an error of
 * register_kprobe(). kprobe_mutex held.
 */
int kprobe_address(const struct kprobe *p, unsigned long *addr);
