/*
 * Dynamic ftrace: every function's call site, and the callbacks that are attached to them on the
 * running machine. Names and meanings as in Linux (Documentation/trace/ftrace-uses.rst).
 */
#pragma once

#include "arch/ftrace.h"
#include "kernel/lib/list.h"

struct ftrace_trampoline;

/* A call site. dyn_ftrace.flags: */
#define FTRACE_FL_ENABLED  (1UL << 31)       /* the site calls a tracer now */
#define FTRACE_FL_REGS     (1UL << 30)       /* a user wants pt_regs */
#define FTRACE_FL_REGS_EN  (1UL << 29)       /* the site calls the variant that makes them */
#define FTRACE_FL_TRAMP    (1UL << 28)       /* the only user has a trampoline of its own */
#define FTRACE_FL_TRAMP_EN (1UL << 27)       /* the site calls it */
#define FTRACE_FL_IPMODIFY (1UL << 26)       /* a user changes where the function goes on */
#define FTRACE_FL_DIRECT   (1UL << 25)       /* a user wants a jmp of its own */
#define FTRACE_FL_MODIFIED (1UL << 24)       /* has once had a user of the last two kinds */
#define FTRACE_REF_MASK    ((1UL << 24) - 1) /* how many ops want the site */

struct dyn_ftrace {
	u32 offset; /* of the site from KERNEL_IMAGE_BASE [C] */
	u32 flags;  /* [F] */
};                  /* [F] ftrace_lock */

/*
 * ftrace_ops.flags. The owner sets, before registering: DYNAMIC, SAVE_REGS, SAVE_REGS_IF_SUPPORTED,
 * RECURSION, STUB, IPMODIFY, PID. The others are ftrace's.
 */
#define FTRACE_OPS_FL_ENABLED BIT(0) /* registered */
/* Not in the image: may be freed once it is unregistered. */
#define FTRACE_OPS_FL_DYNAMIC BIT(1)
/* The callback gets all registers, and may change them. IF_SUPPORTED: here they always are. */
#define FTRACE_OPS_FL_SAVE_REGS              BIT(2)
#define FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED BIT(3)
/* ftrace keeps the callback from recursing, and turns preemption off around it. */
#define FTRACE_OPS_FL_RECURSION   BIT(4)
#define FTRACE_OPS_FL_STUB        BIT(5) /* never called: its func is ftrace_stub */
#define FTRACE_OPS_FL_INITIALIZED BIT(6) /* has been registered before */
#define FTRACE_OPS_FL_DELETED     BIT(7) /* going away: cannot be registered any more */
/*
 * Says where the function goes on: a function can have only one such ops. It needs no SAVE_REGS for
 * that, as in Linux on x86 (CONFIG_DYNAMIC_FTRACE_WITH_ARGS).
 */
#define FTRACE_OPS_FL_IPMODIFY BIT(12)
/* Set by register_ftrace_direct(). */
#define FTRACE_OPS_FL_DIRECT BIT(17)
/* private is a trace_array: called only in tasks that its set_ftrace_pid lets through. */
#define FTRACE_OPS_FL_PID BIT(13)

struct ftrace_hash;

/*
 * A callback is func(ip, parent_ip, op, fregs). ip: the address of the traced function, where its
 * call site is; parent_ip: where it was called from; fregs: its arguments, or all registers if the
 * ops says SAVE_REGS. It runs in any context, NMI included, with any lock held, and may be
 * preempted where the traced function may (unless FTRACE_OPS_FL_RECURSION). It may not sleep, and
 * call only what is not traced, or guard itself (trace/ftrace/recursion.h).
 */
struct ftrace_ops {
	struct list_head list; /* [F] ftrace_ops_list; RCU-tasks */
	ftrace_func_t func;    /* [F]; while registered, ftrace may put one that asks first here */
	unsigned long flags;   /* [F] */
	void *private;         /* the owner's */
	ftrace_func_t saved_func; /* [F] the owner's func */
	ftrace_func_t list_func;  /* [F] what the list function calls: func, or what asks first */
	/* [F] to write, read by callbacks under RCU-tasks; never empty. NULL: all functions, none
	 */
	struct ftrace_hash *filter_hash;
	struct ftrace_hash *notrace_hash;
	struct ftrace_trampoline *trampoline; /* [F] NULL while not registered, or a stub */
	unsigned long direct_call;            /* [C] while registered: with DIRECT */
	struct ftrace_ops *follower; /* [F] has the same hashes, see ftrace_share_hashes() */
};

/*
 * Attach ops to the functions that its hashes name. Task context. Or nothing is changed:
 *   -EBUSY	it is registered already
 *   -EINVAL	no func; a flag that is not the owner's; DELETED; IPMODIFY without a filter
 *   -EPERM	IPMODIFY, and another IPMODIFY ops has one of the functions
 *   -ENOMEM
 *   -ENODEV	ftrace was shut down by an error
 */
int register_ftrace_function(struct ftrace_ops *ops);
/*
 * Detach: on return no task is or will be in its callback. Waits for a grace period of RCU-tasks.
 * 0, -EINVAL (not registered), -ENODEV (the sites stay as they are, but nobody is called). Task
 * context.
 */
int unregister_ftrace_function(struct ftrace_ops *ops);

/*
 * Replace the functions that the hashes of ops name by the one at addr, in the image: their sites
 * become a jmp to it, with no trampoline and no callback in between; or, where others want the same
 * function, addr is gone to after their callbacks. ops has no func and no flags of its own. Errors
 * as above: it counts as an IPMODIFY user. Task context.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
/* On return no more calls go there; tasks may still be in it. As unregister_ftrace_function(). */
int unregister_ftrace_direct(struct ftrace_ops *ops);

/*
 * Add the functions that a name or pattern matches to the filter, or with a '!' before it take them
 * away; reset empties it first. 0, or nothing is changed: -EINVAL (no function of that name),
 * -EPERM (as register_ftrace_function()), -ENOMEM, -ENODEV. Takes effect at once when ops is
 * registered. Task context.
 */
int ftrace_set_filter(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);
int ftrace_set_notrace(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);
/* One function by its address. -EINVAL: there is no site; -ENOENT: to remove, but not in it. */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset);
/* Empty the filters of an ops that is not registered, and free them. Task context. */
void ftrace_free_filter(struct ftrace_ops *ops);
/*
 * follower gets the hashes of ops, whatever they become, until they are taken from it again; it is
 * not registered at either time, and has none of its own. Task context.
 */
void ftrace_share_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower);
void ftrace_unshare_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower);

/*
 * The records, sorted by address: index from 0 to ftrace_record_count() - 1. The last ones, those
 * of init text, go when it is freed; constant after that.
 */
unsigned ftrace_record_count(void);
struct dyn_ftrace *ftrace_record(unsigned index);
unsigned long ftrace_record_ip(const struct dyn_ftrace *rec);
/* The record at ip or NULL. */
struct dyn_ftrace *ftrace_location(unsigned long ip);
unsigned ftrace_page_count(void);

/* An error has shut ftrace down: nothing is patched any more. */
bool ftrace_is_dead(void);

/*
 * Count every site's users, and compare its record and its bytes with what they should make of it:
 * how many differ; each is given to report (may be NULL). Task context.
 */
unsigned ftrace_verify(void (*report)(void *data, const struct dyn_ftrace *rec, const u8 *bytes),
		       void *data);
