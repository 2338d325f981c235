/*
 * Self-test of dynamic events: tasks on all CPUs define, enable, fire, inject, read and remove the
 * same few events, in the top level and in an instance that comes and goes.
 */
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/synth/synth.h"

#define ROUNDS 400U
#define EVENTS 3U

static struct selftest *storm_test;
static atomic_t fired, removed, busy;

/* Fails unless result is 0, a number of bytes, or one of the errors that other tasks cause. */
static void expect(const char *what, long result)
{
	if (result >= 0 || result == -ENOENT || result == -EBUSY || result == -EEXIST ||
	    result == -ENODEV || result == -ENOMEM)
		return;
	selftest_diag(storm_test, "%s: %ld", what, result);
	selftest_fail(storm_test, __FILE__, __LINE__, "an error that others cause");
}

/* A string and a stack, whose content the record must have whole. */
static void fire(unsigned n)
{
	const unsigned long stack[] = { 1, (unsigned long)fire };
	const u64 values[] = { 7, (u64)(unsigned long)"text", (u64)(unsigned long)stack };
	struct synth_event *event;
	char name[16];

	snprintf(name, sizeof(name), "storm%u", n);
	mutex_lock(&event_mutex);
	event = synth_event_get(name);
	mutex_unlock(&event_mutex);
	if (!event)
		return;
	trace_synth(event, values);
	atomic_inc(&fired);
	mutex_lock(&event_mutex);
	synth_event_put(event);
	mutex_unlock(&event_mutex);
}

__printf(3, 4) static void write_to(const char *file, const char *data, const char *fmt, ...)
{
	char name[96];
	va_list args;
	int length = snprintf(name, sizeof(name), "%s", file);

	va_start(args, fmt);
	vsnprintf(name + length, sizeof(name) - (size_t)length, fmt, args);
	va_end(args);
	expect(name, put_mode(name, data, strlen(data), O_APPEND));
}

/* Each line of a known event has its whole text, or the event was removed meanwhile. */
static void read_trace(void)
{
	char buf[512], *line;

	expect("trace", get_into("trace", buf, sizeof(buf)));
	line = strstr(buf, ": storm");
	if (line && strchr(line, '\n') &&
	    !strstarts(line + strlen(": storm0"), ": a=7 b=text c=STACK:\n"))
		selftest_fail(storm_test, __FILE__, __LINE__, "%s", line);
}

static void remove_event(unsigned n)
{
	char text[32];
	long error;

	snprintf(text, sizeof(text), "-:synthetic/storm%u", n);
	error = put_mode("dynamic_events", text, strlen(text), O_APPEND);
	expect(text, error);
	atomic_add(error == 0, &removed);
	atomic_add(error == -EBUSY, &busy);
}

static void define(unsigned n)
{
	char text[96];

	snprintf(text, sizeof(text), "storm%u u64 a; char b[]; unsigned long c[]", n);
	write_to("synthetic_events", text, "%s", "");
	snprintf(text, sizeof(text), "e:probe%u synthetic.storm%u x=$a y=$b:string", n, n);
	write_to("dynamic_events", text, "%s", "");
}

static void storm(void *arg __unused, unsigned index)
{
	u32 seed = index * 7919 + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned n = test_random(&seed) % EVENTS;
		const char *where = test_random(&seed) % 2 ? "instances/storm/" : "";
		const char *on = test_random(&seed) % 3 ? "0" : "1";
		char text[96];

		switch (test_random(&seed) % 10) {
		case 0:
			define(n);
			break;
		case 1:
			snprintf(text, sizeof(text), "-:eprobes/probe%u", n);
			write_to("dynamic_events", text, "%s", "");
			remove_event(n);
			break;
		case 2:
			write_to(where, on, "events/synthetic/storm%u/enable", n);
			break;
		case 3:
			write_to(where, on, "events/eprobes/probe%u/enable", n);
			break;
		case 4:
			write_to(where, "a=7 b='text'", "events/synthetic/storm%u/inject", n);
			break;
		case 5:
			snprintf(text, sizeof(text), "%sevents/synthetic/storm%u/format", where, n);
			expect(text, get_into(text, text, sizeof(text)));
			break;
		case 6:
			read_trace();
			break;
		case 7:
			expect("mkdir", sys_mkdir(TRACING "instances/storm", 0755));
			break;
		case 8:
			expect("rmdir", sys_rmdir(TRACING "instances/storm"));
			break;
		default:
			for (unsigned j = 0; j < 8; j++)
				fire(n);
			break;
		}
	}
}

SELFTEST(synth, events_come_and_go_while_all_cpus_use_them)
{
	u64 objects;

	reset();
	EXPECT_EQ(put("dynamic_events", "\n"), 0);
	define(0);
	EXPECT_EQ(put("dynamic_events", "\n"), 0);
	EXPECT_EQ(put("error_log", " "), 0);
	objects = memory_objects();
	storm_test = test;
	atomic_set(&fired, 0);
	atomic_set(&removed, 0);
	atomic_set(&busy, 0);
	ASSERT(run_threads(num_online_cpus(), EACH_CPU, storm, NULL));
	selftest_diag(test, "%d fired, %d removed, %d busy", atomic_read(&fired),
		      atomic_read(&removed), atomic_read(&busy));
	EXPECT(atomic_read(&fired) > 0 && atomic_read(&removed) > 0 && atomic_read(&busy) > 0);
	sys_rmdir(TRACING "instances/storm");
	put("events/enable", "0");
	EXPECT_EQ(put("dynamic_events", "\n"), 0);
	EXPECT(!strcmp(get("dynamic_events"), ""));
	EXPECT(!strstr(get("available_events"), "synthetic:"));
	EXPECT_EQ(put("error_log", " "), 0);
	memory_expect_objects(test, objects);
	reset();
}
