/* Answers of the scheduler to other rooms: about the current task, about a task, about a CPU. */
#include "kernel/sched/runqueue.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/current.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"

const char *current_comm(void)
{
	return current->comm;
}

#ifdef CONFIG_DEBUG
pid_t current_pid(void)
{
	return current->pid;
}

struct held_locks *current_held_locks(void)
{
	return &current->held_locks;
}
#endif

u64 sched_pass_count(unsigned cpu)
{
	return READ_ONCE(cpu_rq(cpu)->nr_switches) + READ_ONCE(cpu_rq(cpu)->same_picked);
}

struct task_struct *idle_task(unsigned cpu)
{
	return cpu_rq(cpu)->idle;
}

void task_call_func(struct task_struct *p,
		    void (*fn)(struct task_struct *p, bool asleep, void *arg), void *arg)
{
	unsigned long flags;
	struct runqueue *rq = task_rq_lock(p, &flags);

	fn(p, !p->on_rq, arg);
	task_rq_unlock(rq, p, flags);
}

bool idle_cpu(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);

	return READ_ONCE(rq->curr) == rq->idle && !READ_ONCE(rq->nr_running);
}

#ifdef CONFIG_DEBUG
void __might_sleep(const char *file, int line)
{
	if (preemptible() || current->pid == 0)
		return;
	printk(KERN_ERR "BUG: sleeping function called from invalid context at %s:%d\n", file,
	       line);
	printk(KERN_ERR "in_atomic(): %d, irqs_disabled(): %d, pid: %d, name: %s\n", in_atomic(),
	       irqs_disabled(), current->pid, current->comm);
	dump_stack();
}
#endif

void kick_process(struct task_struct *p)
{
	unsigned cpu;

	preempt_disable();
	cpu = READ_ONCE(p->cpu);
	if (cpu != smp_processor_id() && READ_ONCE(p->on_cpu))
		smp_send_reschedule(cpu);
	preempt_enable();
}
