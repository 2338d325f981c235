/* The task that makes maps in the host tests. Apart, because pthread.h and the kernel's sched.h disagree. */
#include "kernel/sched/sched.h"
#include "kernel/task/cred.h"

static struct cred cred = { .cap_effective = ~0UL };
static struct task_struct task = { .cred = &cred };
DEFINE_PER_CPU(struct task_struct *, current_task) = &task;

void host_set_capabilities(u64 caps)
{
	cred.cap_effective = caps;
}
