/*
 * The events of the scheduler: switches, wake-ups, migrations, the life of a task, and times.
 *
 * Those of switches and wake-ups are called with run-queue locks held and interrupts off. So a
 * probe must not wake a task, print, or take a lock that is not made for that.
 *
 * Linux's system sched has more events, for things that nop5 does not have. The file
 * tests/boot/data/format_differences.txt lists them.
 */
#if !defined(SCHED_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define SCHED_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#include "kernel/sched/sched.h"
#include "kernel/tracepoint.h"

#ifndef TRACE_EVENTS_PASS
/*
 * prev_state of sched_switch, as programs that read records of Linux know it: 0 if the task stays
 * runnable, else one of the bits 0x01 to 0x80. 0x100: the task was preempted.
 */
#define SCHED_SWITCH_IDLE      0x80
#define SCHED_SWITCH_PREEMPTED 0x100

/* state: the state of prev when the switch began. R held. */
static inline long sched_switch_prev_state(bool preempt, const struct task_struct *prev,
					   unsigned state)
{
	if (preempt)
		return SCHED_SWITCH_PREEMPTED;
	if (likely(state <= TASK_UNINTERRUPTIBLE)) /* these have the same value in Linux */
		return state;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return SCHED_SWITCH_IDLE;
	state = (state | prev->exit_state) & (SCHED_SWITCH_IDLE - 1);
	return state ? 1L << (31 - __builtin_clz(state)) : 0;
}
#endif

/* The same values with the text that Linux's print fmt has for them. */
#undef PREV_STATE_REPORT
#undef PREV_STATE_MAX
#define PREV_STATE_REPORT                                                                          \
	(0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 |             \
	 0x00000020 | 0x00000040)
#define PREV_STATE_MAX ((PREV_STATE_REPORT + 1) << 1)

/* clang-format off */

/* What most events say of a task. */
#ifndef SCHED_TASK_FIELDS
#define SCHED_TASK_FIELDS                                                                          \
	__array(char, comm, TASK_COMM_LEN)                                                         \
	__field(pid_t, pid)
#define SCHED_TASK_ASSIGN(task)                                                                    \
	memcpy(__entry->comm, (task)->comm, TASK_COMM_LEN);                                        \
	__entry->pid = (task)->pid;
#endif

/* ---- switches and wake-ups ---- */

TRACE_EVENT(sched_switch,
	TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next,
		 unsigned prev_state),
	TP_ARGS(preempt, prev, next, prev_state),
	TP_STRUCT__entry(
		__array(char, prev_comm, TASK_COMM_LEN)
		__field(pid_t, prev_pid)
		__field(int, prev_prio)
		__field(long, prev_state)
		__array(char, next_comm, TASK_COMM_LEN)
		__field(pid_t, next_pid)
		__field(int, next_prio)
	),
	TP_fast_assign(
		memcpy(__entry->prev_comm, prev->comm, TASK_COMM_LEN);
		__entry->prev_pid = prev->pid;
		__entry->prev_prio = effective_prio(prev);
		__entry->prev_state = sched_switch_prev_state(preempt, prev, prev_state);
		memcpy(__entry->next_comm, next->comm, TASK_COMM_LEN);
		__entry->next_pid = next->pid;
		__entry->next_prio = effective_prio(next);
	),
	TP_printk("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "
		"next_comm=%s next_pid=%d next_prio=%d",
		__entry->prev_comm, __entry->prev_pid, __entry->prev_prio,
		(__entry->prev_state & (PREV_STATE_MAX - 1)) ?
		__print_flags(__entry->prev_state & (PREV_STATE_MAX - 1), "|",
			{ 0x00000001, "S" },
			{ 0x00000002, "D" },
			{ 0x00000004, "T" },
			{ 0x00000008, "t" },
			{ 0x00000010, "X" },
			{ 0x00000020, "Z" },
			{ 0x00000040, "P" },
			{ 0x00000080, "I" }) : "R",
		__entry->prev_state & PREV_STATE_MAX ? "+" : "",
		__entry->next_comm, __entry->next_pid, __entry->next_prio)
);

