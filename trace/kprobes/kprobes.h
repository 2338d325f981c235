/*
 * Kprobes: handlers at an instruction of the kernel. Names and meanings are those of Linux
 * (Documentation/trace/kprobes.rst). docs/architecture.md, "Probes", has the design.
 */
#pragma once

#include "arch/ptrace.h"
#include "kernel/atomic.h"
#include "kernel/lib/list.h"

#define KPROBE_FLAG_DISABLED BIT(1) /* no handler is called */

struct kprobe_site;

struct kprobe {
	unsigned long addr;      /* of the instruction; or NULL and */
	const char *symbol_name; /* the function, and */
	unsigned offset;         /* the distance from its start */
	u32 flags;               /* [kprobe_mutex] */
	/*
	 * Called before the instruction is executed, with preemption off, and with interrupts off
	 * unless the probe is at the entry of a function. regs->ip is addr + 1. They must not
	 * sleep. Any context. Not 0: the handler has set regs->ip, and execution continues there
	 * without the instruction; not at the entry of a function.
	 */
	int (*pre_handler)(struct kprobe *p, struct pt_regs *regs);
	/* Called after the instruction, in the same way; flags is 0. NULL: none. */
	void (*post_handler)(struct kprobe *p, struct pt_regs *regs, unsigned long flags);
	/* Hits without a call of the handlers: the CPU was in a handler of a kprobe already. */
	atomic64_t nmissed;
	/* Of this room. */
	struct list_head list;    /* [kprobe_mutex] in the site; RCU */
	struct kprobe_site *site; /* [kprobe_mutex] NULL: not registered */
};

/*
 * Registers a probe. Task context. Sleeps. On an error nothing is changed:
 *   -EINVAL	a symbol and an address, or none; the address is not in the image's text, or is in a
 *		function of the breakpoint path or in a static branch; registered already
 *   -ENOENT	no such symbol
 *   -EILSEQ	no instruction starts there
 *   -EOPNOTSUPP	an instruction that cannot be moved
 *   -ENOMEM; errors of register_ftrace_function()
 */
int register_kprobe(struct kprobe *p);
/* On return no handler of p runs or will run. Task context. Waits for grace periods. */
void unregister_kprobe(struct kprobe *p);
/* -EINVAL: not registered. disable_kprobe() does not wait for handlers. Task context. */
int enable_kprobe(struct kprobe *p);
int disable_kprobe(struct kprobe *p);
