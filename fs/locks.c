/*
 * Locks on files. See locks.h.
 *
 * All locks of all files are in one list, with one lock of its own. Few programs use locks, and
 * those hold few, so the list is short; a file without locks costs one test of its inode when it is
 * closed.
 *
 * A range is split or joined as its owner sets parts of it: set_range() first cuts the new range
 * out of the owner's locks, then adds it.
 */
#include "fs/locks.h"
#include "arch/uaccess.h"
#include "fs/file.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/wait.h"
#include "kernel/syscalls/syscalls.h"

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

#define LOCK_SH   1
#define LOCK_EX   2
#define LOCK_NB   4
#define LOCK_UN   8
#define LOCK_MAND 32

#define OFFSET_MAX ((loff_t)(~0ULL >> 1))

/* The argument of fcntl(2). */
struct flock {
	short l_type;
	short l_whence;
	loff_t l_start;
	loff_t l_len;
	int l_pid;
};

/* Legend: [G] locks_mutex. */
struct file_lock {
	struct list_head list; /* [G] in all_locks */
	struct inode *inode;   /* [G] the file; no reference: an open file has one */
	void *owner;           /* [G] a files_struct, or a struct file */
	bool flock;            /* [G] of flock(2), which the others do not see */
	short type;            /* [G] F_RDLCK or F_WRLCK */
	int pid;               /* [G] for F_GETLK; -1: an open file */
	loff_t start, end;     /* [G] the first and the last byte */
};

static DEFINE_MUTEX(locks_mutex);
static LIST_HEAD(all_locks);               /* [G] */
static DECLARE_WAIT_QUEUE_HEAD(lock_wait); /* tasks that wait for any lock */

/* The tasks that wait, to find a circle of them. [G] */
struct lock_waiter {
	struct list_head list;
	void *owner, *blocker;
};
static LIST_HEAD(waiters);

static bool conflicts(const struct file_lock *have, const struct file_lock *want)
{
	return have->inode == want->inode && have->flock == want->flock &&
	       have->owner != want->owner && (have->type == F_WRLCK || want->type == F_WRLCK) &&
	       have->start <= want->end && want->start <= have->end;
}

/* locks_mutex is held. */
static struct file_lock *find_conflict(const struct file_lock *want)
{
	struct file_lock *lock;

	list_for_each_entry (lock, &all_locks, list)
		if (conflicts(lock, want))
			return lock;
	return NULL;
}

/*
 * Would owner wait for itself if it waited for blocker? Asked for processes only, as on Linux:
 * several tasks may use an open file, and one of them may unlock what another one waits for.
 * locks_mutex is held.
 */
static bool is_deadlock(void *owner, void *blocker)
{
	struct lock_waiter *waiter;

	for (unsigned depth = 0; depth < 16; depth++) {
		void *next = NULL;

		if (blocker == owner)
			return true;
		list_for_each_entry (waiter, &waiters, list)
			if (waiter->owner == blocker)
				next = waiter->blocker;
		if (!next)
			return false;
		blocker = next;
	}
	return false;
}

static bool same_owner(const struct file_lock *a, const struct file_lock *b)
{
	return a->inode == b->inode && a->owner == b->owner && a->flock == b->flock;
}

/* The locks of one owner are in the order of their ranges: F_GETLK tells the first. */
static void add_lock(struct file_lock *lock, const struct file_lock *like)
{
	struct list_head *after = all_locks.prev;
	struct file_lock *other;

	list_for_each_entry (other, &all_locks, list) {
		if (!same_owner(other, like))
			continue;
		after = other->start < like->start ? &other->list : other->list.prev;
		if (other->start >= like->start)
			break;
	}
	*lock = *like;
	list_add(&lock->list, after);
	atomic_set(&lock->inode->i_has_locks, 1);
}

static void remove_lock(struct file_lock *lock)
{
	list_del(&lock->list);
	kfree(lock);
}

/*
 * Cuts the range of want out of the locks of its owner, and joins neighbours of the same type to
 * want. *spare is used if a lock must be split. locks_mutex is held.
 */
