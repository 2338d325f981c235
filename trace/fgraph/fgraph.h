/*
 * fgraph traces both ends of a call: it calls one callback at the entry of a function, and another
 * at its return.
 *
 * fgraph replaces the return address of a call by the address of return_to_handler. It keeps the
 * true address on the task's shadow stack, together with the users' data for the call;
 * trace/fgraph/fgraph.c explains this. Names and types are those of Linux 6.13
 * (include/linux/ftrace.h).
 */
#pragma once

#include "trace/ftrace/ftrace.h"

struct task_struct;
struct fgraph_frame;
struct fgraph_stack;
struct fgraph_ops;

struct ftrace_graph_ent {
	unsigned long func; /* address of the function, also that of its call site */
	int depth;          /* traced calls of this task that enclose this one, by all users */
	struct fgraph_stack *stack; /* for fgraph_call_reserve() */
	struct fgraph_frame *frame; /* the same */
};

struct ftrace_graph_ret {
	unsigned long func;
	unsigned long retval; /* rax, for any type of function */
	int depth;            /* as at the entry */
	unsigned overrun;     /* calls of this task so far that found no room on its shadow stack */
	struct fgraph_frame *frame; /* for fgraph_call_data() */
};

/*
 * Both callbacks run with preemption off, in any context, NMI included, with any lock held. They
 * may call only functions that are not traced, or must guard themselves (trace/ftrace/recursion.h).
 * They must not fail. Callbacks in modules always are guarded, as those of an ftrace_ops: all
 * functions of modules have call sites. The guard turns preemption off a second time. A return
 * inside another guarded callback is not reported.
 *
 * entryfunc returns 0 to skip the call: then retfunc is not called for it. fregs: the arguments.
 * retfunc is called once for each entryfunc that did not return 0. Exceptions: functions that never
 * return, and calls that return after the user was unregistered. fregs: only ax and dx are valid,
 * unless the ops of gops has SAVE_REGS.
 */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
				      struct ftrace_regs *fregs);
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				       struct ftrace_regs *fregs);
/*
 * Called for a call whose return is not traced. data NULL: there was no room for the call, and
 * entryfunc was not called. Else the function will never return, as its task has ended; data is
 * what the user has reserved for the call. As the other callbacks.
 */
typedef void (*fgraph_lost_func_t)(struct fgraph_ops *gops, unsigned long func, void *data);

#define FGRAPH_ARRAY_SIZE    16 /* users at the same time */
#define FGRAPH_MAX_DATA_SIZE 64 /* bytes that a user may keep for a call */

struct fgraph_ops {
	trace_func_graph_ent_t entryfunc; /* [C] while registered */
	trace_func_graph_ret_t retfunc;   /* [C] while registered */
	fgraph_lost_func_t lostfunc;      /* [C] while registered; or NULL */
	/*
	 * The owner sets its hashes by ftrace_set_filter(&gops->ops, ...), and may set the flag
	 * SAVE_REGS: then both callbacks get all registers. retfunc gets those of the caller after
	 * the return, without ip (it is the true return address) and di. fgraph sets the rest.
	 */
	struct ftrace_ops ops;
	void *private; /* the owner's */
	/*
	 * [C] while registered: FGRAPH_STUBS(), fgraph's code with the callbacks inline
	 * (trace/fgraph/inline.h); or NULL.
	 */
	ftrace_func_t entry_stub;
	void (*return_stub)(struct ftrace_regs *fregs);
	u16 bit;      /* 1 << idx */
	int idx;      /* for fgraph_reserve_data() and fgraph_retrieve_data() */
	u32 epoch;    /* [C] while registered: frames with an older epoch belong to earlier users */
	bool guarded; /* [C] while registered: the callbacks are in a module */
	/*
	 * [C] No site of ftrace calls the entryfunc: the owner calls fgraph_enter_call() itself.
	 * When it unregisters, a grace period of RCU must have passed since the last entry.
	 */
	bool no_sites;
};

/*
 * Starts the callbacks of gops for the functions that its hashes name. Returns 0, -EINVAL (no
 * entryfunc or no retfunc), -EBUSY (gops is registered), -ENOSPC (FGRAPH_ARRAY_SIZE users are
 * registered), -ENOMEM, or -ENODEV (an error has shut ftrace down). Task context.
 */
int register_ftrace_graph(struct fgraph_ops *gops);
/*
 * Stops the callbacks of gops. On return none of them runs or will run. Calls that have not
 * returned yet end without a callback. Task context.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops);

/*
 * Reserves size bytes, 8-byte aligned, that belong to this call until its return. For entryfunc, at
 * most once per call. NULL if size is above FGRAPH_MAX_DATA_SIZE or the shadow stack is full.
 */
#ifndef MODULE
static void *fgraph_reserve_data(int idx, int size);
/*
 * Returns the data that fgraph_reserve_data() has reserved for this call, or NULL. For both
 * callbacks. size may be NULL.
 */
static void *fgraph_retrieve_data(int idx, int *size);
#endif
/*
 * The same two functions, but faster; trace is the callback's argument. Modules have only these.
 * In a module, fgraph_call_data() points to a copy of the data, and only for a retfunc.
 */
static void *fgraph_call_reserve(const struct ftrace_graph_ent *trace,
				 const struct fgraph_ops *gops, int size);
static void *fgraph_call_data(const struct ftrace_graph_ret *trace, const struct fgraph_ops *gops);
#ifndef MODULE
/*
 * fgraph_call_reserve(), and sets the first word. For a user that looks up the data of enclosing
 * calls: an interrupt that comes at once finds the word set. It finds the others as they were.
 */
static void *fgraph_call_reserve_first(const struct ftrace_graph_ent *trace,
				       const struct fgraph_ops *gops, int size, u64 first);
#endif
/*
 * Returns the data of a call that encloses this one: depth 1 is the innermost enclosing call with
 * data of idx.
 */
void *fgraph_retrieve_parent_data(int idx, int *size, int depth);

/*
 * Returns how long, in ns, current was switched out since it got its shadow stack. The difference
 * of two readings is the time that the task slept or waited for a CPU. For both callbacks.
 */
static u64 fgraph_sleep_time(void);

/* Counts of all users and tasks. A running task may change its counts at any time. Task context. */
struct fgraph_stats {
	unsigned users;
	int stacks;
	unsigned frames;
	u64 overrun;
	u64 unmatched; /* frames of functions that did not return */
};
void fgraph_stats_read(struct fgraph_stats *stats);

/*
 * Returns the true return address for an unwinder that has found ret at retp on task's stack. That
 * is ret, unless ret is return_to_handler. idx: 0 at the start of a backtrace, then only for this
 * function. Any context; a task other than current must not be running.
 */
unsigned long __ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				      unsigned long *retp);
static __always_inline unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
							   unsigned long ret, unsigned long *retp)
{
	if (likely(ret != (unsigned long)return_to_handler))
		return ret;
	return __ftrace_graph_ret_addr(task, idx, ret, retp);
}

#include "trace/fgraph/stack.h"
