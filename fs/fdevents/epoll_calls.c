/* The system calls of epoll: epoll_create1, epoll_ctl, epoll_wait and their kin. */
#include "arch/mm/uaccess.h"
#include "fs/fdevents/eventpoll.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

/* What may come with EPOLLEXCLUSIVE. */
#define EXCLUSIVE_EVENTS (POLLIN | POLLOUT | POLLERR | POLLHUP)
#define EXCLUSIVE_OK     (EXCLUSIVE_EVENTS | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE)
#define EPOLL_MAX_EVENTS (INT32_MAX / (int)sizeof(struct epoll_event))

typedef u64 sigset_t;

SYSCALL_DEFINE1(epoll_create1, int, flags)
{
	return flags & ~O_CLOEXEC ? -EINVAL : eventpoll_create((unsigned)flags);
}

SYSCALL_DEFINE1(epoll_create, int, size)
{
	return size <= 0 ? -EINVAL : eventpoll_create(0);
}

static long do_epoll_ctl(struct file *file, int op, int fd, struct file *target,
			 const struct epoll_event *event)
{
	struct eventpoll *ep = file_eventpoll(file);

	if (!target->f_op->poll)
		return -EPERM;
	if (file == target || !ep)
		return -EINVAL;
	if (op != EPOLL_CTL_DEL && (event->events & EPOLLEXCLUSIVE) &&
	    (op == EPOLL_CTL_MOD || file_eventpoll(target) || (event->events & ~EXCLUSIVE_OK)))
		return -EINVAL;
	switch (op) {
	case EPOLL_CTL_ADD:
		return eventpoll_add(ep, target, fd, event);
	case EPOLL_CTL_MOD:
		return eventpoll_modify(ep, target, fd, event);
	case EPOLL_CTL_DEL:
		return eventpoll_remove(ep, target, fd);
	}
	return -EINVAL;
}

SYSCALL_DEFINE4(epoll_ctl, int, epfd, int, op, int, fd, struct epoll_event *, event)
{
	struct epoll_event given = { 0 };
	struct fd f, target;
	long ret = -EBADF;

	if (op != EPOLL_CTL_DEL && copy_from_user(&given, event, sizeof(given)))
		return -EFAULT;
	f = fdget((unsigned)epfd);
	if (!f.file)
		return -EBADF;
	target = fdget((unsigned)fd);
	if (target.file) {
		ret = do_epoll_ctl(f.file, op, fd, target.file, &given);
		fdput(target);
	}
	fdput(f);
	return ret;
}

static long wait_and_take(struct eventpoll *ep, struct epoll_event __user *events, int max,
			  ktime_t end)
{
	int ret;

	for (;;) {
		ret = eventpoll_take(ep, events, max);
		if (ret)
			return ret;
		ret = eventpoll_wait(ep, end);
		if (ret)
			return ret == -ETIMEDOUT ? 0 : ret;
	}
}

static long do_epoll_wait(int epfd, struct epoll_event __user *events, int max, ktime_t end)
{
	struct eventpoll *ep;
	long ret = -EINVAL;
	struct fd f;

	if (max <= 0 || max > EPOLL_MAX_EVENTS)
		return -EINVAL;
	if (!access_ok(events, (size_t)max * sizeof(*events)))
		return -EFAULT;
	f = fdget((unsigned)epfd);
	if (!f.file)
		return -EBADF;
	ep = file_eventpoll(f.file);
	if (ep)
		ret = wait_and_take(ep, events, max, end);
	fdput(f);
	return ret;
}

static ktime_t end_of_ms(int timeout)
{
	return timeout < 0 ? KTIME_MAX : poll_end((u64)timeout * NSEC_PER_MSEC);
}

SYSCALL_DEFINE4(epoll_wait, int, epfd, struct epoll_event *, events, int, maxevents, int, timeout)
{
	return do_epoll_wait(epfd, events, maxevents, end_of_ms(timeout));
}

static long do_epoll_pwait(int epfd, struct epoll_event __user *events, int max, ktime_t end,
			   const u64 __user *mask, size_t size)
{
	long ret = get_user_sigmask(mask, size);

	if (ret)
		return ret;
	ret = do_epoll_wait(epfd, events, max, end);
	restore_saved_sigmask_unless(ret == -EINTR);
	return ret;
}

SYSCALL_DEFINE6(epoll_pwait, int, epfd, struct epoll_event *, events, int, maxevents, int, timeout,
		const sigset_t *, sigmask, size_t, sigsetsize)
{
	return do_epoll_pwait(epfd, events, maxevents, end_of_ms(timeout), sigmask, sigsetsize);
}

SYSCALL_DEFINE6(epoll_pwait2, int, epfd, struct epoll_event *, events, int, maxevents,
		const struct __kernel_timespec *, timeout, const sigset_t *, sigmask, size_t,
		sigsetsize)
{
	ktime_t end;
	int err = poll_get_timeout(timeout, &end);

	return err ? err : do_epoll_pwait(epfd, events, maxevents, end, sigmask, sigsetsize);
}
