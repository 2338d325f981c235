/*
 * The storm over tracing: trace events. Some tasks switch events, one by one and all together, at
 * the top and in instances. Others fire an event of their own and compare the number of calls with
 * the numbers that their instance has recorded and lost.
 */
#include "selftest/trace/storm_events.h"

#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/trace/storm.h"
#include "selftest/trace/tracefs.h"
#include "trace/events/event.h"

#define NAME_LENGTH 160U
#define FIRED_MAX   500U

/* ---- switches ---- */

/*
 * Writes the name of any event with a switch: events/SYSTEM/NAME, or SYSTEM:NAME with colon.
 * Returns whether the event may have gone already.
 */
static bool any_event(struct storm_task *task, char *name, bool colon)
{
	unsigned nr = 0, chosen;
	struct trace_event_call *call;
	bool dynamic = false;

	mutex_lock(&event_mutex);
	list_for_each_entry (call, &trace_event_calls, list)
		nr += !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
	chosen = test_random(&task->seed) % nr;
	list_for_each_entry (call, &trace_event_calls, list) {
		if ((call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) || chosen--)
			continue;
		snprintf(name, NAME_LENGTH, colon ? "%s:%s" : "%s/%s", trace_event_system(call),
			 trace_event_name(call));
		dynamic = call->flags & TRACE_EVENT_FL_DYNAMIC;
		break;
	}
	mutex_unlock(&event_mutex);
	return dynamic;
}

/* The instance may be gone, or one of its event files may be open while it is removed. */
static void put_event(struct storm_task *task, const char *file, const char *data, int mode)
{
	STORM_DONE(task, file, put_mode(file, data, strlen(data), mode), -ENOENT, -ENODEV, -EBUSY,
		   -ENOMEM);
}

/* set_event refuses a name that no event has any more. */
static void put_set_event(struct storm_task *task, const char *directory, int mode)
{
	char event[NAME_LENGTH], file[64];
	bool may_have_gone = any_event(task, event, true);

	snprintf(file, sizeof(file), "%sset_event", directory);
	STORM_DONE(task, file, put_mode(file, event, strlen(event), mode), -ENOENT, -ENODEV, -EBUSY,
		   -ENOMEM, may_have_gone ? -EINVAL : -ENOENT);
}

void storm_event_switches(struct storm_task *task)
{
	u32 random = test_random(&task->seed);
	char directory[32] = "", event[NAME_LENGTH], file[NAME_LENGTH + 64];
	const char *on = random % 2 ? "1" : "0";

	if (random / 2 % 2)
		snprintf(directory, sizeof(directory), "instances/s%u/",
			 random / 4 % STORM_INSTANCES);
	switch (random / 16 % 8) {
	case 0:
		snprintf(file, sizeof(file), "%sevents/enable", directory);
		put_event(task, file, on, O_TRUNC);
		break;
	case 1:
		put_set_event(task, directory, random / 128 % 2 ? O_APPEND : O_TRUNC);
		break;
	case 2:
		any_event(task, event, false);
		*strchr(event, '/') = '\0';
		snprintf(file, sizeof(file), "%sevents/%s/enable", directory, event);
		put_event(task, file, on, O_TRUNC);
		break;
	default:
		any_event(task, event, false);
		snprintf(file, sizeof(file), "%sevents/%s/enable", directory, event);
		put_event(task, file, on, O_TRUNC);
	}
}

/*
 * While a site changes, the old instruction is compared with the one that the key says. So two
 * changes without an error show that each site is right.
 */
void storm_event_switches_finish(void)
{
	storm_set_back("events/enable", "1");
	storm_set_back("events/enable", "0");
}

/* ---- counts ---- */

/* Adds the number behind "NAME: " in a stats file. */
static u64 number_of(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);
	char digits[24];
	size_t length;
	unsigned long number = 0;

	if (!at)
		return 0;
	at += strlen(name);
	length = strspn(at, "0123456789");
	if (length >= sizeof(digits))
		return 0;
	memcpy(digits, at, length);
	digits[length] = '\0';
	return kstrtoul(digits, 10, &number) ? 0 : number;
}

/* The events that the instance has recorded or lost, of all CPUs. */
static u64 recorded_or_lost(const char *instance)
{
	static const char *const names[] = { "entries: ", "\noverrun: ", "commit overrun: ",
					     "dropped events: ", "read events: " };
	char file[64], stats[512] = "";
	unsigned cpu;
	u64 sum = 0;

	for_each_possible_cpu (cpu) {
		snprintf(file, sizeof(file), "%s/per_cpu/cpu%u/stats", instance, cpu);
		STORM_EXPECT(get_patiently(file, stats, sizeof(stats)) > 0);
		for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
			sum += number_of(stats, names[i]);
	}
	return sum;
}

static void fire(unsigned index, unsigned number)
{
	if (index)
		trace_storm_1(number, "the second task");
	else
		trace_storm_0(number, "the first task");
}

/* Fires the event of the task, and checks the instance, which has only this event. */
static void check_count(struct storm_task *task, const char *instance)
{
	unsigned fired = test_random(&task->seed) % FIRED_MAX;
	char file[80];
	u64 sum;

	snprintf(file, sizeof(file), "%s/events/storm/storm_%u/enable", instance, task->index);
	if (!STORM_DONE(task, file, put(file, "1"), -ENOMEM))
		return;
	for (unsigned i = 0; i < fired; i++)
		fire(task->index, i);
	if (!STORM_DONE(task, file, put(file, "0"), -ENOMEM))
		return;
	fire(task->index, 0); /* it is off: no entry */
	sum = recorded_or_lost(instance);
	if (sum != fired)
		storm_fail("%s: %u events, %llu of them recorded or lost", file, fired,
			   (unsigned long long)sum);
}

void storm_event_counts(struct storm_task *task)
{
	char instance[32], path[64], file[64];

	snprintf(instance, sizeof(instance), "instances/e%u", task->index);
	snprintf(path, sizeof(path), TRACING "%s", instance);
	if (!STORM_DONE(task, "mkdir", sys_mkdir(path, 0755), -ENOMEM))
		return;
	snprintf(file, sizeof(file), "%s/buffer_size_kb", instance);
	if (STORM_DONE(task, file, put(file, test_random(&task->seed) % 2 ? "8" : "64"), -ENOMEM))
		check_count(task, instance);
	STORM_EXPECT(rmdir_patiently(path) == 0);
}

#define TRACE_EVENTS_HEADER "selftest/trace/storm_events.h"
#include "trace/events/define.h"
