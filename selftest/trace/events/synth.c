/*
 * Self-tests of synthetic events: recording from code, and removal; and of the snapshots of
 * histograms.
 */
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/synth/synth.h"
#include "trace/kprobes/kprobes.h"

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

/* ---- onmax().snapshot() ---- */

static struct synth_event *peak_event; /* NULL: the second value has come */

/* A higher value comes while the snapshot of the first one is taken. */
static int make_higher_peak(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	struct synth_event *event = peak_event;
	u64 value = 20;

	peak_event = NULL;
	if (event)
		trace_synth(event, &value);
	return 0;
}

SELFTEST(synth, a_higher_value_that_comes_during_a_snapshot_is_not_lost)
{
	static struct kprobe probe = { .symbol_name = "tracing_snapshot_tr",
				       .pre_handler = make_higher_peak };
	struct synth_event *event;
	u64 value = 10;

	reset();
	ASSERT(synth_event_create("peak u64 v") == 0);
	EXPECT_EQ(put("events/synthetic/peak/trigger",
		      "hist:keys=common_pid:x=v:onmax($x).snapshot()"),
		  0);
	event = peak_event = get_event("peak");
	ASSERT(event);
	ASSERT(register_kprobe(&probe) == 0);
	trace_synth(event, &value);
	unregister_kprobe(&probe);
	EXPECT(!peak_event);
	EXPECT(strstr(get("events/synthetic/peak/hist"), "{ onmax($x) }:         20"));
	put_event(event);
	EXPECT_EQ(put("events/synthetic/peak/trigger", ""), 0);
	EXPECT_EQ(synth_event_delete("peak"), 0);
	EXPECT_EQ(put("snapshot", "0"), 0);
	reset();
}
