/*
 * Workqueues: per-CPU pools of kworker threads, and one whose threads belong to no CPU, for work
 * that should go on while a real-time task keeps the CPU on which it came up.
 *
 * A pool keeps one worker running at a time as long as there is work (as Linux's
 * concurrency-managed workqueues). The scheduler tells the pool when a worker falls asleep within a
 * work item (wq_worker_sleeping); if work waits, an idle worker takes over. The last idle worker,
 * before it turns to work, makes another, so there is always one to take over, up to MAX_WORKERS.
 * Idle workers beyond two end after a while.
 *
 * A work item is never run by two workers at once: if it is queued again while it runs, it goes to
 * the pool where it runs and is left for the worker that runs it.
 *
 *	pending bit	set by whoever queues the item (or arms its timer), until the moment before
 *			its function is called; who sets it owns the item's entry and may put it
 *			into a pool
 *	pool->lock	all else; taken with interrupts off
 */
#include "kernel/workqueue/workqueue.h"

#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"

#define CPU_UNBOUND         ~0U
#define WORK_PENDING        0U /* bit of work->pending */
#define MAX_WORKERS         64 /* in a pool */
#define IDLE_WORKERS        2  /* that stay for good */
#define IDLE_WORKER_TIMEOUT (10 * NSEC_PER_SEC)

struct worker_pool {
	spinlock_t lock;
	unsigned cpu;              /* [C] or CPU_UNBOUND */
	struct list_head worklist; /* [lock] work_struct.entry, in order of arrival */
	struct list_head idle;     /* [lock] worker.entry, the last to become idle first */
	struct list_head busy;     /* [lock] worker.entry: those within process_one_work() */
	struct list_head flushers; /* [lock] of items queued here */
	unsigned nr_workers, nr_idle, next_id; /* [lock] */
	unsigned nr_running; /* [lock] workers that are neither idle nor asleep within an item */
	bool managing;       /* [lock] a worker is being made */
};

struct worker {
	struct worker_pool *pool;         /* [C] */
	struct task_struct *task;         /* [C] */
	struct list_head entry;           /* [pool lock] in idle or busy */
	struct work_struct *current_work; /* [pool lock] address only: the function may free it */
	work_func_t current_func;         /* [pool lock] */
	struct list_head scheduled;       /* [pool lock] items queued again while it runs them */
	struct list_head flushers;        /* [pool lock] waiting for the end of current_work */
	bool running;                     /* [pool lock] counted in nr_running */
	bool sleeping;                    /* [O] asleep within an item */
	bool is_idle;                     /* [pool lock] in pool->idle */
};

/* One that waits for the end of an item; on its stack. */
struct flusher {
	struct list_head entry; /* [pool lock] */
	struct work_struct *work;
	struct completion done;
};

static DEFINE_PER_CPU(struct worker_pool, worker_pools);
static struct worker_pool unbound_pool;

static int worker_thread(void *data);

void INIT_WORK(struct work_struct *work, work_func_t func)
{
	*work = (struct work_struct){ .func = func };
	INIT_LIST_HEAD(&work->entry);
}

/*
 * Work waits and no worker is awake to take it. Pool lock held, as in all functions up to the next
 * note.
 */
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

static struct worker *find_worker_executing(struct worker_pool *pool, struct work_struct *work)
{
	struct worker *worker;

	list_for_each_entry (worker, &pool->busy, entry)
		if (worker->current_work == work && worker->current_func == work->func)
			return worker;
	return NULL;
}

/*
 * Is the item in a list of this pool? Its owner may be putting it into another pool at this moment,
 * under that pool's lock; pool is written before the entry.
 */
static bool is_queued_on(const struct worker_pool *pool, const struct work_struct *work)
{
	if (list_empty(&work->entry))
		return false;
	smp_rmb();
	return READ_ONCE(work->pool) == pool;
}

static void insert_work(struct worker_pool *pool, struct work_struct *work)
{
	work->pool = pool;
	smp_wmb(); /* see is_queued_on() */
	list_add_tail(&work->entry, &pool->worklist);
	if (need_more_worker(pool))
		wake_idle_worker(pool);
}

/* Those who wait for the item that this worker begins now wait with the worker from here on. */
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

/*
 * A queued item is cancelled: those who wait for it wait for the instance that runs, if one does.
 */
static void cancel_flushers(struct worker_pool *pool, struct work_struct *work)
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

/* Run one item that is off the lists. The lock is released meanwhile. */
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
	 * A full barrier: who queues it from now on finds the bit clear, and the worker executing
	 * it.
	 */
	test_and_clear_bit(WORK_PENDING, &work->pending);
	spin_unlock_irq(&pool->lock);

	func(work); /* the item may be gone when it returns */

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

/* Make a worker in task context; no lock held. */
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
 * The last idle worker is about to work: make one that will be idle in its place. Pool lock held,
 * and released meanwhile. If memory is short there is none for now; the next to come here tries
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
 * Sleep until there is work. Pool lock held on entry and on return. False if this worker shall end.
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

/*
 * Notes from the scheduler, by the worker itself, preemption on. Nothing below is called with a
 * lock held.
 */

void wq_worker_sleeping(struct task_struct *task)
{
	struct worker *worker = task->worker;
	struct worker_pool *pool = worker->pool;

	if (!READ_ONCE(worker->running)) /* idle, or managing */
		return;
	worker->sleeping = true;
	spin_lock_irq(&pool->lock);
	set_running(worker, false);
	if (need_more_worker(pool))
		wake_idle_worker(pool);
	spin_unlock_irq(&pool->lock);
}

