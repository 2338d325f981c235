/* One call that waits until a task makes it: kernel/task/task_work.h. */
#pragma once

/* The memory belongs to the caller of task_work_add(), until func runs. */
struct callback_head {
	struct callback_head *next; /* of task_work.c */
	/*
	 * Task context, in the task, without a lock: before the signals of the task are handled, so
	 * that it may send some. If the task ends, it has no user memory and no files any more.
	 * func may free the struct, and may add work.
	 */
	void (*func)(struct callback_head *work);
};
