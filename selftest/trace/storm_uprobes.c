/*
 * The storm over tracing: uprobes in programs that run and die, and events of probes, which come
 * and go by file, at functions that tracers trace and live patches replace.
 */
#include "fs/vfs/fs.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/signal.h"
#include "kernel/time/ktime.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/uprobe_program.h"
#include "selftest/trace/storm.h"
#include "selftest/trace/tracefs.h"

/* ---- uprobes ---- */

#define UPROBES 6U

struct counter {
	struct uprobe_consumer consumer;
	loff_t offset;
	atomic64_t hits;
	bool registered;
};

struct storm_uprobes {
	struct uprobe_program program;
	loff_t offsets[UPROBE_PROGRAM_INSNS];
	struct counter counters[UPROBES];
};

static void count_hit(struct uprobe_consumer *self, struct pt_regs *regs __unused)
{
	atomic64_inc(&container_of(self, struct counter, consumer)->hits);
}

static u64 run_once(const struct uprobe_program *program)
{
	struct uprobe_run run;

	return uprobe_run_start(&run, program) ? uprobe_run_end(&run) : ~0UL;
}

/* A program dies in the middle: at a breakpoint, in a slot, or in a handler. */
static void run_and_kill(struct storm_task *task, const struct uprobe_program *program)
{
	struct uprobe_run run;

	if (!uprobe_run_start(&run, program))
		return;
	for (unsigned n = test_random(&task->seed) % 16; n; n--)
		yield();
	send_signal(SIGKILL, run.task); /* -EPERM: it is not a program yet */
	uprobe_run_end(&run);
}

/* Pairs of consumers are at the same instruction, so both see all hits. */
static void use_probes(struct storm_task *task, struct storm_uprobes *s, unsigned n, u64 sum)
{
	struct inode *inode = s->program.file->f_inode;
	u64 found;

	for (unsigned i = 0; i < UPROBES; i++) {
		struct counter *c = &s->counters[i];

		c->offset = i % 2 ? c[-1].offset : s->offsets[test_random(&task->seed) % n];
		c->consumer.handler = count_hit;
		c->registered = STORM_DONE(
			task, "uprobe", uprobe_register(inode, c->offset, &c->consumer), -ENOMEM);
	}
	found = run_once(&s->program);
	STORM_EXPECT(found == sum || found == ~0UL); /* ~0: no memory */
	for (unsigned i = 0; i < UPROBES; i += 2)
		STORM_EXPECT(!s->counters[i].registered || !s->counters[i + 1].registered ||
			     atomic64_read(&s->counters[i].hits) ==
				     atomic64_read(&s->counters[i + 1].hits));
	run_and_kill(task, &s->program);
	for (unsigned i = 0; i < UPROBES; i++)
		if (s->counters[i].registered)
			uprobe_unregister(inode, s->counters[i].offset, &s->counters[i].consumer);
	found = run_once(&s->program);
	STORM_EXPECT(found == sum || found == ~0UL);
}

void storm_uprobes(struct storm_task *task)
{
	struct storm_uprobes *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned n;
	u64 sum;

	if (!s)
		return;
	n = uprobe_program_instructions(s->offsets);
	STORM_EXPECT(n > 100);
	if (uprobe_program_make(&s->program, task->index)) {
		sum = run_once(&s->program);
		if (sum != ~0UL)
			use_probes(task, s, n, sum);
		uprobe_program_remove(&s->program);
	}
	kfree(s);
}

/* ---- events of probes ---- */

static const char *const places[] = {
	"p:%s ftrace_target_version",
	"r:%s ftrace_target_version $retval",
	"p:%s ftrace_target_call+%u",
	"r:%s ftrace_target_call",
	"p:%s ftrace_target_recurse depth=$arg1",
	"r:%s ftrace_target_recurse $retval comm=$comm",
	"p:%s kprobe_kinds+%u",
	"r:%s kprobe_kinds $retval",
	"r:%s kprobe_kinds_add $retval",
};

static void nothing(void *arg __unused)
{
}

static void call_probed(void)
{
	u64 sum = kprobe_kinds(7);

	STORM_EXPECT(ftrace_target_recurse(5) == 5);
	ftrace_target_call(nothing, NULL);
	STORM_EXPECT(kprobe_kinds(7) == sum);
}

static void switch_off_everywhere(struct storm_task *task, const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "events/%s/enable", name);
	STORM_DONE(task, file, put_patiently(file, "0", O_TRUNC));
	for (unsigned i = 0; i < STORM_INSTANCES; i++) {
		snprintf(file, sizeof(file), "instances/s%u/events/%s/enable", i, name);
		STORM_DONE(task, file, put_patiently(file, "0", O_TRUNC), -ENOENT, -ENODEV);
	}
}

void storm_probe_events(struct storm_task *task)
{
	char name[24], command[96], file[64];
	unsigned place = test_random(&task->seed) % ARRAY_SIZE(places);

	snprintf(name, sizeof(name), "storm%u/e", task->index);
	snprintf(command, sizeof(command), places[place], name, test_random(&task->seed) % 32);
	/*
	 * Most offsets are no instruction; -EBUSY and -EINVAL: the last event still has a reader.
	 */
	if (!STORM_DONE(task, command,
			put_mode("kprobe_events", command, strlen(command), O_APPEND), -EILSEQ,
			-EOPNOTSUPP, -ENOMEM, -EEXIST))
		return;
	call_probed();
	snprintf(file, sizeof(file), "events/%s/enable", name);
	STORM_DONE(task, file, put(file, "1"), -ENOMEM, -ENOSPC);
	call_probed();
	if (test_random(&task->seed) % 2)
		msleep(30); /* the optimizer may write the jump */
	call_probed();
	snprintf(command, sizeof(command), "-:%s", name);
	/* An event that is on is not removed. storm_event_switches() may switch all of them on. */
	for (;;) {
		switch_off_everywhere(task, name);
		if (STORM_DONE(task, command, put_patiently("kprobe_events", command, O_APPEND),
			       -EBUSY))
			break;
		msleep(1);
	}
	call_probed();
}
