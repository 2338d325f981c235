/*
 * timerfd: a timer that programs wait for like for a file.
 *
 * The timer itself expires once. A periodic one starts again when a program reads it, or asks for
 * its time; the expirations between are then counted by division.
 */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/clock.h"
#include "kernel/task/cred.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"
#include "kernel/time/timer.h"

#define TFD_TIMER_ABSTIME       1
#define TFD_TIMER_CANCEL_ON_SET 2

static DEFINE_SPINLOCK(cancel_lock); /* L: outside Q; task context */
static LIST_HEAD(cancel_list);

/* Legend: [Q] wait.lock, interrupts off; [C] constant; [M] mutex; [L] cancel_lock. */
struct timerfd {
	wait_queue_head_t wait;
	struct timer_list timer; /* [M] to set and stop */
	struct mutex mutex;      /* one task at a time sets it */
	clockid_t clock;         /* [C] */
	u64 interval;            /* [Q] ns; 0: it expires once */
	struct deadline due;     /* [Q] when it expires, or has expired last */
	u64 ticks;               /* [Q] expirations since the last read */
	bool expired;            /* [Q] periodic: it has expired, and is not started again yet */
	bool may_cancel;         /* [Q] TFD_TIMER_CANCEL_ON_SET */
	bool cancelled;          /* [Q] the clock was set: the next read or settime fails */
	/*
	 * [M] and [L] to write, one of them to read: in cancel_list: TFD_TIMER_CANCEL_ON_SET; or
	 * empty.
	 */
	struct list_head cancel;
};

static void timerfd_expire(struct timer_list *timer)
{
	struct timerfd *t = container_of(timer, struct timerfd, timer);
	unsigned long flags;

	spin_lock_irqsave(&t->wait.lock, flags);
	t->expired = true;
	t->ticks++;
	spin_unlock_irqrestore(&t->wait.lock, flags);
	wake_up_poll(&t->wait, POLLIN);
}

/*
 * Counts what has expired since the timer stopped, and starts it again. As on Linux, the clock may
 * have been set back since: then it expires at the same time again. [Q] held.
 */
static void restart_periodic(struct timerfd *t)
{
	u64 now, missed, *due = &t->due.time;

	if (!t->expired || !t->interval)
		return;
	t->expired = false;
	now = read_timer_clock(t->due.clock);
	if (now < *due) {
		t->ticks--;
	} else {
		missed = (now - *due) / t->interval;
		t->ticks += missed;
		if (__builtin_add_overflow(*due, (missed + 1) * t->interval, due))
			*due = KTIME_MAX - 1;
	}
	mod_timer_on(&t->timer, t->due.clock, *due);
}

/* -ECANCELED once after the clock was set; 0. [Q] held. */
static int take_cancelled(struct timerfd *t)
{
	if (!t->may_cancel || !t->cancelled)
		return 0;
	t->cancelled = false;
	return -ECANCELED;
}

static ssize_t timerfd_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct timerfd *t = file->private_data;
	u64 ticks = 0;
	int err = 0;

	(void)pos;
	if (count < sizeof(ticks))
		return -EINVAL;
	while (!ticks) { /* another task may be faster, or set the timer */
		if (file->f_flags & O_NONBLOCK)
			err = READ_ONCE(t->ticks) ? 0 : -EAGAIN;
		else
			err = wait_event_interruptible(t->wait, READ_ONCE(t->ticks));
		if (err)
			return err;
		spin_lock_irq(&t->wait.lock);
		err = take_cancelled(t);
		if (err)
			t->expired = false; /* the program has to set it anew */
		else if (t->ticks)
			restart_periodic(t);
		ticks = t->ticks;
		t->ticks = 0;
		spin_unlock_irq(&t->wait.lock);
		if (err)
			return err;
	}
	memcpy(buf, &ticks, sizeof(ticks));
	return sizeof(ticks);
}

static unsigned timerfd_poll(struct file *file, struct poll_table_struct *wait)
{
	struct timerfd *t = file->private_data;

	poll_wait(file, &t->wait, wait);
	return READ_ONCE(t->ticks) ? POLLIN : 0;
}

static int timerfd_release(struct inode *inode, struct file *file)
{
	struct timerfd *t = file->private_data;

	(void)inode;
	del_timer_sync(&t->timer);
	spin_lock(&cancel_lock);
	list_del(&t->cancel);
	spin_unlock(&cancel_lock);
	kfree(t);
	return 0;
}

static const struct file_operations timerfd_fops = {
	.read = timerfd_read,
	.poll = timerfd_poll,
	.release = timerfd_release,
	.llseek = noop_llseek,
};

