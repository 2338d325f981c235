/* Self-test of an event whose module is COMING: its init has not returned, and may fail. */
#include "kernel/errno.h"
#include "kernel/module_list.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/events/event.h"

#define EVENT "events/sched/sched_process_exec/"

static struct module module = { .state = MODULE_STATE_COMING, .name = "coming" };

SELFTEST(events, a_module_that_comes_gets_no_trigger_that_would_keep_it)
{
	struct trace_event_call *call;

	mutex_lock(&event_mutex);
	call = trace_find_event_call("sched", "sched_process_exec");
	mutex_unlock(&event_mutex);
	ASSERT(call);
	atomic_set(&module.refcnt, 1);
	call->mod = &module;
	EXPECT_EQ(put(EVENT "trigger", "stacktrace"), -ENODEV);
	EXPECT_EQ(atomic_read(&module.refcnt), 1);
	EXPECT_EQ(put(EVENT "enable", "1"), 0);
	EXPECT_EQ(put(EVENT "enable", "0"), 0);
	module.state = MODULE_STATE_LIVE;
	EXPECT_EQ(put(EVENT "trigger", "stacktrace"), 0);
	EXPECT_EQ(put(EVENT "trigger", "!stacktrace"), 0);
	EXPECT_EQ(atomic_read(&module.refcnt), 1);
	call->mod = NULL;
}
