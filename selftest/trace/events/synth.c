/* Self-tests of synthetic events: recording from code, and removal. */
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/events/synth.h"

static struct synth_event *get_event(const char *name)
{
	struct synth_event *event;

	mutex_lock(&event_mutex);
	event = synth_event_get(name);
	mutex_unlock(&event_mutex);
	return event;
}

static void put_event(struct synth_event *event)
{
	mutex_lock(&event_mutex);
	synth_event_put(event);
	mutex_unlock(&event_mutex);
}

static u64 address(const void *p)
{
	return (u64)(unsigned long)p;
}

SELFTEST(synth, every_type_is_recorded_and_printed)
{
	unsigned long stack[] = { 2, (unsigned long)schedule, (unsigned long)synchronize_rcu };
	u64 values[] = { -1ULL,
			 -1ULL,
			 0x1ff,
			 0x1ff,
			 1,
			 -5ULL,
			 0xcc0,
			 address("a longer text"),
			 address("dynamic"),
			 address(stack),
			 7,
			 address("last") };
	struct synth_event *event;

	reset();
	ASSERT(synth_event_create("all u64 a; s64 b; u8 c; s8 d; bool e; pid_t f; gfp_t g; "
				  "char h[8]; char i[]; unsigned long j[]; int k; char l[]") == 0);
	EXPECT_EQ(put("events/synthetic/all/enable", "1"), 0);
	event = get_event("all");
	ASSERT(event);
	EXPECT_EQ(synth_event_delete("all"), -EBUSY);
	trace_synth(event, values);
	values[7] = values[8] = values[9] = values[11] = 0;
	trace_synth(event, values);
	put_event(event);
	get("trace");
	EXPECT(strstr(text, ": all: a=18446744073709551615 b=-1 c=255 d=-1 e=1 f=-5 g=cc0 h=a longe"
			    " i=dynamic j=STACK:\n=> schedule+0x0/"));
	EXPECT(strstr(text, "\n=> synchronize_rcu+0x0/"));
	EXPECT(strstr(text, "\n k=7 l=last\n"));
	EXPECT(strstr(text, " h= i= j=STACK:\n k=7 l=\n"));
	EXPECT_EQ(synth_event_delete("all"), -EBUSY);
	EXPECT_EQ(put("events/synthetic/all/enable", "0"), 0);
	EXPECT_EQ(synth_event_delete("all"), 0);
	EXPECT(!strstr(get("trace"), "all"));
	reset();
}