DECLARE_EVENT_CLASS(sched_wakeup_template,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(int, prio)
		__field(int, target_cpu)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->prio = effective_prio(p);
		__entry->target_cpu = (int)p->cpu;
	),
	TP_printk("comm=%s pid=%d prio=%d target_cpu=%03d",
		__entry->comm, __entry->pid, __entry->prio, __entry->target_cpu)
);

/* In the waker's context: p sleeps, and will be made runnable. */
DEFINE_EVENT(sched_wakeup_template, sched_waking,
	TP_PROTO(struct task_struct *p), TP_ARGS(p));
/* p is runnable, and in the queue of target_cpu. */
DEFINE_EVENT(sched_wakeup_template, sched_wakeup,
	TP_PROTO(struct task_struct *p), TP_ARGS(p));
/* The same for the first time in the life of p. */
DEFINE_EVENT(sched_wakeup_template, sched_wakeup_new,
	TP_PROTO(struct task_struct *p), TP_ARGS(p));

/* The priority of p changes, because a task begins or ends to wait for it. R held. */
TRACE_EVENT(sched_pi_setprio,
	TP_PROTO(struct task_struct *p, int old),
	TP_ARGS(p, old),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(int, oldprio)
		__field(int, newprio)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->oldprio = old;
		__entry->newprio = effective_prio(p);
	),
	TP_printk("comm=%s pid=%d oldprio=%d newprio=%d",
		__entry->comm, __entry->pid, __entry->oldprio, __entry->newprio)
);

TRACE_EVENT(sched_migrate_task,
	TP_PROTO(struct task_struct *p, unsigned dest_cpu),
	TP_ARGS(p, dest_cpu),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(int, prio)
		__field(int, orig_cpu)
		__field(int, dest_cpu)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->prio = effective_prio(p);
		__entry->orig_cpu = (int)p->cpu;
		__entry->dest_cpu = (int)dest_cpu;
	),
	TP_printk("comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d",
		__entry->comm, __entry->pid, __entry->prio,
		__entry->orig_cpu, __entry->dest_cpu)
);

/* The idle task of cpu sees need_resched without an IPI, because it has not halted the CPU. */
TRACE_EVENT(sched_wake_idle_without_ipi,
	TP_PROTO(int cpu),
	TP_ARGS(cpu),
	TP_STRUCT__entry(
		__field(int, cpu)
	),
	TP_fast_assign(
		__entry->cpu = cpu;
	),
	TP_printk("cpu=%d", __entry->cpu)
);

/* ---- the life of a task ---- */

TRACE_EVENT(sched_process_fork,
	TP_PROTO(struct task_struct *parent, struct task_struct *child),
	TP_ARGS(parent, child),
	TP_STRUCT__entry(
		__array(char, parent_comm, TASK_COMM_LEN)
		__field(pid_t, parent_pid)
		__array(char, child_comm, TASK_COMM_LEN)
		__field(pid_t, child_pid)
	),
	TP_fast_assign(
		memcpy(__entry->parent_comm, parent->comm, TASK_COMM_LEN);
		__entry->parent_pid = parent->pid;
		memcpy(__entry->child_comm, child->comm, TASK_COMM_LEN);
		__entry->child_pid = child->pid;
	),
	TP_printk("comm=%s pid=%d child_comm=%s child_pid=%d",
		__entry->parent_comm, __entry->parent_pid,
		__entry->child_comm, __entry->child_pid)
);

/* The current task, p, has a new program. old_pid: its PID before, if it was not the leader. */
TRACE_EVENT(sched_process_exec,
	TP_PROTO(struct task_struct *p, pid_t old_pid, const char *path),
	TP_ARGS(p, old_pid, path),
	TP_STRUCT__entry(
		__string(filename, path)
		__field(pid_t, pid)
		__field(pid_t, old_pid)
	),
	TP_fast_assign(
		__assign_str(filename, path);
		__entry->pid = p->pid;
		__entry->old_pid = old_pid;
	),
	TP_printk("filename=%s pid=%d old_pid=%d", __get_str(filename),
		__entry->pid, __entry->old_pid)
);

