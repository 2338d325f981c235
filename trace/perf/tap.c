/*
 * Taps: hooks of the kernel and probes of tracepoints that all events of a kind share: at a task
 * switch, in page faults, for records.
 *
 * A tap is on while an event needs it, and up to a second longer. Switching it patches the kernel's
 * text, which interrupts all CPUs; without the second, a program without rights could have that as
 * often as it opens and closes an event.
 */
#include "trace/perf/internal.h"

#include "kernel/init.h"
#include "kernel/time/ktime.h"
#include "kernel/workqueue/workqueue.h"

#define KEPT_NS NSEC_PER_SEC

struct delayed_work perf_taps_off;
static DEFINE_MUTEX(taps_mutex); /* T */
static LIST_HEAD(taps_on);       /* [T] */

/* T held. 0 or the error of set(). */
static int switch_on(struct perf_tap *tap)
{
	int error = tap->set(true);

	if (error)
		return error;
	tap->on = true;
	list_add_tail(&tap->node, &taps_on);
	return 0;
}

int perf_tap_get(struct perf_tap *tap)
{
	int error;

	mutex_lock(&taps_mutex);
	error = tap->on ? 0 : switch_on(tap);
	if (!error)
		tap->users++;
	mutex_unlock(&taps_mutex);
	return error;
}

void perf_tap_put(struct perf_tap *tap)
{
	mutex_lock(&taps_mutex);
	if (!--tap->users)
		(void)schedule_delayed_work(&perf_taps_off, KEPT_NS);
	mutex_unlock(&taps_mutex);
}

static void switch_unused_off(struct work_struct *work __unused)
{
	struct perf_tap *tap, *next;

	mutex_lock(&taps_mutex);
	list_for_each_entry_safe (tap, next, &taps_on, node) {
		if (tap->users)
			continue;
		(void)tap->set(false); /* less needs no memory */
		tap->on = false;
		list_del(&tap->node);
	}
	mutex_unlock(&taps_mutex);
}

static int __init perf_taps_init(void)
{
	INIT_DELAYED_WORK(&perf_taps_off, switch_unused_off);
	return 0;
}
early_initcall(perf_taps_init);
