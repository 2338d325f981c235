/*
 * The task migration/N of each CPU, FIFO 99: it takes the CPU from whatever runs there, which is
 * how a running task is moved to another CPU.
 */
#include "kernel/sched/runqueue.h"

#include "kernel/init.h"
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

void stop_one_cpu(unsigned cpu, void (*fn)(void *arg), void *arg)
{
	struct stopper *stopper = per_cpu_ptr(&stoppers, cpu);
	struct stop_work work = { .fn = fn, .arg = arg };

	init_completion(&work.done);
	spin_lock_irq(&stopper->lock);
	list_add_tail(&work.entry, &stopper->works);
	spin_unlock_irq(&stopper->lock);
	wake_up_process(stopper->task);
	wait_for_completion(&work.done);
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
		sched_setscheduler(stopper->task, SCHED_FIFO, MAX_RT_PRIO - 1);
		wake_up_process(stopper->task);
	}
	return 0;
}
core_initcall(stop_task_init);
