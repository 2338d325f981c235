/*
 * Dynamic ftrace: the call site at the start of each function, and callbacks that are attached to
 * call sites while the machine runs. Names and meanings are those of Linux
 * (Documentation/trace/ftrace-uses.rst).
 */
#pragma once

#include "arch/ftrace/ftrace.h"
#include "kernel/lib/list.h"
#include "kernel/mm/page_alloc.h"

struct ftrace_trampoline;

/* Flags in dyn_ftrace.flags, the record of a call site. A user is an ops that wants the site. */
#define FTRACE_FL_ENABLED  (1UL << 31) /* the site calls a tracer now */
#define FTRACE_FL_REGS     (1UL << 30) /* a user wants all registers */
#define FTRACE_FL_REGS_EN  (1UL << 29) /* the site calls the stub that saves them */
#define FTRACE_FL_TRAMP    (1UL << 28) /* the only user has its own trampoline */
#define FTRACE_FL_TRAMP_EN (1UL << 27) /* the site calls it */
#define FTRACE_FL_IPMODIFY (1UL << 26) /* a user changes where execution continues */
#define FTRACE_FL_DIRECT   (1UL << 25) /* a user has code of its own for the site */
#define FTRACE_FL_MODIFIED (1UL << 24) /* a user had IPMODIFY or DIRECT once */
#define FTRACE_FL_TOUCHED  (1UL << 23) /* the site had a user once */
#define FTRACE_FL_HISTORY  (FTRACE_FL_MODIFIED | FTRACE_FL_TOUCHED) /* stay when the users go */
#define FTRACE_REF_MASK    ((1UL << 23) - 1)                        /* the count of users */

struct dyn_ftrace {
	u32 offset; /* of the site from KERNEL_IMAGE_BASE [C] */
	u32 flags;  /* [F] */
};                  /* [F] ftrace_lock */

/*
 * ftrace_ops.flags. The owner sets these before it registers the ops: DYNAMIC, SAVE_REGS,
 * SAVE_REGS_IF_SUPPORTED, RECURSION, STUB, IPMODIFY, PID, JMP. ftrace sets the others.
 */
#define FTRACE_OPS_FL_ENABLED BIT(0) /* registered */
/* The ops is not in the image; its owner may free it once it is unregistered. */
#define FTRACE_OPS_FL_DYNAMIC BIT(1)
/* The callback gets all registers and may change them. IF_SUPPORTED means the same here. */
#define FTRACE_OPS_FL_SAVE_REGS              BIT(2)
#define FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED BIT(3)
/*
 * ftrace guards the callback against recursion, and turns preemption off around it. Callbacks in
 * modules always are guarded, because they have call sites, as all functions of modules do.
 */
#define FTRACE_OPS_FL_RECURSION   BIT(4)
#define FTRACE_OPS_FL_STUB        BIT(5) /* func is ftrace_stub: never called */
#define FTRACE_OPS_FL_INITIALIZED BIT(6) /* has been registered before */
#define FTRACE_OPS_FL_DELETED     BIT(7) /* cannot be registered any more */
/*
 * The callback chooses where execution continues. A function can have only one such ops. The ops
 * does not need SAVE_REGS for that, as in Linux on x86 (CONFIG_DYNAMIC_FTRACE_WITH_ARGS).
 */
#define FTRACE_OPS_FL_IPMODIFY BIT(12)
/* Set by register_ftrace_direct(). */
#define FTRACE_OPS_FL_DIRECT BIT(17)
/* For register_ftrace_direct() alone: the site is a jmp to the code, and not a call of it. */
#define FTRACE_OPS_FL_JMP BIT(20)
/* ftrace_filter_pids() works: pid_func decides for each call whether the task is traced. */
#define FTRACE_OPS_FL_PID BIT(13)

struct ftrace_hash;

/*
 * A callback is func(ip, parent_ip, op, fregs). ip: the address of the traced function, which is
 * also that of its call site; parent_ip: the address after the call of the function; fregs: the
 * arguments, or all registers if the ops has SAVE_REGS. A callback runs in any context, NMI
 * included, with any lock held. It may be preempted where the traced function may (unless
 * FTRACE_OPS_FL_RECURSION). It must not sleep. It may call only functions that are not traced, or
 * must guard itself (trace/ftrace/recursion.h).
 */
struct ftrace_ops {
	struct list_head list;    /* [F] ftrace_ops_list; RCU-tasks */
	ftrace_func_t func;       /* [F] while registered, ftrace may replace it by pid_func */
	unsigned long flags;      /* [F] */
	void *private;            /* the owner's */
	ftrace_func_t saved_func; /* [F] the owner's func */
	ftrace_func_t list_func;  /* [F] the list function calls it: func, or a check before func */
	/* [C] the owner's, with PID: checks the task, then calls saved_func. */
	ftrace_func_t pid_func;
	bool filters_pids; /* [F] func is pid_func */
	/* [F] to write, read by callbacks under RCU-tasks; never empty. NULL: all functions */
	struct ftrace_hash *filter_hash;
	struct ftrace_hash *notrace_hash;     /* the same; NULL: no functions */
	struct ftrace_trampoline *trampoline; /* [F] NULL while not registered, or with STUB */
	unsigned long direct_call;            /* [F] with DIRECT: the owner's code */
	unsigned long direct_shared; /* [F] for sites with other users: struct ftrace_direct_code */
	struct ftrace_ops *follower; /* [F] uses the same hashes: ftrace_share_hashes() */
};

