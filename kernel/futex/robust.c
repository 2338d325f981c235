/* The end of a task that has locks: robust lists, and locks with priority inheritance. */
#include "kernel/futex/internal.h"

#define ROBUST_LIST_LIMIT 2048 /* a list may be damaged, and be a ring */

/* struct robust_list_head of set_robust_list(2): a list in user memory. */
struct robust_list_head {
	u64 list;            /* the first entry; the head itself ends the list */
	s64 futex_offset;    /* from an entry to its lock word */
	u64 list_op_pending; /* a lock that is being taken or released */
};
#define LIST_PI 1UL /* in an entry: the lock has priority inheritance */

/* The task that holds this lock ends. */
static void owner_died(u32 __user *uaddr, pid_t pid, bool pi, bool pending)
{
	u32 old, now;

	if ((unsigned long)uaddr % sizeof(u32) || !access_ok(uaddr, sizeof(u32)))
		return;
	if (get_user(old, uaddr))
		return;
	/* The owner has released the lock, but may not have woken a waiter yet. */
	if (pending && !pi && !old)
		(void)futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
	while ((old & FUTEX_TID_MASK) == (u32)pid) {
		now = old;
		if (cmpxchg_user(uaddr, &now, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED)) {
			if (fault_in_writable(uaddr))
				break;
			continue;
		}
		if (now == old) {
			if (!pi && (old & FUTEX_WAITERS)) /* pi: rt_mutex_exit() */
				(void)futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
			break;
		}
		old = now;
	}
}

static void release_entry(const struct robust_list_head *head, u64 entry, pid_t pid, bool pending)
{
	owner_died((u32 __user *)((entry & ~LIST_PI) + (u64)head->futex_offset), pid,
		   entry & LIST_PI, pending);
}

/*
 * The current task ends, and still has its memory: marks the locks that it holds (its robust list)
 * as owned by a dead task, and wakes a waiter of each.
 */
static void exit_robust_list(struct task_struct *tsk)
{
	const struct robust_list_head __user *uhead = tsk->robust_list;
	struct robust_list_head head;

	tsk->robust_list = NULL;
	if (copy_from_user(&head, uhead, sizeof(head)))
		return;
	for (unsigned i = 0;
	     i < ROBUST_LIST_LIMIT && (head.list & ~LIST_PI) != (u64)(uintptr_t)uhead; i++) {
		u64 entry = head.list;
		bool failed = get_user(head.list, (u64 __user *)(entry & ~LIST_PI)) != 0;

		if ((entry & ~LIST_PI) != (head.list_op_pending & ~LIST_PI))
			release_entry(&head, entry, tsk->pid, false);
		if (failed)
			return;
		cond_resched();
	}
	if (head.list_op_pending & ~LIST_PI)
		release_entry(&head, head.list_op_pending, tsk->pid, true);
}

void futex_exit(struct task_struct *tsk)
{
	if (tsk->robust_list)
		exit_robust_list(tsk);
	rt_mutex_exit(tsk);
}
