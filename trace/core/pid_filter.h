/*
 * Choosing tasks by their PIDs: set_ftrace_pid, set_event_pid, and the two files for tasks that are
 * not traced (set_ftrace_notrace_pid, set_event_notrace_pid).
 */
#pragma once

#include "kernel/lib/bitops.h"
#include "kernel/lib/list.h"
#include "kernel/sched/sched.h"
#include "trace/core/options.h"
#include "trace/core/pid_list.h"

struct seq_file;

struct pid_list {
	bool active;                       /* [A] the file has listed a PID */
	DECLARE_BITMAP(pids, PID_NUMBERS); /* [A] */
	struct pids_absent absent;         /* [F] */
};

/* The two lists of one kind in one trace_array. */
struct pid_filter {
	struct pid_list only, never;
	struct trace_array *tr;        /* constant */
	const struct trace_flag *fork; /* constant: the option that makes children follow */
	struct list_head list;         /* [F] to write, RCU to read */
};

/*
 * Start and stop using a filter, whose lists are empty. While the option `fork` is set in tr, the
 * children of a listed task are listed, and a task that has ended is removed. Task context; the
 * second waits for RCU.
 */
void pid_filter_init(struct pid_filter *filter, struct trace_array *tr,
		     const struct trace_flag *fork);
void pid_filter_exit(struct pid_filter *filter);
/* To call after the option has changed in any trace_array. T held. */
void pid_filter_fork_changed(struct trace_array *changed, bool enabled);

/* Whether a list is in use. Any context. */
static inline bool pid_filter_active(const struct pid_filter *filter)
{
	return READ_ONCE(filter->only.active) || READ_ONCE(filter->never.active);
}

/* Whether the task must not be traced. Any context. */
static inline bool pid_filter_ignores(const struct pid_filter *filter,
				      const struct task_struct *task)
{
	unsigned pid = (unsigned)task->pid % PID_NUMBERS;

	return (READ_ONCE(filter->only.active) && !test_bit(pid, filter->only.pids)) ||
	       (READ_ONCE(filter->never.active) && test_bit(pid, filter->never.pids));
}

/*
 * Applies text that is written to the file: 0, or an errno and no change. The list is in use if it
 * is not empty afterwards. Task context.
 */
int pid_list_write(struct pid_list *list, const char *text, size_t count);
/* Empties the list, and stops using it. Task context; may wait for RCU. */
void pid_list_clear(struct pid_list *list);
/* Prints the PIDs, one on each line. Task context. */
void pid_list_show(struct seq_file *m, const struct pid_list *list);
