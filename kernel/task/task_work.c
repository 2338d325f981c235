/*
 * Functions that tasks call on their way to user mode. See task_work.h.
 *
 * task_struct.task_works is a list to which any CPU pushes, in any context. Only the task itself
 * takes from it, all at once. So an entry that a pusher has seen as the head may go and come back
 * meanwhile: it is then the head again, and the push is right.
 */
#include "kernel/task/task_work.h"

#include "kernel/errno.h"
#include "kernel/sched/user_work.h"

/* The head of the list of a task that takes no more work. */
static struct callback_head no_more_works;

int task_work_add(struct task_struct *task, struct callback_head *work)
{
	struct callback_head *head;

	do {
		head = READ_ONCE(task->task_works);
		if (head == &no_more_works)
			return -ESRCH;
		work->next = head;
	} while (cmpxchg(&task->task_works, head, work) != head);
	set_user_work(task, USER_WORK_TASK_WORK);
	return 0;
}

static void run_works(struct task_struct *p)
{
	struct callback_head *work = xchg(&p->task_works, NULL), *next;

	for (; work; work = next) {
		next = work->next;
		work->func(work);
	}
}

void task_work_run(void)
{
	clear_user_work(current, USER_WORK_TASK_WORK); /* first: new work sets it again */
	run_works(current);
}

void exit_task_works(void)
{
	while (cmpxchg(&current->task_works, NULL, &no_more_works))
		run_works(current);
}
