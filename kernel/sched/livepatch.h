/* What the scheduler does for live patching: trace/livepatch/transition.c. */
#pragma once

#include "kernel/sched/task.h"

/* task_struct.patch_state, and what /proc/PID/patch_state says, as in Linux. */
#define KLP_UNDEFINED (-1) /* no transition is under way */
#define KLP_UNPATCHED 0
#define KLP_PATCHED   1

/* Of the trace room: look whether current may go over to the other functions. May not sleep. */
extern void (*klp_sched_try_switch_hook)(void);

/* p, which is current, is in code of its own and will call the scheduler: a good moment. */
static __always_inline void klp_sched_try_switch(struct task_struct *p)
{
	if (unlikely(READ_ONCE(p->patch_pending)))
		klp_sched_try_switch_hook();
}
