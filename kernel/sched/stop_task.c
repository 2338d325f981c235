/*
 * The task migration/N of each CPU. It is more urgent than all FIFO tasks, so it takes the CPU from
 * any task. That is how a running task is moved to another CPU.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/init.h"
#include "kernel/sched/mutex.h"
#include "kernel/panic.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/kthread.h"

struct stop_work {
	void (*fn)(void *arg);
	void *arg;
	struct list_head entry; /* [stopper lock] */
	struct completion done;
};

struct stopper {
	spinlock_t lock;
	struct list_head works;   /* [lock] */
	struct task_struct *task; /* [C] */
};

static DEFINE_PER_CPU(struct stopper, stoppers);

static struct stop_work *next_stop_work(struct stopper *stopper)
{
	struct stop_work *work;

	spin_lock_irq(&stopper->lock);
	work = list_first_entry_or_null(&stopper->works, struct stop_work, entry);
	if (work)
		list_del(&work->entry);
	else
		__set_current_state(TASK_INTERRUPTIBLE);
	spin_unlock_irq(&stopper->lock);
	return work;
}

static int stopper_thread(void *data)
{
	struct stopper *stopper = data;

	for (;;) {
		struct stop_work *work = next_stop_work(stopper);

		if (!work) {
			schedule();
			continue;
		}
		work->fn(work->arg);
		complete(&work->done);
	}
	return 0;
}

static void queue_stop_work(unsigned cpu, struct stop_work *work)
{
	struct stopper *stopper = per_cpu_ptr(&stoppers, cpu);

	init_completion(&work->done);
	spin_lock_irq(&stopper->lock);
	list_add_tail(&work->entry, &stopper->works);
	spin_unlock_irq(&stopper->lock);
	wake_up_process(stopper->task);
}

void stop_one_cpu(unsigned cpu, void (*fn)(void *arg), void *arg)
{
	struct stop_work work = { .fn = fn, .arg = arg };

	queue_stop_work(cpu, &work);
	wait_for_completion(&work.done);
}

static void do_nothing(void *unused __unused)
{
}

static DEFINE_MUTEX(synchronize_mutex);
static u64 rounds; /* [synchronize_mutex] begun so far; at most the last one is not complete */

void synchronize_sched(void)
{
	static struct stop_work works[NR_CPUS]; /* [synchronize_mutex] */
	unsigned cpu;
	u64 begun;

	if (!this_cpu_read(stoppers.task))
		return; /* early boot: a single CPU, and its only task is the caller */
	smp_mb();       /* a round that begins later sees the caller's earlier writes */
	begun = READ_ONCE(rounds);
	mutex_lock(&synchronize_mutex);
	if (rounds > begun) {
		/* A whole round has passed during the wait for the mutex: it serves this caller. */
		mutex_unlock(&synchronize_mutex);
		return;
	}
	WRITE_ONCE(rounds, rounds + 1);
	for_each_online_cpu (cpu) {
		works[cpu].fn = do_nothing;
		queue_stop_work(cpu, &works[cpu]);
	}
	for_each_online_cpu (cpu)
		wait_for_completion(&works[cpu].done);
	mutex_unlock(&synchronize_mutex);
}

static int __init stop_task_init(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		struct stopper *stopper = per_cpu_ptr(&stoppers, cpu);

		spin_lock_init(&stopper->lock);
		INIT_LIST_HEAD(&stopper->works);
		stopper->task = kthread_create(stopper_thread, stopper, "migration/%u", cpu);
		if (IS_ERR(stopper->task))
			panic("no memory for migration/%u", cpu);
		kthread_bind(stopper->task, cpu);
		sched_set_stop_task(stopper->task);
		wake_up_process(stopper->task);
	}
	return 0;
}
core_initcall(stop_task_init);
