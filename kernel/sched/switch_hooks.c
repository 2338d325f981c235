/* Functions that other rooms have called at each task switch. */
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"

struct sched_switch_hook *sched_switch_hooks[2]; /* [switch_hooks_mutex] to write */
DEFINE_STATIC_KEY_FALSE(sched_switch_hooks_key);
static DEFINE_MUTEX(switch_hooks_mutex);

static void left_schedule(void *info __unused)
{
}

/* switch_hooks_mutex held. Returns the pointer to hook, or the end of its list. */
static struct sched_switch_hook **find_hook(const struct sched_switch_hook *hook)
{
	struct sched_switch_hook **link = &sched_switch_hooks[hook->last];

	while (*link && *link != hook)
		link = &(*link)->next;
	return link;
}

void sched_switch_hook_set(struct sched_switch_hook *hook, bool on)
{
	struct sched_switch_hook **link;
	bool is_on;

	mutex_lock(&switch_hooks_mutex);
	link = find_hook(hook);
	is_on = *link;
	if (on && !is_on) {
		if (hook->first)
			link = &sched_switch_hooks[hook->last];
		hook->next = *link;
		smp_store_release(link, hook);
	} else if (!on && is_on) {
		WRITE_ONCE(*link, hook->next);
	}
	if (sched_switch_hooks[false] || sched_switch_hooks[true])
		static_branch_enable(&sched_switch_hooks_key);
	else
		static_branch_disable(&sched_switch_hooks_key);
	/* __schedule() walks the lists with interrupts off: an interrupt finds no CPU inside. */
	if (on != is_on)
		on_each_cpu(left_schedule, NULL, true);
	mutex_unlock(&switch_hooks_mutex);
}
