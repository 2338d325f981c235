/*
 * Dynamic ftrace: every function's call site, and the callbacks that are attached to them on the
 * running machine. Names and meanings as in Linux (Documentation/trace/ftrace-uses.rst).
 */
#pragma once

#include "arch/x86_64/ftrace.h"
#include "kernel/lib/list.h"

/* A call site. dyn_ftrace.flags: */
#define FTRACE_FL_ENABLED  (1UL << 31)       /* the site calls a tracer now */
#define FTRACE_FL_REGS     (1UL << 30)       /* a user wants pt_regs */
#define FTRACE_FL_REGS_EN  (1UL << 29)       /* the site calls the variant that makes them */
#define FTRACE_FL_TRAMP    (1UL << 28)       /* the only user has a trampoline of its own */
#define FTRACE_FL_TRAMP_EN (1UL << 27)       /* the site calls it */
#define FTRACE_FL_IPMODIFY (1UL << 26)       /* a user changes where the function goes on */
#define FTRACE_FL_DIRECT   (1UL << 25)       /* a user wants a jmp of its own */
#define FTRACE_REF_MASK    ((1UL << 24) - 1) /* how many ops want the site */

struct dyn_ftrace {
	u32 offset; /* of the site from KERNEL_IMAGE_BASE [C] */
	u32 flags;  /* [F] */
};                  /* [F] ftrace_lock */

/* ftrace_ops.flags */
#define FTRACE_OPS_FL_ENABLED     (1UL << 0) /* registered; set by ftrace */
#define FTRACE_OPS_FL_DYNAMIC     (1UL << 1) /* allocated: may be freed once it is unregistered */
#define FTRACE_OPS_FL_RECURSION   (1UL << 4) /* wants ftrace to guard it against recursion */
#define FTRACE_OPS_FL_STUB        (1UL << 5) /* never called */
#define FTRACE_OPS_FL_INITIALIZED (1UL << 6)

struct ftrace_ops;

/*
 * A callback. ip: the traced function's call site, its address; parent_ip: where it was called
 * from; fregs: its arguments. Runs with preemption off, in any context, NMI included, with any lock
 * held. It may call only what is not traced, or guards itself (trace/trace_recursion.h).
 */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			      struct ftrace_regs *fregs);

struct ftrace_hash;

struct ftrace_ops {
	ftrace_func_t func;  /* [C] while registered */
	unsigned long flags; /* [F] */
	void *private;       /* the owner's */
	struct ftrace_hash
		*filter_hash; /* [F] to write, read by callbacks; NULL or empty: all functions */
	struct ftrace_hash *notrace_hash; /* [F] the same; NULL or empty: none */
	struct list_head list;            /* [F] ftrace_ops_list */
	struct ftrace_ops *follower;      /* [F] has the same hashes, see ftrace_share_hashes() */
};

/*
 * Attach ops to the functions that its hashes name. 0, -EBUSY (registered already), -EINVAL (no
 * func), -ENODEV (ftrace was shut down by an error), -ENOMEM (nothing changed). Task context.
 */
int register_ftrace_function(struct ftrace_ops *ops);
/* Detach: on return no CPU runs or will run its callback. 0, -EINVAL, -ENODEV. Task context. */
int unregister_ftrace_function(struct ftrace_ops *ops);

/*
 * Add the functions that a name or pattern matches to the filter, or with a '!' before it take them
 * away; reset empties it first. 0, -EINVAL (no function of that name: nothing changed), -ENOMEM.
 * Takes effect at once when ops is registered. Task context.
 */
int ftrace_set_filter(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);
int ftrace_set_notrace(struct ftrace_ops *ops, const char *pattern, size_t length, bool reset);

/* Free the hashes of ops, which is not registered. Task context. */
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

/* Compare every site's bytes with its record: how many differ; each is given to report (may be
 * NULL). Task context. */
unsigned ftrace_verify(void (*report)(void *data, const struct dyn_ftrace *rec, const u8 *bytes),
		       void *data);
