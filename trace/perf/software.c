/*
 * The PMU `software`: faults, switches and migrations; clock.c has its clocks.
 *
 * Most of these events are levels, which cost nothing until they are read:
 *
 *			a task			a CPU
 *	cpu-clock	its runtime		the time
 *	task-clock	its runtime		the time
 *	page-faults	its three counters	hit
 *	context-switches its two counters	that of the run queue
 *	cpu-migrations	its counter		one that a probe of sched_migrate_task counts
 *
 * An event that samples, excludes a mode, or is of a task on one CPU, is hit (but for clocks): by a
 * page fault while fault_tap is on, or by the hook at a switch. A switch counts
 * in the task that leaves the CPU, a migration at the first switch on the new CPU.
 */
#include "trace/perf/software.h"

#include "arch/cpu/ptrace.h"
#include "arch/irq/page_fault.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/init.h"
#include "kernel/sched/sched_events.h"

/* perf_event.source of a config: its address. */
static const u64 sources[PERF_COUNT_SW_MAX];
static DEFINE_MUTEX(software_mutex);
/* [software_mutex] to write: events that a switch hits, by config. The hook reads it. */
static unsigned users[PERF_COUNT_SW_MAX];
static unsigned migration_users;               /* [software_mutex] events that read `migrations` */
static DEFINE_PER_CPU(atomic64_t, migrations); /* tasks that were moved to this CPU */
/* [O] of them, those that were hits; [software_mutex] while no event is hit. */
static DEFINE_PER_CPU(u64, migrations_hit);

/* ---- hits ---- */

/* Task context, preemption off. */
static void page_fault_hit(const struct pt_regs *regs, unsigned long address, bool minor,
			   bool major)
{
	struct perf_sample_data data = {
		.task = current_stable,
		.mode = user_mode(regs) ? PERF_MODE_USER : PERF_MODE_KERNEL,
		.ip = regs->ip,
		.addr = address,
		.regs = regs,
	};

	perf_for_each_hit(&sources[PERF_COUNT_SW_PAGE_FAULTS], perf_hit_one, &data);
	if (minor)
		perf_for_each_hit(&sources[PERF_COUNT_SW_PAGE_FAULTS_MIN], perf_hit_one, &data);
	if (major)
		perf_for_each_hit(&sources[PERF_COUNT_SW_PAGE_FAULTS_MAJ], perf_hit_one, &data);
}

static int set_fault_tap(bool on)
{
	static struct page_fault_hook hook = { .fn = page_fault_hit };

	return page_fault_hook_set(on ? &hook : NULL);
}

static struct perf_tap fault_tap = { .set = set_fault_tap };

/* A hit of task at a switch. frame: that of __schedule(); the call chain begins with its caller. */
static struct perf_sample_data switch_data(struct task_struct *task, unsigned long *frame)
{
	return (struct perf_sample_data){
		.task = task,
		.mode = PERF_MODE_KERNEL | (task->pid ? 0 : PERF_MODE_IDLE),
		.ip = (unsigned long)real_return_address(frame + 1),
		.frame = frame[0],
	};
}

static u64 moved_here(void)
{
	return (u64)atomic64_read(this_cpu_ptr(&migrations));
}

void perf_software_switch(struct task_struct *prev, struct task_struct *next, unsigned long *frame)
{
	const void *switches = &sources[PERF_COUNT_SW_CONTEXT_SWITCHES];
	const void *moves = &sources[PERF_COUNT_SW_CPU_MIGRATIONS];
	struct perf_context *ctx = rcu_dereference(next->perf);
	struct perf_sample_data data;

	if (READ_ONCE(users[PERF_COUNT_SW_CONTEXT_SWITCHES])) {
		data = switch_data(prev, frame);
		perf_for_each_cpu_hit(switches, perf_hit_one, &data);
		perf_for_each_task_hit(prev, switches, perf_hit_one, &data);
	}
	if (!smp_load_acquire(&users[PERF_COUNT_SW_CPU_MIGRATIONS]))
		return;
	data = switch_data(next, frame);
	/* A first user may set migrations_hit to a later number meanwhile: add_switch_user(). */
	for (u64 now = moved_here(); (s64)(now - this_cpu_read(migrations_hit)) > 0;) {
		this_cpu_write(migrations_hit, this_cpu_read(migrations_hit) + 1);
		perf_for_each_cpu_hit(moves, perf_hit_one, &data);
	}
	if (!ctx || ctx->migrations == next->se.nr_migrations)
		return;
	ctx->migrations = next->se.nr_migrations;
	perf_for_each_task_hit(next, moves, perf_hit_one, &data);
}

/* sched_migrate_task: p, which is not new, gets another CPU. P or R held. */
static void count_migration(void *data __unused, struct task_struct *p __unused, unsigned cpu)
{
	atomic64_inc(per_cpu_ptr(&migrations, cpu));
}

/* ---- levels ---- */

static u64 task_level(const struct task_struct *task, u64 config)
{
	switch (config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		return READ_ONCE(task->min_flt) + READ_ONCE(task->maj_flt) +
		       READ_ONCE(task->bad_flt);
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return READ_ONCE(task->min_flt);
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return READ_ONCE(task->maj_flt);
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
	default:
		return READ_ONCE(task->se.nr_migrations);
	}
}

static bool is_clock(u64 config)
{
	return config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK;
}

