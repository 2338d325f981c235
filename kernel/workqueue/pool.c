/*
 * Worker pools: the kworker threads that run work items.
 *
 * Each CPU has a pool, and one more pool has workers that belong to no CPU. A pool keeps one worker
 * running at a time while it has work (as Linux's concurrency-managed workqueues). The scheduler
 * calls the pool when a worker falls asleep within a work item (wq_worker_sleeping). If work waits,
 * an idle worker then takes over. The last idle worker creates another one before it begins to
 * work, so that one is always there to take over, up to MAX_WORKERS. Of more than two idle workers,
 * one ends after a while.
 *
 * All functions here but the thread itself need the pool's lock, unless their comment says
 * otherwise.
 */
#include "kernel/workqueue/internal.h"

#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/workqueue/workqueue_events.h"

#define MAX_WORKERS         64 /* in a pool */
#define IDLE_WORKERS        2  /* that never end */
#define IDLE_WORKER_TIMEOUT (10 * NSEC_PER_SEC)

DEFINE_PER_CPU(struct worker_pool, worker_pools);
struct worker_pool unbound_pool;

static int worker_thread(void *data);

/* True if work waits and no worker is awake to run it. Pool lock held. */
static bool need_more_worker(const struct worker_pool *pool)
{
	return !list_empty(&pool->worklist) && !pool->nr_running;
}

static void wake_idle_worker(struct worker_pool *pool)
{
	struct worker *worker = list_first_entry_or_null(&pool->idle, struct worker, entry);

	if (worker)
		wake_up_process(worker->task);
}

static void set_running(struct worker *worker, bool running)
{
	if (worker->running == running)
		return;
	worker->running = running;
	if (running)
		worker->pool->nr_running++;
	else
		worker->pool->nr_running--;
}

static void enter_idle(struct worker *worker)
{
	worker->is_idle = true;
	worker->pool->nr_idle++;
	list_add(&worker->entry, &worker->pool->idle);
}

static void leave_idle(struct worker *worker)
{
	if (!worker->is_idle)
		return;
	worker->is_idle = false;
	worker->pool->nr_idle--;
	list_del_init(&worker->entry);
}

struct worker *find_worker_executing(struct worker_pool *pool, struct work_struct *work)
{
	struct worker *worker;

	list_for_each_entry (worker, &pool->busy, entry)
		if (worker->current_work == work && worker->current_func == work->func)
			return worker;
	return NULL;
}

void insert_work(struct worker_pool *pool, struct work_struct *work)
{
	work->pool = pool;
	smp_wmb(); /* is_queued_on() reads them in the other order */
	list_add_tail(&work->entry, &pool->worklist);
	if (need_more_worker(pool))
		wake_idle_worker(pool);
}

/* The worker begins this item: it takes over the tasks that wait for the item. Pool lock held. */
static void take_flushers(struct worker *worker, struct work_struct *work)
{
	struct flusher *flusher, *n;

	list_for_each_entry_safe (flusher, n, &worker->pool->flushers, entry)
		if (flusher->work == work)
			list_move_tail(&flusher->entry, &worker->flushers);
}

static void complete_flushers(struct worker *worker)
{
	struct flusher *flusher, *n;

	list_for_each_entry_safe (flusher, n, &worker->flushers, entry) {
		list_del(&flusher->entry);
		complete(&flusher->done);
	}
}

void cancel_flushers(struct worker_pool *pool, struct work_struct *work)
{
	struct worker *worker = find_worker_executing(pool, work);
	struct flusher *flusher, *n;

	list_for_each_entry_safe (flusher, n, &pool->flushers, entry) {
		if (flusher->work != work)
			continue;
		if (worker) {
			list_move_tail(&flusher->entry, &worker->flushers);
		} else {
			list_del(&flusher->entry);
			complete(&flusher->done);
		}
	}
}

/* Runs one item that is in no list. Pool lock held; released while the item runs. */
static void process_one_work(struct worker *worker, struct work_struct *work)
{
	struct worker_pool *pool = worker->pool;
	work_func_t func = work->func;

	worker->current_work = work;
	worker->current_func = func;
	list_add(&worker->entry, &pool->busy);
	if (!list_empty(&pool->flushers))
		take_flushers(worker, work);
	/*
	 * A full barrier. A task that queues the item from now on finds the bit clear, and finds
	 * this worker, which executes the item.
	 */
	test_and_clear_bit(WORK_PENDING, &work->pending);
	spin_unlock_irq(&pool->lock);

	trace_workqueue_execute_start(work);
	func(work); /* may free the item */
	trace_workqueue_execute_end(work, func);

	if (unlikely(preempt_count())) {
		pr_err("BUG: workqueue leaked atomic: preempt_count 0x%08x after %ps\n",
		       preempt_count(), (void *)func);
		this_cpu_write(__preempt_count, PREEMPT_NEED_RESCHED);
	}
	spin_lock_irq(&pool->lock);
	list_del_init(&worker->entry);
	worker->current_work = NULL;
	worker->current_func = NULL;
	complete_flushers(worker);
}

static void process_works(struct worker *worker, struct list_head *list)
{
	struct work_struct *work = list_first_entry(list, struct work_struct, entry);
	struct worker *other;

	list_del_init(&work->entry);
	other = find_worker_executing(worker->pool, work);
	if (other) {
		list_add_tail(&work->entry, &other->scheduled);
		return;
	}
	process_one_work(worker, work);
	while (!list_empty(&worker->scheduled)) {
		work = list_first_entry(&worker->scheduled, struct work_struct, entry);
		list_del_init(&work->entry);
		process_one_work(worker, work);
	}
}