/*
 * Attaches ops to the functions that its hashes name. Task context. On an error nothing is changed:
 *   -EBUSY	ops is registered already
 *   -EINVAL	no func; a flag that the owner may not set; DELETED; IPMODIFY without a filter
 *   -EPERM	IPMODIFY, and another IPMODIFY ops has one of the functions
 *   -ENOMEM
 *   -ENODEV	an error has shut ftrace down
 */
int register_ftrace_function(struct ftrace_ops *ops);
/*
 * Detaches ops. On return no task is in its callback or will enter it. Waits for a grace period of
 * RCU-tasks. Returns 0, -EINVAL (not registered), or -ENODEV (ftrace is shut down: the sites stay
 * as they are, but they call no callback). Task context.
 */
int unregister_ftrace_function(struct ftrace_ops *ops);
/*
 * Turns the PID filter of ops, which has FTRACE_OPS_FL_PID, on or off: while it is on, ftrace calls
 * ops->pid_func instead of func. ops may be registered or not. Task context.
 */
void ftrace_filter_pids(struct ftrace_ops *ops, bool on);

/*
 * Makes the functions that the hashes of ops name begin with the code at addr, which is in the
 * image or in a module. A site with no other user calls addr, without a trampoline and a callback;
 * at a site with other users, addr is called after their callbacks. The code keeps the registers of
 * the arguments, and those that a function keeps. It returns to the function; r10 and r11 are free.
 *
 * With FTRACE_OPS_FL_JMP the site jumps to addr. That is the way to replace a function by another
 * one, and such an ops counts as a user with IPMODIFY. Linux 6.19 has this flag; later Linux has a
 * bit of addr instead.
 *
 * The owner sets no func and no other flag. Errors as above, and -EBUSY: one of the functions has a
 * direct ops already. Task context.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
/*
 * As unregister_ftrace_function(). On return no more calls go to the code at addr; tasks may still
 * be inside it.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops);

/*
 * Code that stands in front of the function in the filter of ops, and then continues with the
 * function. A site with no other user becomes a jmp to `alone`, which continues behind the site. At
 * a site with other users, execution continues at `shared` after their callbacks: with all
 * registers but r10 as the function would have them, and in r11 the address where it would have
 * continued: an IPMODIFY user may have changed that.
 */
struct ftrace_direct_code {
	unsigned long alone, shared;
};
/*
 * Attaches the code. The owner sets no func and no flags, and one function in the filter. Errors as
 * register_ftrace_function(). Task context.
 */
int ftrace_attach_code(struct ftrace_ops *ops, const struct ftrace_direct_code *code);
/*
 * Changes the code of an attached ops. Tasks may still be in the old code: it can be freed after a
 * grace period of RCU-tasks. 0, or -ENODEV and ftrace is shut down. Task context.
 */
int ftrace_change_code(struct ftrace_ops *ops, const struct ftrace_direct_code *code);
/*
 * Detaches the code, without a wait. The code and ops can be freed after a grace period of
 * RCU-tasks. Task context.
 */
void ftrace_detach_code(struct ftrace_ops *ops);

/*
 * Adds the functions that match a name or pattern to the filter; with a '!' before the pattern it
 * removes them. reset: empty the filter first. If ops is registered the change takes effect at
 * once. Returns 0, or an error and nothing is changed: -EINVAL (no function matches), -EPERM (as
 * register_ftrace_function()), -ENOMEM, -ENODEV. Task context.
 */
int ftrace_set_filter(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);
int ftrace_set_notrace(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);
/*
 * Adds or removes one function by its address. -EINVAL: no site at ip; -ENOENT: the function to
 * remove is not in the filter.
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset);
/* Empties and frees the filters of an ops that is not registered. Task context. */
void ftrace_free_filter(struct ftrace_ops *ops);
/*
 * ftrace_share_hashes() makes follower use the hashes of ops, also after they change, until
 * ftrace_unshare_hashes(). follower is not registered at either call, and has no hashes of its own.
 * Task context.
 */
void ftrace_share_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower);
void ftrace_unshare_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower);

/*
 * The records, sorted by address: index from 0 to ftrace_record_count() - 1. The last records
 * belong to init text, and are removed when init text is freed. After that the records are
 * constant.
 */
unsigned ftrace_record_count(void);
struct dyn_ftrace *ftrace_record(unsigned index);
static inline unsigned long ftrace_record_ip(const struct dyn_ftrace *rec)
{
	return KERNEL_IMAGE_BASE + rec->offset;
}
/*
 * Returns the record of the site at ip, or NULL. A module's record may be read while ftrace_lock is
 * held, or while the module cannot go. Task context.
 */
struct dyn_ftrace *ftrace_location(unsigned long ip);
unsigned ftrace_page_count(void);

/* True after an error has shut ftrace down: ftrace patches nothing any more. */
bool ftrace_is_dead(void);

/*
 * Counts the users of each site, and compares the site's record and bytes with the expected ones.
 * Calls report (may be NULL) for each site that differs. Returns the count of these sites. Task
 * context.
 */
unsigned ftrace_verify(void (*report)(void *data, const struct dyn_ftrace *rec, const u8 *bytes),
		       void *data);