static void cut_out(struct file_lock *want, struct file_lock **spare)
{
	struct file_lock *lock, *next;

	list_for_each_entry_safe (lock, next, &all_locks, list) {
		if (!same_owner(lock, want))
			continue;
		if (lock->type == want->type) {
			bool touches = (lock->end == OFFSET_MAX || lock->end + 1 >= want->start) &&
				       (want->end == OFFSET_MAX || want->end + 1 >= lock->start);

			if (!touches)
				continue;
			want->start = min(want->start, lock->start);
			want->end = max(want->end, lock->end);
			remove_lock(lock);
			continue;
		}
		if (lock->end < want->start || lock->start > want->end)
			continue;
		if (lock->start < want->start && lock->end > want->end) {
			struct file_lock rest = *lock;

			rest.start = want->end + 1;
			lock->end = want->start - 1;
			add_lock(*spare, &rest);
			*spare = NULL;
		} else if (lock->start < want->start) {
			lock->end = want->start - 1;
		} else if (lock->end > want->end) {
			lock->start = want->end + 1;
		} else {
			remove_lock(lock);
		}
	}
}

/* Sleeps until some lock is removed. Releases locks_mutex meanwhile. 0, or interrupted_error(). */
static long wait_for_locks(void)
{
	DEFINE_WAIT(wait);
	long err = 0;

	prepare_to_wait(&lock_wait, &wait, TASK_INTERRUPTIBLE);
	mutex_unlock(&locks_mutex);
	if (signal_pending(current))
		err = interrupted_error();
	else
		schedule();
	finish_wait(&lock_wait, &wait);
	mutex_lock(&locks_mutex);
	return err;
}

/* Sets or (F_UNLCK) removes a range. wait: sleeps until it is free. */
static long set_lock(struct file_lock *want, bool wait)
{
	struct file_lock *new = kmalloc(sizeof(*new), GFP_KERNEL);
	struct file_lock *spare = kmalloc(sizeof(*spare), GFP_KERNEL);
	struct file_lock *blocker;
	long err = -ENOMEM;

	if (!new || !spare)
		goto out;
	mutex_lock(&locks_mutex);
	/* flock(2) converts in two steps: the old lock is gone even if the new one is refused. */
	if (want->flock) {
		cut_out(want, &spare);
		wake_up_all(&lock_wait);
	}
	while (want->type != F_UNLCK && (blocker = find_conflict(want))) {
		struct lock_waiter waiter = { .owner = want->owner, .blocker = blocker->owner };

		err = -EAGAIN;
		if (wait && want->pid > 0 && is_deadlock(want->owner, blocker->owner))
			err = -EDEADLK;
		else if (wait)
			err = 0;
		if (err)
			goto unlock;
		list_add(&waiter.list, &waiters);
		err = wait_for_locks();
		list_del(&waiter.list);
		if (err)
			goto unlock;
	}
	cut_out(want, &spare);
	if (want->type != F_UNLCK) {
		add_lock(new, want);
		new = NULL;
	}
	err = 0;
	wake_up_all(&lock_wait);
unlock:
	mutex_unlock(&locks_mutex);
out:
	kfree(new);
	kfree(spare);
	return err;
}

/* ---- removal ---- */

static void remove_locks_of(struct inode *inode, void *owner)
{
	struct file_lock *lock, *next;
	bool removed = false, more = false;

	if (likely(!atomic_read(&inode->i_has_locks)))
		return;
	mutex_lock(&locks_mutex);
	list_for_each_entry_safe (lock, next, &all_locks, list) {
		if (lock->inode != inode)
			continue;
		if (lock->owner == owner) {
			remove_lock(lock);
			removed = true;
		} else {
			more = true;
		}
	}
	if (!more)
		atomic_set(&inode->i_has_locks, 0);
	if (removed)
		wake_up_all(&lock_wait);
	mutex_unlock(&locks_mutex);
}

void locks_remove_posix(struct file *file, void *owner)
{
	remove_locks_of(file->f_inode, owner);
}

void locks_remove_file(struct file *file)
{
	remove_locks_of(file->f_inode, file);
}

/* ---- fcntl ---- */