/* Creates a worker. NULL when memory is short. Task context, no lock held. */
static struct worker *create_worker(struct worker_pool *pool, unsigned id)
{
	struct worker *worker = kzalloc(sizeof(*worker), GFP_KERNEL);

	if (!worker)
		return NULL;
	worker->pool = pool;
	INIT_LIST_HEAD(&worker->entry);
	INIT_LIST_HEAD(&worker->scheduled);
	INIT_LIST_HEAD(&worker->flushers);
	if (pool->cpu == CPU_UNBOUND)
		worker->task = kthread_create(worker_thread, worker, "kworker/u:%u", id);
	else
		worker->task =
			kthread_create(worker_thread, worker, "kworker/%u:%u", pool->cpu, id);
	if (IS_ERR(worker->task)) {
		kfree(worker);
		return NULL;
	}
	if (pool->cpu != CPU_UNBOUND)
		kthread_bind(worker->task, pool->cpu);
	worker->task->worker = worker;
	spin_lock_irq(&pool->lock);
	pool->nr_workers++;
	enter_idle(worker);
	wake_up_process(worker->task);
	spin_unlock_irq(&pool->lock);
	return worker;
}

/*
 * Creates an idle worker if the caller was the last idle one and is about to work. Pool lock held;
 * released while it creates the worker. If memory is short, the next worker that comes here tries
 * again.
 */
static void maybe_create_worker(struct worker_pool *pool)
{
	unsigned id;

	if (pool->nr_idle || pool->managing || pool->nr_workers >= MAX_WORKERS)
		return;
	pool->managing = true;
	id = pool->next_id++;
	spin_unlock_irq(&pool->lock);
	create_worker(pool, id);
	spin_lock_irq(&pool->lock);
	pool->managing = false;
}

/*
 * Sleeps until work arrives. False if this worker has been idle for too long and must end. Pool
 * lock held; released while asleep.
 */
static bool worker_sleep(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;
	u64 timeout = MAX_SCHEDULE_TIMEOUT;

	enter_idle(worker);
	if (pool->nr_idle > IDLE_WORKERS)
		timeout = IDLE_WORKER_TIMEOUT;
	__set_current_state(TASK_IDLE);
	spin_unlock_irq(&pool->lock);
	timeout = schedule_timeout(timeout);
	spin_lock_irq(&pool->lock);
	leave_idle(worker);
	return timeout || need_more_worker(pool) || pool->nr_idle < IDLE_WORKERS;
}

static int worker_thread(void *data)
{
	struct worker *worker = data;
	struct worker_pool *pool = worker->pool;

	spin_lock_irq(&pool->lock);
	leave_idle(worker);
	do {
		if (!need_more_worker(pool))
			continue;
		maybe_create_worker(pool);
		set_running(worker, true);
		while (!list_empty(&pool->worklist) && pool->nr_running <= 1)
			process_works(worker, &pool->worklist);
		set_running(worker, false);
	} while (worker_sleep(worker));
	pool->nr_workers--;
	spin_unlock_irq(&pool->lock);
	current->worker = NULL;
	kfree(worker);
	return 0;
}

unsigned workqueue_nr_workers(void)
{
	unsigned cpu, workers = READ_ONCE(unbound_pool.nr_workers);

	for_each_online_cpu (cpu)
		workers += READ_ONCE(per_cpu(worker_pools, cpu).nr_workers);
	return workers;
}

/* wq_worker_sleeping_hook. Another worker takes over if work waits. */
static void wq_worker_sleeping(struct task_struct *task)
{
	struct worker *worker = task->worker;
	struct worker_pool *pool = worker->pool;

	if (!READ_ONCE(worker->running)) /* idle, or creating a worker */
		return;
	worker->sleeping = true;
	spin_lock_irq(&pool->lock);
	set_running(worker, false);
	if (need_more_worker(pool))
		wake_idle_worker(pool);
	spin_unlock_irq(&pool->lock);
}

/* wq_worker_running_hook. */
static void wq_worker_running(struct task_struct *task)
{
	struct worker *worker = task->worker;

	if (!worker->sleeping)
		return;
	worker->sleeping = false;
	spin_lock_irq(&worker->pool->lock);
	set_running(worker, true);
	spin_unlock_irq(&worker->pool->lock);
}

static void __init init_pool(struct worker_pool *pool, unsigned cpu)
{
	spin_lock_init(&pool->lock);
	pool->cpu = cpu;
	INIT_LIST_HEAD(&pool->worklist);
	INIT_LIST_HEAD(&pool->idle);
	INIT_LIST_HEAD(&pool->busy);
	INIT_LIST_HEAD(&pool->flushers);
}

static void __init start_pool(struct worker_pool *pool)
{
	pool->next_id = 1;
	if (!create_worker(pool, 0))
		panic("no memory for the first kworker of CPU %d", (int)pool->cpu);
}

/* The boot CPU has its worker already. */
static int __init start_other_pools(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu)
		if (!per_cpu(worker_pools, cpu).nr_workers)
			start_pool(per_cpu_ptr(&worker_pools, cpu));
	start_pool(&unbound_pool);
	return 0;
}
core_initcall(start_other_pools);

void __init workqueue_init(void)
{
	unsigned cpu;

	wq_worker_sleeping_hook = wq_worker_sleeping;
	wq_worker_running_hook = wq_worker_running;
	for_each_possible_cpu (cpu)
		init_pool(per_cpu_ptr(&worker_pools, cpu), cpu);
	init_pool(&unbound_pool, CPU_UNBOUND);
	start_pool(this_cpu_ptr(&worker_pools));
}
