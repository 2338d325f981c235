/*
 * Contexts: the events of a task, or of a CPU; how hits find them, and the clocks by which their
 * times are counted.
 *
 * The context of a task is made with its first event, and published in task->perf. Against the end
 * of the task: the opener publishes the context and then reads PF_EXITING; the task sets PF_EXITING
 * and then reads task->perf. A full barrier stands between the two on both sides. So at least one
 * of them sees the other, and M makes the rest one step.
 */
#include "trace/perf/internal.h"

#include "arch/time/clock.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

DEFINE_MUTEX(perf_mutex);
DEFINE_PER_CPU(struct perf_context, perf_cpu_contexts);

static void init_context(struct perf_context *ctx)
{
	INIT_LIST_HEAD(&ctx->events);
	INIT_LIST_HEAD(&ctx->on_cpu);
	INIT_LIST_HEAD(&ctx->records);
	for (unsigned i = 0; i < PERF_BUCKETS; i++)
		INIT_LIST_HEAD(&ctx->hits[i]);
}

struct perf_context *perf_alloc_context(struct task_struct *task)
{
	struct perf_context *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return NULL;
	init_context(ctx);
	get_task_struct(task);
	ctx->task = task;
	return ctx;
}

static void free_context(struct rcu_head *rcu)
{
	struct perf_context *ctx = container_of(rcu, struct perf_context, rcu);

	if (ctx->task)
		put_task_struct(ctx->task);
	kfree(ctx->run);
	kfree(ctx);
}

void perf_put_context(struct perf_context *ctx)
{
	WRITE_ONCE(ctx->task->perf, NULL);
	if (!ctx->task->pid) { /* a fork has failed, which frees the task at once */
		put_task_struct(ctx->task);
		ctx->task = NULL;
	}
	if (ctx->shown)
		call_rcu(&ctx->rcu, free_context);
	else
		free_context(&ctx->rcu);
}

struct perf_context *perf_get_context(struct task_struct *task)
{
	struct perf_context *ctx = task->perf;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	if (!ctx) {
		ctx = perf_alloc_context(task);
		if (!ctx)
			return ERR_PTR(-ENOMEM);
		/* A full barrier: see the top of the file. */
		(void)xchg(&task->perf, ctx);
	}
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return ctx;
	if (list_empty(&ctx->events)) {
		ctx->shown = true; /* the task may have found it */
		perf_put_context(ctx);
	}
	return ERR_PTR(-ESRCH);
}

/* ---- adding and removing ---- */

struct run_start {
	struct perf_context *ctx;
	u64 *run;
};

/* P and R held: the switch hook of the task does not run. */
static void start_run(struct task_struct *p, bool asleep __unused, void *arg)
{
	struct run_start *start = arg;

	start->ctx->run_stamp = p->se.sum_exec_runtime;
	start->ctx->run = start->run;
}

/* From now on the hook at a switch adds up the task's runtime on each CPU. 0 or -ENOMEM. */
static int make_run(struct perf_context *ctx)
{
	struct run_start start = { .ctx = ctx };

	if (ctx->run)
		return 0;
	start.run = kzalloc(nr_cpu_ids * sizeof(u64), GFP_KERNEL);
	if (!start.run)
		return -ENOMEM;
	task_call_func(ctx->task, start_run, &start);
	return 0;
}

/* The list in which hits, or the switch, find the event; NULL: nothing looks for it. */
static struct list_head *hit_list(struct perf_context *ctx, const struct perf_event *event)
{
	if (event->flags & PERF_ON_CPU)
		return &ctx->on_cpu;
	if (!event->source)
		return NULL;
	return &ctx->hits[perf_bucket(event->source, ctx->task ? event->cpu : -1)];
}

int perf_context_add(struct perf_context *ctx, struct perf_event *event)
{
	struct list_head *list = hit_list(ctx, event);
	int error = event->flags & PERF_RUN ? make_run(ctx) : 0;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	if (error)
		return error;
	event->ctx = ctx;
	error = event->pmu->join ? event->pmu->join(event) : 0;
	if (error) {
		event->ctx = NULL;
		return error;
	}
	ctx->nr_inherit += event->attr->inherit;
	ctx->nr_one_cpu += event->cpu != -1;
	list_add_tail(&event->ctx_node, &ctx->events);
	if (list) {
		event->shown = ctx->shown = true;
		/*
		 * The newest is hit first, as on Linux. Those on a CPU stay in their order: the
		 * debug registers are given to the oldest first.
		 */
		if (list == &ctx->on_cpu)
			list_add_tail_rcu(&event->hit_node, list);
		else
			list_add_rcu(&event->hit_node, list);
	}
	if (event->records) {
		event->shown = ctx->shown = true;
		list_add_tail_rcu(&event->record_node, &ctx->records);
	}
	return 0;
}