static u64 software_read(const struct perf_event *event, const struct perf_clocks *clocks)
{
	const struct perf_context *ctx = READ_ONCE(event->ctx);
	u64 config = event->attr->config;

	if (is_clock(config))
		return clocks->running;
	if (event->of_task)
		return ctx ? task_level(ctx->task, config) : event->base;
	return config == PERF_COUNT_SW_CONTEXT_SWITCHES
		       ? cpu_switches((unsigned)event->cpu)
		       : (u64)atomic64_read(per_cpu_ptr(&migrations, event->cpu));
}

static bool is_level(const struct perf_event *event)
{
	const struct perf_event_attr *attr = event->attr;

	if (event->period || attr->exclude_kernel || attr->exclude_user || attr->exclude_idle)
		return false;
	if (event->of_task)
		return event->cpu == -1;
	return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       attr->config == PERF_COUNT_SW_CPU_MIGRATIONS;
}

/* ---- struct pmu ---- */

static bool is_fault(u64 config)
{
	return config == PERF_COUNT_SW_PAGE_FAULTS || config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
	       config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
}

/* One more event that a switch hits. */
static void add_switch_user(u64 config)
{
	unsigned cpu;

	mutex_lock(&software_mutex);
	if (config == PERF_COUNT_SW_CPU_MIGRATIONS && !users[config])
		for_each_possible_cpu (cpu)
			per_cpu(migrations_hit, cpu) =
				(u64)atomic64_read(per_cpu_ptr(&migrations, cpu));
	smp_store_release(&users[config], users[config] + 1);
	mutex_unlock(&software_mutex);
}

static void remove_switch_user(u64 config)
{
	mutex_lock(&software_mutex);
	WRITE_ONCE(users[config], users[config] - 1);
	mutex_unlock(&software_mutex);
}

/* One more event that is hit: from now on the source hits. 0 or an errno. */
static int add_user(u64 config)
{
	int error = perf_tap_get(is_fault(config) ? &fault_tap : &perf_switch_tap);

	if (!error && !is_fault(config))
		add_switch_user(config);
	return error;
}

static void remove_user(u64 config)
{
	if (!is_fault(config))
		remove_switch_user(config);
	perf_tap_put(is_fault(config) ? &fault_tap : &perf_switch_tap);
}

/* One more or one less event of a CPU that reads `migrations`. 0 or an errno. */
static int use_migrations(int n)
{
	int error = 0;

	mutex_lock(&software_mutex);
	if (n > 0 && !migration_users)
		error = register_trace_sched_migrate_task(count_migration, NULL);
	if (!error)
		migration_users += (unsigned)n;
	if (n < 0 && !migration_users)
		(void)unregister_trace_sched_migrate_task(count_migration, NULL);
	mutex_unlock(&software_mutex);
	return error;
}

/* Whether the event can count at all. Switches and migrations happen in the kernel. */
static bool is_counted(const struct perf_event_attr *attr)
{
	return is_clock(attr->config) || is_fault(attr->config) ||
	       (!attr->exclude_kernel && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
					  attr->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

static bool reads_migrations(const struct perf_event *event)
{
	return !event->of_task && event->attr->config == PERF_COUNT_SW_CPU_MIGRATIONS &&
	       is_counted(event->attr);
}

static int software_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = event->attr;
	int error;

	if (attr->config >= PERF_COUNT_SW_MAX)
		return -ENOENT;
	event->exclude = (attr->exclude_kernel ? PERF_MODE_KERNEL : 0) |
			 (attr->exclude_user ? PERF_MODE_USER : 0) |
			 (attr->exclude_idle ? PERF_MODE_IDLE : 0);
	if (!is_counted(attr))
		return 0;
	if (is_clock(attr->config))
		return perf_clock_init(event);
	if (is_level(event))
		event->flags = PERF_LEVEL;
	else
		event->source = &sources[attr->config];
	error = reads_migrations(event) ? use_migrations(1) : 0;
	if (error || !event->source)
		return error;
	error = add_user(attr->config);
	if (error && reads_migrations(event))
		(void)use_migrations(-1);
	return error;
}

static void software_destroy(struct perf_event *event)
{
	if (is_clock(event->attr->config))
		perf_clock_destroy(event);
	if (event->source)
		remove_user(event->attr->config);
	if (reads_migrations(event))
		(void)use_migrations(-1);
}

/* P and R held: the hook at a switch does not run. */
static void note_migrations(struct task_struct *p, bool asleep __unused, void *ctx)
{
	((struct perf_context *)ctx)->migrations = p->se.nr_migrations;
}

static int software_join(struct perf_event *event)
{
	if (event->source == &sources[PERF_COUNT_SW_CPU_MIGRATIONS] && event->ctx->task)
		task_call_func(event->ctx->task, note_migrations, event->ctx);
	return 0;
}

static void software_set_period(struct perf_event *event)
{
	if (is_clock(event->attr->config))
		perf_clock_set_period(event);
}

static const struct pmu software PERF_PMU(software) = {
	.name = "software",
	.type = PERF_TYPE_SOFTWARE,
	.event_init = software_init,
	.destroy = software_destroy,
	.join = software_join,
	.read = software_read,
	.start = perf_clock_start,
	.stop = perf_clock_stop,
	.set_period = software_set_period,
};
