/*
 * Kprobes: handlers at an instruction of the kernel. Names and meanings are those of Linux
 * (Documentation/trace/kprobes.rst). docs/architecture.md, "Probes", has the design.
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "kernel/atomic.h"
#include "kernel/lib/list.h"

#define KPROBE_FLAG_GONE     BIT(0) /* its module has gone; it can only be unregistered */
#define KPROBE_FLAG_DISABLED BIT(1) /* no handler is called */
#define KPROBE_FLAG_RETURNS  BIT(2) /* of this room: it serves the return probes of its function */

struct kprobe_site;
struct module;

struct kprobe {
	unsigned long addr;      /* of the instruction; or NULL and */
	const char *symbol_name; /* the function, and */
	unsigned offset;         /* the distance from its start */
	u32 flags;               /* [kprobe_mutex] */
	/*
	 * Called before the instruction is executed, with preemption off. Interrupts are off if an
	 * int3 led here; they are as they were if ftrace or a jump did. regs->ip is addr + 1. They
	 * must not sleep. Any context. Not 0: the handler has set regs->ip, and execution continues
	 * there without the instruction. A live patch of the same function may come after that.
	 */
	int (*pre_handler)(struct kprobe *p, struct pt_regs *regs);
	/*
	 * Called after the instruction, in the same way; flags is 0. NULL: none, and a jump may
	 * replace the int3.
	 */
	void (*post_handler)(struct kprobe *p, struct pt_regs *regs, unsigned long flags);
	/* Hits without a call of the handlers: the CPU was in a handler of a kprobe already. */
	atomic64_t nmissed;
	/*
	 * At the entry of a function the handlers use only ip, sp and the registers of arguments.
	 * That makes a hit faster.
	 */
	bool args_only;
	/* Of this room. */
	struct list_head list;    /* [kprobe_mutex] in the site; RCU */
	struct kprobe_site *site; /* [kprobe_mutex] NULL: not registered */
};

/*
 * Registers a probe. Task context. Sleeps. On an error nothing is changed:
 *   -EINVAL	a symbol and an address, or none; no text of the kernel or of a module; blacklisted;
 *		a static branch; registered already
 *   -ENOENT	no such symbol
 *   -EILSEQ	no instruction starts there
 *   -EOPNOTSUPP	an instruction that cannot be moved
 *   -ENOMEM; errors of register_ftrace_function()
 */
int register_kprobe(struct kprobe *p);
/* On return no handler of p runs or will run. Task context. Waits for a grace period. */
void unregister_kprobe(struct kprobe *p);
/*
 * The same for num probes. Registration ends at the first error, and unregisters those before;
 * -EINVAL: num is not positive. Unregistration waits for one grace period, not for one each.
 */
int register_kprobes(struct kprobe **ps, int num);
void unregister_kprobes(struct kprobe **ps, int num);
/*
 * -EINVAL: not registered, or GONE. On return of disable_kprobe() no handler of p runs. Task
 * context.
 */
int enable_kprobe(struct kprobe *p);
int disable_kprobe(struct kprobe *p);
/*
 * Whether a probe can be in the module's text: ftrace and jump labels know its sites, and it does
 * not go. Until then -EINVAL. In an RCU section, or for a module that cannot go.
 */
bool kprobe_module_is_ready(const struct module *module);
/* Whether a jump leads to the handlers of p, which is registered. Changes at any time. */
bool kprobe_optimized(const struct kprobe *p);

/* ---- return probes: a handler at the return of a function, and one at its entry ---- */

struct kretprobe_pool;

/* One call of a probed function, from its entry to its return. */
struct kretprobe_instance {
	struct kretprobe_instance
		*next;               /* of the same call; of this room, as are the next fields */
	struct kretprobe_pool *pool; /* [C] */
	unsigned long ret_addr;
	u32 number;    /* [C] in the pool, from 1 on */
	u32 next_free; /* in the pool: number, or 0 */
	u64 data[];    /* data_size bytes that belong to the probe's handlers */
};

/*
 * Both handlers run with preemption off, in any context, and must not sleep. A function that they
 * call is not probed: such a hit counts in kp.nmissed.
 */
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri, struct pt_regs *regs);

#define KRETPROBE_MAX_DATA_SIZE 4096

struct kretprobe {
	struct kprobe kp; /* addr, or symbol_name; flags; nmissed. Its handlers are not called. */
	/* At the return. regs: after the return, ip is the return address; without di. Or NULL. */
	kretprobe_handler_t handler;
	/*
	 * At the entry, as a pre_handler of a kprobe. Not 0: this return is not of interest. NULL:
	 * none.
	 */
	kretprobe_handler_t entry_handler;
	/*
	 * Calls at the same time, in all tasks. At most 0: any number, if the probe has neither
	 * entry_handler nor data_size; else max(10, 2 * number of CPUs).
	 */
	int maxactive;
	atomic64_t nmissed; /* calls without a call of the handlers: more than maxactive at once */
	size_t data_size;   /* of ri->data */
	/*
	 * The handlers use only ip, sp, and the registers of arguments at the entry, ax and dx at
	 * the return. That makes a hit faster.
	 */
	bool args_only;
	/* Of this room. */
	struct list_head list;       /* [kprobe_mutex] in the site; RCU */
	struct kretprobe_site *site; /* [kprobe_mutex] NULL: in none, or not any more */
	/*
	 * [kprobe_mutex] NULL: not registered. Hits read it until a grace period of RCU has passed.
	 */
	struct kretprobe_pool *pool;
};

/*
 * Registers a return probe. A function without a call site of ftrace gets an int3 or a jump at its
 * entry. Task context. Sleeps. Errors: -E2BIG (data_size), -EINVAL (also: not the entry of a
 * function, or one that calls callbacks), -ENOENT, -ENOMEM, and those of register_kprobe() and
 * register_ftrace_graph().
 */
int register_kretprobe(struct kretprobe *rp);
/*
 * On return no handler of rp runs or will run. Calls that have not returned end without a handler.
 * Task context. Waits for grace periods.
 */
void unregister_kretprobe(struct kretprobe *rp);
/* The same for num probes, as register_kprobes() and unregister_kprobes(). */
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);
/* As enable_kprobe() and disable_kprobe(). The returns of calls that have begun have no handler. */
int enable_kretprobe(struct kretprobe *rp);
int disable_kretprobe(struct kretprobe *rp);

struct kretprobe_pool {
	struct kretprobe *rp; /* [kprobe_mutex] to write; RCU. NULL: it is unregistered */
	u64 free;             /* [A] low half: number of a free instance, or 0; high half: pushes */
	u32 count;            /* [C] of instances */
	u32 instance_size;    /* [C] */
	struct kretprobe_pool *next_dead; /* [kprobe_mutex] */
	struct kretprobe_table *table;    /* [C] */
	u64 token;                        /* [C] odd; no other registration has the same */
	u64 instances[];
};

/* For handlers. */
static inline struct kretprobe *get_kretprobe(const struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->pool->rp);
}
static inline unsigned long get_kretprobe_retaddr(const struct kretprobe_instance *ri)
{
	return ri->ret_addr;
}
