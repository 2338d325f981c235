/* Kernel tasks: kernel threads, PID 1, and the idle tasks. */
#include "kernel/sched/fork.h"

#include "arch/cpu/switch.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/panic.h"
#include "kernel/task/clone_flags.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/task/task.h"

void kernel_task_entry(void)
{
	int code = current->thread_fn(current->thread_data);

	if (!current->mm) /* else it has called exec, and goes on as a program */
		do_exit((code & 0xff) << 8);
}

/* Adds p, a process of one task, to its parent and to the names of its kind. */
static void publish_kernel_task(struct task_struct *p, struct pid *pid)
{
	spin_lock(&tasklist_lock);
	add_to_task_list(p, pid);
	p->real_parent = &init_task;
	list_add_tail(&p->sibling, &init_task.children);
	list_add_tail(&p->thread_node, &p->signal->thread_head);
	attach_pid(p, PIDTYPE_TGID, pid);
	attach_pid(p, PIDTYPE_PGID, &init_struct_pid);
	attach_pid(p, PIDTYPE_SID, &init_struct_pid);
	if (pid->nr == 1) {
		child_reaper = p;
		p->signal->flags |= SIGNAL_UNKILLABLE;
	}
	spin_unlock(&tasklist_lock);
	new_task_parts(p);
}

/* A new task without a number, with the credentials and the signal handlers of kernel tasks. */
static struct task_struct *alloc_kernel_task(const char *comm)
{
	struct signal_struct *signal = alloc_signal_struct();
	struct task_struct *p;

	if (!signal)
		return NULL;
	p = alloc_task(comm, signal);
	if (!p) {
		put_signal_struct(signal);
		return NULL;
	}
	copy_creds(p, &init_cred);
	atomic_inc(&init_sighand.count);
	p->sighand = &init_sighand;
	p->timer_slack_ns = p->default_timer_slack_ns = init_task.timer_slack_ns;
	return p;
}

/* flags: PF_KTHREAD, or PF_FORKNOEXEC for a task that may become a program. Or ERR_PTR. */
static struct task_struct *create_kernel_task(int (*fn)(void *data), void *data, const char *comm,
					      void (*entry)(void), unsigned flags)
{
	struct task_struct *p = alloc_kernel_task(comm);
	struct pid *pid;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->flags = flags;
	p->exit_signal = flags & PF_KTHREAD ? -1 : 0; /* nothing waits for a kernel thread */
	p->thread_fn = fn;
	p->thread_data = data;
	arch_setup_new_task(p, entry);
	pid = alloc_pid();
	if (IS_ERR(pid)) {
		atomic_dec(&init_sighand.count);
		uncount_process(p);
		free_task(p);
		return ERR_PTR(PTR_ERR(pid));
	}
	publish_kernel_task(p, pid);
	trace_task_newtask(p, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED);
	trace_sched_process_fork(&init_task, p);
	return p;
}

struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void))
{
	return create_kernel_task(fn, data, comm, entry, PF_KTHREAD);
}

void start_init_task(int (*fn)(void *data))
{
	struct task_struct *p =
		create_kernel_task(fn, NULL, "init", kernel_task_entry, PF_FORKNOEXEC);

	if (IS_ERR(p))
		panic("no memory for the first task");
	wake_up_new_task(p);
}

struct task_struct *fork_idle(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);
	char comm[TASK_COMM_LEN];
	struct task_struct *p;

	snprintf(comm, sizeof(comm), "swapper/%u", cpu);
	p = alloc_kernel_task(comm);
	if (!p)
		return NULL;
	p->flags = PF_KTHREAD | PF_IDLE;
	p->__state = TASK_RUNNING;
	p->on_rq = 1;
	p->on_cpu = 1;
	__set_task_cpu(p, cpu);
	p->nr_cpus_allowed = 1;
	cpumask_clear(&p->cpus_allowed);
	cpumask_set_cpu(cpu, &p->cpus_allowed);
	set_load_weight(p);
	rq->online_since = p->start_time;
	rq->idle = p;
	WRITE_ONCE(rq->curr, p);
	per_cpu(current_task, cpu) = p;
	new_task_parts(p);
	return p;
}
