/*
 * Events in a module. A task fires most of them once a second. A second task lives while one of the
 * two events with functions is on: foo_bar_reg() starts it, and foo_bar_unreg() stops it.
 *
 *	modprobe trace-events-sample
 *	echo 1 > /sys/kernel/tracing/events/sample-trace/enable; cat /sys/kernel/tracing/trace_pipe
 */
#include "modules/trace-events-sample_events.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/module.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"

#define SECOND 1000000000ULL

static struct task_struct *simple_task;
static DEFINE_MUTEX(fn_mutex);
static struct task_struct *fn_task; /* [fn_mutex] */
static int fn_users;                /* [fn_mutex] */

static void sleep_a_second(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop())
		schedule_timeout(SECOND);
	set_current_state(TASK_RUNNING);
}

static int simple_thread(void *unused __unused)
{
	for (int count = 0; !kthread_should_stop(); count++) {
		sleep_a_second();
		trace_foo_bar("plain", count);
		trace_foo_with_template_simple("template", count);
		trace_foo_bar_with_cond("each tenth", count);
		trace_foo_with_template_cond("each eighth", count);
		trace_foo_with_template_print("with its own text", count);
	}
	return 0;
}

static int simple_thread_fn(void *unused __unused)
{
	for (int count = 0; !kthread_should_stop(); count++) {
		sleep_a_second();
		trace_foo_bar_with_fn("first", count);
		trace_foo_with_template_fn("second", count);
	}
	return 0;
}

int foo_bar_reg(void)
{
	int error = 0;

	mutex_lock(&fn_mutex);
	if (!fn_users) {
		fn_task = kthread_run(simple_thread_fn, NULL, "event-sample-fn");
		if (IS_ERR(fn_task))
			error = (int)PTR_ERR(fn_task);
	}
	fn_users += !error;
	mutex_unlock(&fn_mutex);
	return error;
}

void foo_bar_unreg(void)
{
	mutex_lock(&fn_mutex);
	if (!--fn_users)
		kthread_stop(fn_task);
	mutex_unlock(&fn_mutex);
}

static int __init trace_event_init(void)
{
	simple_task = kthread_run(simple_thread, NULL, "event-sample");
	return IS_ERR(simple_task) ? (int)PTR_ERR(simple_task) : 0;
}
module_init(trace_event_init);

/* The events that are on are switched off after this. */
static void __exit trace_event_exit(void)
{
	kthread_stop(simple_task);
}
module_exit(trace_event_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("one event of each kind");

#define TRACE_EVENTS_HEADER "modules/trace-events-sample_events.h"
#include "trace/events/define.h"