void wq_worker_running(struct task_struct *task)
{
	struct worker *worker = task->worker;

	if (!worker->sleeping)
		return;
	worker->sleeping = false;
	spin_lock_irq(&worker->pool->lock);
	set_running(worker, true);
	spin_unlock_irq(&worker->pool->lock);
}

/* Put an item, whose pending bit the caller has set, into pool or the one where it runs now. */
static void __queue_work(struct worker_pool *pool, struct work_struct *work)
{
	struct worker_pool *last;
	struct worker *worker = NULL;
	unsigned long flags;

	local_irq_save(flags);
	last = READ_ONCE(work->pool);
	if (last && last != pool) {
		spin_lock(&last->lock);
		worker = find_worker_executing(last, work);
		if (worker)
			pool = last;
		else
			spin_unlock(&last->lock);
	}
	if (!worker)
		spin_lock(&pool->lock);
	insert_work(pool, work);
	spin_unlock(&pool->lock);
	local_irq_restore(flags);
}

bool schedule_work_on(unsigned cpu, struct work_struct *work)
{
	if (test_and_set_bit(WORK_PENDING, &work->pending))
		return false;
	__queue_work(per_cpu_ptr(&worker_pools, cpu), work);
	return true;
}

bool schedule_work(struct work_struct *work)
{
	bool queued = schedule_work_on(get_cpu(), work);

	put_cpu();
	return queued;
}

bool schedule_work_unbound(struct work_struct *work)
{
	if (test_and_set_bit(WORK_PENDING, &work->pending))
		return false;
	__queue_work(&unbound_pool, work);
	return true;
}

static void delayed_work_timer(struct timer_list *timer)
{
	struct delayed_work *dwork = container_of(timer, struct delayed_work, timer);

	__queue_work(this_cpu_ptr(&worker_pools), &dwork->work);
}

void INIT_DELAYED_WORK(struct delayed_work *dwork, work_func_t func)
{
	INIT_WORK(&dwork->work, func);
	timer_setup(&dwork->timer, delayed_work_timer);
}

/* The pending bit is the caller's. */
static void __queue_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	if (delay_ns) {
		mod_timer(&dwork->timer, ktime_get() + delay_ns);
	} else {
		preempt_disable();
		__queue_work(this_cpu_ptr(&worker_pools), &dwork->work);
		preempt_enable();
	}
}

bool schedule_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	if (test_and_set_bit(WORK_PENDING, &dwork->work.pending))
		return false;
	__queue_delayed_work(dwork, delay_ns);
	return true;
}

/* The pool that the item belongs to, locked, or NULL if it was never queued. Interrupts off. */
static struct worker_pool *lock_work_pool(struct work_struct *work)
{
	for (;;) {
		struct worker_pool *pool = READ_ONCE(work->pool);

		if (!pool)
			return NULL;
		spin_lock(&pool->lock);
		if (likely(READ_ONCE(work->pool) == pool))
			return pool;
		spin_unlock(&pool->lock);
	}
}

/*
 * Take the pending bit for the caller, off a timer or a list if need be; true if it was pending
 * there.
 */
static bool grab_pending(struct work_struct *work, struct timer_list *timer)
{
	for (;;) {
		struct worker_pool *pool;
		unsigned long flags;
		bool taken = false;

		if (timer && del_timer(timer))
			return true;
		if (!test_and_set_bit(WORK_PENDING, &work->pending))
			return false;
		local_irq_save(flags);
		pool = lock_work_pool(work);
		if (pool) {
			if (is_queued_on(pool, work)) {
				list_del_init(&work->entry);
				cancel_flushers(pool, work);
				taken = true;
			}
			spin_unlock(&pool->lock);
		}
		local_irq_restore(flags);
		if (taken)
			return true;
		cpu_relax(); /* somebody has set the bit and is about to queue it */
	}
}

bool mod_delayed_work(struct delayed_work *dwork, u64 delay_ns)
{
	bool was_pending = grab_pending(&dwork->work, &dwork->timer);

	__queue_delayed_work(dwork, delay_ns);
	return was_pending;
}

/*
 * queued: wait for an instance that is queued as well as for one that runs; else for the latter
 * only.
 */
static bool wait_for_work(struct work_struct *work, bool queued)
{
	struct flusher flusher = { .work = work };
	struct worker_pool *pool;
	struct worker *worker;

	might_sleep();
	init_completion(&flusher.done);
	local_irq_disable();
	pool = lock_work_pool(work);
	if (!pool) {
		local_irq_enable();
		return false;
	}
	worker = find_worker_executing(pool, work);
	WARN_ON(worker && worker->task == current);
	if (queued && is_queued_on(pool, work)) {
		list_add_tail(&flusher.entry, &pool->flushers);
	} else if (worker) {
		list_add_tail(&flusher.entry, &worker->flushers);
	} else {
		spin_unlock_irq(&pool->lock);
		return false;
	}
	spin_unlock_irq(&pool->lock);
	wait_for_completion(&flusher.done);
	return true;
}

bool flush_work(struct work_struct *work)
{
	return wait_for_work(work, true);
}

static bool __cancel_work_sync(struct work_struct *work, struct timer_list *timer)
{
	bool was_pending = grab_pending(work, timer);

	/* While the bit is ours the function cannot queue its item again. */
	wait_for_work(work, false);
	test_and_clear_bit(WORK_PENDING, &work->pending);
	return was_pending;
}

bool cancel_work_sync(struct work_struct *work)
{
	return __cancel_work_sync(work, NULL);
}

bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
	return __cancel_work_sync(&dwork->work, &dwork->timer);
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

	for_each_possible_cpu (cpu)
		init_pool(per_cpu_ptr(&worker_pools, cpu), cpu);
	init_pool(&unbound_pool, CPU_UNBOUND);
	start_pool(this_cpu_ptr(&worker_pools));
}
