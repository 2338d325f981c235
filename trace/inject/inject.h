/*
 * Error injection: functions that fail on demand, so that the code which handles errors runs.
 *
 *      kmem_cache_alloc, __kmalloc, kmalloc_trace, alloc_pages, or a marked function
 *         |  call site: a nop; while errors may be injected, a call of a callback
 *         v
 *      callback (failslab.c, fail_function.c)
 *         |  should_fail(): fail-nth of the task, else the settings of the capability
 *         v
 *      no: the function runs          yes: event fault_inject; the function returns at once,
 *                                          and its caller sees NULL or an errno
 *
 * A capability (failslab, fail_page_alloc, fail_function) is a struct fault_attr and a directory in
 * debugfs. Files, settings and messages are Linux's
 * (Documentation/fault-injection/fault-injection.rst). Linux has a test in each allocation; here
 * the call sites of ftrace do it, so the allocators know nothing of it, and it costs nothing while
 * off.
 *
 * Callbacks run in any context but NMI: nothing here allocates, and printk() is all they call.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/atomic.h"
#include "kernel/sched/mutex.h"
#include "kernel/printk/ratelimit.h"
#include "trace/ftrace/ftrace.h"

#define FAULT_STACK_DEPTH 32 /* most callers that a filter looks at */

/* Protects the settings, and what is attached. Taken before ftrace's locks. */
extern struct mutex inject_mutex;

/*
 * The settings of a capability. [W] written under inject_mutex, read by callbacks at any time; [A]
 * atomic.
 */
struct fault_attr {
	const char *name;             /* constant */
	unsigned long probability;    /* [W] in percent; 0: off */
	unsigned long interval;       /* [W] only each interval-th call that passes may fail */
	unsigned long verbose;        /* [W] 0: silent, 1: a message, 2: with a stack */
	unsigned long depth;          /* [W] callers that the next four look at */
	unsigned long require_start;  /* [W] a caller must be in [require_start, require_end) … */
	unsigned long require_end;    /* [W] */
	unsigned long reject_start;   /* [W] … and none in [reject_start, reject_end) */
	unsigned long reject_end;     /* [W] */
	bool task_filter;             /* [W] only tasks with /proc/PID/make-it-fail */
	atomic_t times;               /* [A] failures left; -1: no limit */
	atomic_t space;               /* [A] bytes that go through before the first failure */
	atomic_t count;               /* [A] calls that interval has counted */
	struct ratelimit_state limit; /* of messages */
	/* [inject_mutex] attaches or detaches callbacks as the settings demand. 0 or -errno. */
	int (*changed)(struct fault_attr *attr);
};

#define FAULT_ATTR(name_, changed_)                                                                \
	{                                                                                          \
		.name = (name_), .interval = 1, .verbose = 2, .depth = FAULT_STACK_DEPTH,          \
		.require_end = ~0UL, .times = ATOMIC_INIT(1), .changed = (changed_),               \
		.limit = { .interval = DEFAULT_RATELIMIT_INTERVAL,                                 \
			   .burst = DEFAULT_RATELIMIT_BURST },                                     \
	}

/*
 * Decides whether a call of the function at ip fails, and counts, prints and records it then.
 * retval: what its caller will see. Any context but NMI, from a callback of ftrace.
 */
bool should_fail(struct fault_attr *attr, size_t size, unsigned long ip, unsigned long parent_ip,
		 unsigned long retval);
/* Makes /sys/kernel/debug/NAME with the files of attr. A dentry or an ERR_PTR. */
struct dentry *fault_create_debugfs_attr(struct fault_attr *attr);
/* Reads "interval,probability,space,times" from the command line. False: it is something else. */
bool setup_fault_attr(struct fault_attr *attr, const char *text);

/* ---- fail_function.c ---- */

struct error_injection_entry;
/* Finds the entry of the function at this address. False: it is not marked. Any context. */
bool find_injectable(unsigned long address, struct error_injection_entry *entry);

/* ---- failslab.c ---- */

/* Attaches the capabilities of allocations or lets them go, as they are needed. inject_mutex. */
int fault_update_allocations(void);
/* [inject_mutex] tasks with fail-nth. While there is one, allocations have callbacks. */
extern unsigned fault_nth_tasks;
