/*
 * Calls traced at both ends: a callback when a function is entered, and one when it returns.
 *
 * The return address of a call is replaced by that of return_to_handler, and kept, with what the
 * users of the call want to remember, on the task's shadow stack; see trace/fgraph/fgraph.c. Names
 * and shapes are those of Linux 6.13 (include/linux/ftrace.h).
 */
#pragma once

#include "trace/ftrace/ftrace.h"

struct task_struct;
struct fgraph_frame;
struct fgraph_stack;
struct fgraph_ops;

struct ftrace_graph_ent {
	unsigned long func; /* its address, which is that of its call site */
	int depth;          /* calls of this task that are being traced by anybody: 0, 1, ... */
	struct fgraph_stack *stack; /* fgraph's: see fgraph_call_reserve() */
	struct fgraph_frame *frame; /* the same */
};

struct ftrace_graph_ret {
	unsigned long func;
	unsigned long retval; /* rax, whatever the function's type is */
	int depth;            /* the same as at the entry */
	unsigned overrun;     /* calls of this task so far that found no room on its shadow stack */
	struct fgraph_frame *frame; /* fgraph's: see fgraph_call_data() */
};

/*
 * Both run with preemption off, in any context, NMI included, with any lock held. They may call
 * only what is not traced, or guard themselves (trace/ftrace/recursion.h), and may not fail.
 *
 * entryfunc: 0 skips the call: this user's retfunc is not called for it. fregs: the arguments.
 * retfunc: is called once for each entryfunc that was not 0, but for functions that never return,
 * and for those that return after their user was unregistered. fregs: only ax and dx are filled in.
 */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
				      struct ftrace_regs *fregs);
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				       struct ftrace_regs *fregs);

#define FGRAPH_ARRAY_SIZE    16 /* users at once */
#define FGRAPH_MAX_DATA_SIZE 64 /* bytes that a user may keep for a call */

struct fgraph_ops {
	trace_func_graph_ent_t entryfunc; /* [C] while registered */
	trace_func_graph_ret_t retfunc;   /* [C] while registered */
	/* Its hashes choose the functions: ftrace_set_filter(&gops->ops, ...); the rest is
	 * fgraph's. */
	struct ftrace_ops ops;
	void *private; /* the owner's */
	/* [C] while registered: both callbacks compiled into fgraph's code (trace/fgraph/inline.h),
	 * or NULL */
	ftrace_func_t entry_stub;
	void (*return_stub)(struct ftrace_regs *fregs);
	u16 bit;   /* 1 << idx */
	int idx;   /* for fgraph_reserve_data() and fgraph_retrieve_data() */
	u32 epoch; /* [C] while registered: fgraph's, calls entered before it are not its own */
};

/*
 * Begin to call gops for the functions that its hashes name. 0, -EINVAL (no entryfunc or no
 * retfunc), -EBUSY (registered already), -ENOSPC (FGRAPH_ARRAY_SIZE are), -ENOMEM, -ENODEV (ftrace
 * was shut down by an error). Task context.
 */
int register_ftrace_graph(struct fgraph_ops *gops);
/*
 * On return neither of its callbacks runs or will run; calls that are under way end without it.
 * Task context.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops);

/*
 * In entryfunc: size bytes, 8-byte aligned, that are this call's until its return; NULL when
 * size is more than FGRAPH_MAX_DATA_SIZE or the shadow stack is full. At most once a call.
 */
static void *fgraph_reserve_data(int idx, int size);
/* In retfunc (or entryfunc): what fgraph_reserve_data() gave for this call, NULL if nothing. size
 * may be NULL. */
static void *fgraph_retrieve_data(int idx, int *size);
/* The same two, faster, for the call that the callback was told of. */
static void *fgraph_call_reserve(const struct ftrace_graph_ent *trace,
				 const struct fgraph_ops *gops, int size);
static void *fgraph_call_data(const struct ftrace_graph_ret *trace, const struct fgraph_ops *gops);
/*
 * The same for a call further out, in which this one is nested: depth 1 is the innermost of those
 * that idx has reserved data for.
 */
void *fgraph_retrieve_parent_data(int idx, int *size, int depth);

/*
 * How long current has been switched out, in ns, since its shadow stack was given to it: what
 * passes between two readings is the time that the task slept or waited for a CPU. In the
 * callbacks.
 */
static u64 fgraph_sleep_time(void);

/*
 * For an unwinder that found ret at retp on task's stack: where the call really returns to, which
 * is ret unless that is return_to_handler. idx: 0 at the first of a trace, then left to this
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