void perf_context_remove(struct perf_event *event)
{
	struct perf_context *ctx = event->ctx;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	if (!ctx) /* its task has ended */
		return;
	DEBUG_BUG_ON(event->active);
	list_del(&event->ctx_node);
	if (hit_list(ctx, event))
		list_del_rcu(&event->hit_node);
	if (event->records)
		list_del_rcu(&event->record_node);
	ctx->nr_inherit -= event->attr->inherit;
	ctx->nr_one_cpu -= event->cpu != -1;
	if (event->pmu->leave)
		event->pmu->leave(event);
	WRITE_ONCE(event->ctx, NULL);
}

/* ---- the CPU of a context ---- */

/* P and R held: the task is on that CPU, or each hook of its last switch has ended. */
static void find_cpu(struct task_struct *p, bool asleep __unused, void *arg)
{
	*(int *)arg = p->on_cpu ? (int)p->cpu : -1;
}

/*
 * The state of the events has changed before the call. If the task is switched to later, the hook
 * sees the change, because P and R come between. If it leaves the CPU before the interrupt comes,
 * the hook has stopped its events there: perf_resched() finds another task, and does nothing.
 */
void perf_kick(struct perf_context *ctx)
{
	int cpu = (int)ctx->cpu;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	if (ctx->task)
		task_call_func(ctx->task, find_cpu, &cpu);
	if (cpu >= 0)
		smp_call_function_single((unsigned)cpu, perf_resched, ctx, true);
}

/* ---- hits ---- */

void perf_for_each_cpu_hit(const void *source, perf_hit_fn *fn, void *data)
{
	perf_walk_cpu(source, fn, data);
}

void perf_for_each_task_hit(const struct task_struct *task, const void *source, perf_hit_fn *fn,
			    void *data)
{
	perf_walk_task(task, source, fn, data);
}

void perf_for_each_hit(const void *source, perf_hit_fn *fn, void *data)
{
	perf_walk(source, fn, data);
}

/* ---- clocks ---- */

struct clocks_of {
	const struct perf_event *event;
	struct perf_clocks clocks;
};

/* Of an event with PERF_RUN; of others it is the runtime of the task. */
static u64 running_clock(const struct perf_event *event, u64 runtime, bool on_this_cpu)
{
	const struct perf_context *ctx = READ_ONCE(event->ctx);

	if (!ctx) /* a hit, and the event leaves */
		return runtime;
	return ctx->run[event->cpu] + (on_this_cpu ? runtime - ctx->run_stamp : 0);
}

/* P and R held: no CPU charges the task now. */
static void read_task_clocks(struct task_struct *p, bool asleep __unused, void *arg)
{
	struct clocks_of *of = arg;
	u64 runtime = p->se.sum_exec_runtime;

	if (p->on_cpu)
		runtime += (u64)max((s64)(ktime_get() - p->se.exec_start), (s64)0);
	of->clocks.enabled = of->clocks.running = runtime;
	if (of->event->flags & PERF_RUN)
		of->clocks.running = running_clock(of->event, runtime,
						   p->on_cpu && (int)p->cpu == of->event->cpu);
}

struct perf_clocks perf_read_clocks(const struct perf_event *event)
{
	struct clocks_of of;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	of.event = event;
	if (event->ctx->task)
		task_call_func(event->ctx->task, read_task_clocks, &of);
	else
		of.clocks.enabled = of.clocks.running = ktime_get();
	return of.clocks;
}

/*
 * A CPU that charges the task writes exec_start before sum_exec_runtime. So a reader that reads
 * them in the other order counts no time twice.
 */
struct perf_clocks perf_guess_clocks(const struct perf_event *event)
{
	const struct perf_context *ctx = READ_ONCE(event->ctx);
	const struct task_struct *task = ctx ? ctx->task : NULL;
	struct perf_clocks clocks;
	u64 runtime;

	if (!task) {
		clocks.enabled = clocks.running = event->of_task ? 0 : (u64)arch_ktime();
		return clocks;
	}
	runtime = READ_ONCE(task->se.sum_exec_runtime);
	smp_rmb();
	runtime += (u64)max((s64)(arch_ktime() - READ_ONCE(task->se.exec_start)), (s64)0);
	clocks.enabled = clocks.running = runtime;
	if (event->flags & PERF_RUN)
		clocks.running =
			running_clock(event, runtime, event->cpu == (int)smp_processor_id());
	return clocks;
}

static int __init perf_contexts_init(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct perf_context *ctx = per_cpu_ptr(&perf_cpu_contexts, cpu);

		init_context(ctx);
		ctx->cpu = cpu;
	}
	return 0;
}
early_initcall(perf_contexts_init);
