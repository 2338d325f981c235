/* Defines the tracepoints that have no event: no file in events/ shows them. */
#include "kernel/export.h"
#include "kernel/kallsyms.h"
#include "kernel/sched/sched_tp_events.h"
#include "kernel/text_events.h"
#include "kernel/vm/vma_events.h"

TRACEPOINT_DEFINE(vma_map, TP_PROTO(struct vm_area_struct *vma), TP_ARGS(vma))
TRACEPOINT_DEFINE(ksymbol, TP_PROTO(const struct kallsyms_dynamic *symbol, bool add),
		  TP_ARGS(symbol, add))
TRACEPOINT_DEFINE(text_poke,
		  TP_PROTO(unsigned long addr, const u8 *old, const u8 *new, size_t size),
		  TP_ARGS(addr, old, new, size))

TRACEPOINT_DEFINE(sched_entry_tp, TP_PROTO(bool preempt), TP_ARGS(preempt))
TRACEPOINT_DEFINE(sched_exit_tp, TP_PROTO(bool is_switch), TP_ARGS(is_switch))
TRACEPOINT_DEFINE(sched_set_state_tp, TP_PROTO(struct task_struct *tsk, unsigned state),
		  TP_ARGS(tsk, state))
EXPORT_SYMBOL_GPL(__tracepoint_sched_set_state_tp); /* set_current_state() */
EXPORT_SYMBOL_GPL(__traceiter_sched_set_state_tp);
TRACEPOINT_DEFINE(sched_set_need_resched_tp, TP_PROTO(struct task_struct *tsk, int cpu),
		  TP_ARGS(tsk, cpu))
TRACEPOINT_DEFINE(sched_rq_lock_tp, TP_PROTO(struct runqueue *rq), TP_ARGS(rq))
TRACEPOINT_DEFINE(sched_rq_unlock_tp, TP_PROTO(struct runqueue *rq), TP_ARGS(rq))