/* Computes the range that a program gives. 0, -EINVAL or -EOVERFLOW. */
static int lock_range(const struct file *file, const struct flock *fl, struct file_lock *lock)
{
	loff_t start;

	switch (fl->l_whence) {
	case SEEK_SET:
		start = 0;
		break;
	case SEEK_CUR:
		start = file->f_pos;
		break;
	case SEEK_END:
		start = file->f_inode->i_size;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(start, fl->l_start, &start))
		return -EOVERFLOW;
	if (start < 0)
		return -EINVAL;
	lock->start = start;
	lock->end = OFFSET_MAX;
	if (fl->l_len > 0) {
		if (__builtin_add_overflow(start, fl->l_len - 1, &lock->end))
			return -EOVERFLOW;
	} else if (fl->l_len < 0) {
		if (start + fl->l_len < 0)
			return -EINVAL;
		lock->start = start + fl->l_len;
		lock->end = start - 1;
	}
	return 0;
}

static long get_lock(struct file_lock *want, struct flock *fl)
{
	struct file_lock *have;

	mutex_lock(&locks_mutex);
	have = find_conflict(want);
	if (have) {
		fl->l_type = have->type;
		fl->l_whence = SEEK_SET;
		fl->l_start = have->start;
		fl->l_len = have->end == OFFSET_MAX ? 0 : have->end - have->start + 1;
		fl->l_pid = have->pid;
	} else {
		fl->l_type = F_UNLCK;
	}
	mutex_unlock(&locks_mutex);
	return 0;
}

/*
 * A thread that waits for a lock may find that another thread has closed the descriptor meanwhile.
 * That close has dropped the locks of the process on the file before this one was there.
 */
static long drop_if_closed(unsigned fd, struct file *file)
{
	struct file *now = fget_raw(fd);

	if (now)
		fput(now);
	if (now == file)
		return 0;
	locks_remove_posix(file, current->files);
	return -EBADF;
}

long fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg)
{
	bool of_file = cmd >= F_OFD_GETLK;
	struct file_lock want = {
		.inode = file->f_inode,
		.owner = of_file ? (void *)file : (void *)current->files,
		.pid = of_file ? -1 : current->tgid,
	};
	struct flock fl;
	long err;

	if (copy_from_user(&fl, arg, sizeof(fl)))
		return -EFAULT;
	if (of_file && fl.l_pid)
		return -EINVAL;
	if (fl.l_type != F_RDLCK && fl.l_type != F_WRLCK && fl.l_type != F_UNLCK)
		return -EINVAL;
	want.type = fl.l_type;
	err = lock_range(file, &fl, &want);
	if (err)
		return err;
	if (cmd == F_GETLK || cmd == F_OFD_GETLK) {
		if (want.type == F_UNLCK)
			return -EINVAL;
		err = get_lock(&want, &fl);
		return copy_to_user(arg, &fl, sizeof(fl)) ? -EFAULT : err;
	}
	if ((want.type == F_RDLCK && !(file->f_mode & FMODE_READ)) ||
	    (want.type == F_WRLCK && !(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	err = set_lock(&want, cmd == F_SETLKW || cmd == F_OFD_SETLKW);
	return err || of_file || want.type == F_UNLCK ? err : drop_if_closed(fd, file);
}

SYSCALL_DEFINE2(flock, unsigned int, fd, unsigned int, cmd)
{
	struct file_lock want = { .flock = true, .end = OFFSET_MAX, .pid = -1 };
	struct fd f = fdget(fd);
	long err = 0;

	if (!f.file)
		return -EBADF;
	if (cmd & LOCK_MAND) { /* Linux ignores it, too */
		fdput(f);
		return 0;
	}
	switch (cmd & ~(unsigned)LOCK_NB) {
	case LOCK_SH:
		want.type = F_RDLCK;
		break;
	case LOCK_EX:
		want.type = F_WRLCK;
		break;
	case LOCK_UN:
		want.type = F_UNLCK;
		break;
	default:
		err = -EINVAL;
	}
	if (!err) {
		want.inode = f.file->f_inode;
		want.owner = f.file;
		err = set_lock(&want, !(cmd & LOCK_NB));
	}
	fdput(f);
	return err;
}
