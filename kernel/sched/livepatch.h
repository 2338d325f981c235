/* The scheduler's part of live patching. trace/livepatch/transition.c does the rest. */
#pragma once

#include "kernel/sched/task.h"

/* Values of task_struct.patch_state and /proc/PID/patch_state, as in Linux. */
#define KLP_UNDEFINED (-1) /* no patch is in transition */
#define KLP_UNPATCHED 0
#define KLP_PATCHED   1

/* Set by live patching: switches current if it is inside no replaced function. Must not sleep. */
extern void (*klp_sched_try_switch_hook)(void);

/* Called for p, which is current, at a quiescent point (kernel/sched/quiescent.h). */
static __always_inline void klp_sched_try_switch(struct task_struct *p)
{
	if (unlikely(READ_ONCE(p->patch_pending)))
		klp_sched_try_switch_hook();
}