SYSCALL_DEFINE2(timerfd_create, int, clockid, int, flags)
{
	struct timerfd *t;
	int fd;

	if (flags & ~(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	if (clockid != CLOCK_REALTIME && clockid != CLOCK_MONOTONIC && clockid != CLOCK_BOOTTIME &&
	    clockid != CLOCK_REALTIME_ALARM && clockid != CLOCK_BOOTTIME_ALARM)
		return -EINVAL;
	if ((clockid == CLOCK_REALTIME_ALARM || clockid == CLOCK_BOOTTIME_ALARM) &&
	    !capable(CAP_WAKE_ALARM))
		return -EPERM;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	init_waitqueue_head(&t->wait);
	mutex_init(&t->mutex);
	INIT_LIST_HEAD(&t->cancel);
	hrtimer_setup(&t->timer, timerfd_expire, clockid, false);
	t->clock = clockid;
	fd = anon_inode_getfd("[timerfd]", &timerfd_fops, t, O_RDWR | (unsigned)flags);
	if (fd < 0)
		kfree(t);
	return fd;
}

/* The time of day was set: timers that ask for it wake their readers. Task context. */
static void timerfd_clock_was_set(void)
{
	struct timerfd *t;

	spin_lock(&cancel_lock);
	list_for_each_entry (t, &cancel_list, cancel) {
		spin_lock_irq(&t->wait.lock);
		t->cancelled = true;
		t->ticks++;
		spin_unlock_irq(&t->wait.lock);
		wake_up_poll(&t->wait, POLLIN);
	}
	spin_unlock(&cancel_lock);
}

static int timerfd_init(void)
{
	clock_was_set_hook = timerfd_clock_was_set;
	return 0;
}
core_initcall(timerfd_init);

/* Sets whether a set of the time of day cancels the timer, as settime asks for by flags. [M]. */
static bool set_cancel(struct timerfd *t, int flags)
{
	const int both = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	bool real = t->clock == CLOCK_REALTIME || t->clock == CLOCK_REALTIME_ALARM;
	bool may_cancel = real && (flags & both) == both;

	/* Only the task that has the mutex puts the timer into the list, or takes it out. */
	if (may_cancel != list_empty(&t->cancel))
		return may_cancel;
	spin_lock(&cancel_lock);
	list_del(&t->cancel);
	INIT_LIST_HEAD(&t->cancel);
	if (may_cancel)
		list_add(&t->cancel, &cancel_list);
	spin_unlock(&cancel_lock);
	return may_cancel;
}

/* Sets *f to the file of a timerfd: 0, -EBADF, -EINVAL. */
static int get_timerfd(int ufd, struct fd *f)
{
	*f = fdget((unsigned)ufd);
	if (!f->file)
		return -EBADF;
	if (f->file->f_op == &timerfd_fops)
		return 0;
	fdput(*f);
	return -EINVAL;
}

/* What is left until it expires, and its interval. [Q] held. */
static struct __kernel_itimerspec time_left(struct timerfd *t)
{
	struct __kernel_itimerspec left = { .it_interval = ns_to_timespec(t->interval) };
	u64 now;

	restart_periodic(t);
	if (timer_pending(&t->timer)) {
		now = read_timer_clock(t->due.clock);
		left.it_value = ns_to_timespec(t->due.time > now ? t->due.time - now : 1);
	}
	return left;
}

/* 0; -ECANCELED: as read(), but the timer is set. */
static int set_timerfd(struct timerfd *t, int flags, u64 value, u64 interval,
		       struct __kernel_itimerspec *old)
{
	bool may_cancel;
	int err = 0;

	mutex_lock(&t->mutex);
	may_cancel = set_cancel(t, flags);
	spin_lock_irq(&t->wait.lock);
	*old = time_left(t);
	t->interval = 0; /* nothing starts it again */
	spin_unlock_irq(&t->wait.lock);
	del_timer_sync(&t->timer);
	spin_lock_irq(&t->wait.lock);
	t->ticks = 0;
	t->expired = false;
	t->may_cancel = may_cancel;
	t->interval = interval;
	if (value) {
		t->due = make_deadline(t->clock, flags & TFD_TIMER_ABSTIME, value);
		t->timer.relative = !(flags & TFD_TIMER_ABSTIME);
		mod_timer_on(&t->timer, t->due.clock, t->due.time);
		err = take_cancelled(t);
	}
	spin_unlock_irq(&t->wait.lock);
	mutex_unlock(&t->mutex);
	return err;
}

SYSCALL_DEFINE4(timerfd_settime, int, ufd, int, flags, const struct __kernel_itimerspec *, utmr,
		struct __kernel_itimerspec *, otmr)
{
	struct __kernel_itimerspec new, old;
	struct fd f;
	int err;

	if (copy_from_user(&new, utmr, sizeof(new)))
		return -EFAULT;
	if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) ||
	    !timespec_valid(&new.it_value) || !timespec_valid(&new.it_interval))
		return -EINVAL;
	err = get_timerfd(ufd, &f);
	if (err)
		return err;
	err = set_timerfd(f.file->private_data, flags, timespec_to_ns(&new.it_value),
			  timespec_to_ns(&new.it_interval), &old);
	fdput(f);
	if (err)
		return err;
	return otmr && copy_to_user(otmr, &old, sizeof(old)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(timerfd_gettime, int, ufd, struct __kernel_itimerspec *, otmr)
{
	struct __kernel_itimerspec now;
	struct timerfd *t;
	struct fd f;
	int err = get_timerfd(ufd, &f);

	if (err)
		return err;
	t = f.file->private_data;
	spin_lock_irq(&t->wait.lock);
	now = time_left(t);
	spin_unlock_irq(&t->wait.lock);
	fdput(f);
	return copy_to_user(otmr, &now, sizeof(now)) ? -EFAULT : 0;
}
