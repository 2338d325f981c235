/* PIDs: the numbers in use, tasks by number, the list of all tasks. tasklist_lock protects them. */
#include "kernel/sched/runqueue.h"

#include "kernel/smp.h"

#define PID_MAX       32768 /* as Linux's default pid_max */
#define RESERVED_PIDS 300   /* counting restarts here after PID_MAX - 1 */
#define PID_HASH_SIZE 256

DEFINE_SPINLOCK(tasklist_lock);
LIST_HEAD(task_list);

static unsigned long pid_bitmap[PID_MAX / 64] = { 1 }; /* 0 is the PID of all idle tasks */
static pid_t last_pid_given;
static struct list_head pid_hash[PID_HASH_SIZE];

static struct list_head *pid_bucket(pid_t pid)
{
	struct list_head *bucket = &pid_hash[(unsigned)pid % PID_HASH_SIZE];

	if (!bucket->next)
		INIT_LIST_HEAD(bucket);
	return bucket;
}

pid_t alloc_pid(void)
{
	pid_t pid = last_pid_given;

	for (unsigned tried = 0; tried < PID_MAX; tried++) {
		if (++pid >= PID_MAX)
			pid = RESERVED_PIDS;
		if (test_bit((unsigned)pid, pid_bitmap))
			continue;
		set_bit((unsigned)pid, pid_bitmap);
		last_pid_given = pid;
		return pid;
	}
	return 0;
}

void attach_pid(struct task_struct *p)
{
	list_add_tail(&p->pid_node, pid_bucket(p->pid));
	list_add_tail(&p->tasks, &task_list);
}

void detach_pid(struct task_struct *p)
{
	list_del_init(&p->pid_node);
	list_del_init(&p->tasks);
	clear_bit((unsigned)p->pid, pid_bitmap);
}

struct task_struct *find_task_by_pid(pid_t pid)
{
	struct task_struct *p;

	list_for_each_entry (p, pid_bucket(pid), pid_node)
		if (p->pid == pid)
			return p;
	return NULL;
}

struct task_struct *find_get_task_by_pid(pid_t pid)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	p = find_task_by_pid(pid);
	if (p)
		get_task_struct(p);
	spin_unlock(&tasklist_lock);
	return p;
}

void for_all_tasks(void (*fn)(struct task_struct *p, void *arg), void *arg)
{
	struct task_struct *p;
	unsigned cpu;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		fn(p, arg);
	fn(&init_task, arg); /* of the boot CPU; before sched_init() no run queue has it */
	for_each_possible_cpu (cpu)
		if (idle_task(cpu) && idle_task(cpu) != &init_task)
			fn(idle_task(cpu), arg);
	spin_unlock(&tasklist_lock);
}

pid_t last_pid(void)
{
	return READ_ONCE(last_pid_given);
}