DECLARE_EVENT_CLASS(sched_process_template,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(int, prio)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->prio = effective_prio(p);
	),
	TP_printk("comm=%s pid=%d prio=%d", __entry->comm, __entry->pid, __entry->prio)
);

/* By the task that ends, before it gives up its files. */
DEFINE_EVENT(sched_process_template, sched_process_exit,
	TP_PROTO(struct task_struct *p), TP_ARGS(p));
/* p has made its last switch, and its memory is to be freed. Another task may have its PID. */
DEFINE_EVENT(sched_process_template, sched_process_free,
	TP_PROTO(struct task_struct *p), TP_ARGS(p));

/* The current task begins to wait for the child with this PID, or for any child (pid 0). */
TRACE_EVENT(sched_process_wait,
	TP_PROTO(pid_t pid),
	TP_ARGS(pid),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(int, prio)
	),
	TP_fast_assign(
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
		__entry->pid = pid;
		__entry->prio = effective_prio(current);
	),
	TP_printk("comm=%s pid=%d prio=%d", __entry->comm, __entry->pid, __entry->prio)
);

TRACE_EVENT(sched_kthread_stop,
	TP_PROTO(struct task_struct *t),
	TP_ARGS(t),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(t)
	),
	TP_printk("comm=%s pid=%d", __entry->comm, __entry->pid)
);

TRACE_EVENT(sched_kthread_stop_ret,
	TP_PROTO(int ret),
	TP_ARGS(ret),
	TP_STRUCT__entry(
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->ret = ret;
	),
	TP_printk("ret=%d", __entry->ret)
);

/* ---- times ---- */

DECLARE_EVENT_CLASS(sched_stat_template,
	TP_PROTO(struct task_struct *p, u64 delay),
	TP_ARGS(p, delay),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(u64, delay)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->delay = delay;
	),
	TP_printk("comm=%s pid=%d delay=%Lu [ns]",
		__entry->comm, __entry->pid, (unsigned long long)__entry->delay)
);

/* Only with sched_schedstats: p has waited for a CPU; has slept; has slept uninterruptibly. */
DEFINE_EVENT(sched_stat_template, sched_stat_wait,
	TP_PROTO(struct task_struct *p, u64 delay), TP_ARGS(p, delay));
DEFINE_EVENT(sched_stat_template, sched_stat_sleep,
	TP_PROTO(struct task_struct *p, u64 delay), TP_ARGS(p, delay));
DEFINE_EVENT(sched_stat_template, sched_stat_blocked,
	TP_PROTO(struct task_struct *p, u64 delay), TP_ARGS(p, delay));
/*
 * p has waited for a block device. nop5 has none, so this never happens, as on a Linux that has
 * only tmpfs; `perf sched record` wants the event to exist.
 */
DEFINE_EVENT(sched_stat_template, sched_stat_iowait,
	TP_PROTO(struct task_struct *p, u64 delay), TP_ARGS(p, delay));

/* p, a task of the fair class, is charged for the time that it has run. */
TRACE_EVENT(sched_stat_runtime,
	TP_PROTO(struct task_struct *p, u64 runtime, u64 vruntime),
	TP_ARGS(p, runtime, vruntime),
	TP_STRUCT__entry(
		SCHED_TASK_FIELDS
		__field(u64, runtime)
		__field(u64, vruntime)
	),
	TP_fast_assign(
		SCHED_TASK_ASSIGN(p)
		__entry->runtime = runtime;
		__entry->vruntime = vruntime;
	),
	TP_printk("comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]",
		__entry->comm, __entry->pid,
		(unsigned long long)__entry->runtime,
		(unsigned long long)__entry->vruntime)
);

/* clang-format on */
#endif
