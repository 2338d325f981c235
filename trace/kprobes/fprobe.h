/*
 * Function probes: handlers at the entry and at the return of many functions at once. Names and
 * meanings are those of Linux (Documentation/trace/fprobe.rst, include/linux/fprobe.h of 6.14).
 *
 * A probe without an exit_handler is an ops of ftrace. One with an exit_handler is a user of
 * fgraph, and there can be FGRAPH_ARRAY_SIZE users. So probes of a single function share one user:
 * as many as there are functions. The second such probe of the same function is a user of its own.
 */
#pragma once

#include "kernel/atomic.h"
#include "trace/fgraph/fgraph.h"

#define FPROBE_FL_DISABLED BIT(0) /* no handler is called */

#define MAX_FPROBE_DATA_SIZE FGRAPH_MAX_DATA_SIZE

struct fprobe;
/*
 * Handlers run with preemption off, in any context, and must not sleep. A function that they call
 * is not probed: such a hit counts in nmissed. entry_ip: the function; ret_ip: where it returns to;
 * fregs: the arguments, or ax and dx at the return. entry_data: entry_data_size bytes of this call,
 * from its entry to its return; NULL if that is 0 or there is no exit_handler. An entry handler
 * that does not return 0 skips the exit handler of the call.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct ftrace_regs *fregs, void *entry_data);
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct ftrace_regs *fregs, void *entry_data);

struct fprobe {
	fprobe_entry_cb entry_handler; /* [C] while registered; or NULL */
	fprobe_exit_cb exit_handler;   /* the same */
	size_t entry_data_size;        /* [C] while registered */
	unsigned flags;                /* [A] */
	atomic64_t nmissed;            /* calls without a call of the handlers */
	/* Of this room. */
	struct fgraph_ops graph; /* its ops is registered alone if there is no exit_handler */
	bool registered;         /* [the owner's calls] */
	/* Of a probe that shares a user: */
	bool shares;              /* [fprobe_mutex] */
	unsigned long addr;       /* [C] while it shares */
	u64 registration;         /* [C] while it shares: a number that no other registration has */
	struct fprobe *next_same; /* [fprobe_mutex] in a bucket; RCU */
};

/*
 * Registers a probe at the functions that a pattern matches, without those that notfilter (may be
 * NULL) matches. The next two take addresses and names. The caller does not register or unregister
 * one probe on two CPUs at once. Task context. Sleeps. Errors: -EINVAL (no handler; no function
 * matches; an address without a call site), -E2BIG (entry_data_size), -EBUSY (registered already),
 * -ESRCH (no function with that name), and those of register_ftrace_graph() and
 * register_ftrace_function().
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, const unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char *const *syms, int num);
/*
 * 0, or -EINVAL: not registered. On return no handler runs or will run; calls that have not
 * returned end without one.
 */
int unregister_fprobe(struct fprobe *fp);

/* Do not wait for handlers. Any context. */
static inline void disable_fprobe(struct fprobe *fp)
{
	WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}
static inline void enable_fprobe(struct fprobe *fp)
{
	WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}
