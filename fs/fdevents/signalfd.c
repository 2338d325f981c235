/*
 * signalfd(2): takes signals of the reading task by read.
 *
 * The queue in which readers and pollers wait belongs to the actions of their process
 * (sighand_struct). An epoll may outlive these; so the end of a sighand_struct wakes its queue with
 * POLLFREE (signalfd_cleanup_hook).
 */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

typedef u64 sigset_t;

struct signalfd {
	u64 blocked; /* the signals that it does not take; read without a lock */
};

/* As a program reads it: signalfd(2). */
struct signalfd_siginfo {
	u32 ssi_signo;
	s32 ssi_errno, ssi_code;
	u32 ssi_pid, ssi_uid;
	s32 ssi_fd;
	u32 ssi_tid, ssi_band, ssi_overrun, ssi_trapno;
	s32 ssi_status, ssi_int;
	u64 ssi_ptr, ssi_utime, ssi_stime, ssi_addr;
	u16 ssi_addr_lsb, pad2;
	s32 ssi_syscall;
	u64 ssi_call_addr;
	u32 ssi_arch;
	u8 pad[28];
};
BUILD_BUG_ON(sizeof(struct signalfd_siginfo) != 128);

static void fill(struct signalfd_siginfo *out, const struct siginfo *info)
{
	memset(out, 0, sizeof(*out));
	out->ssi_signo = (u32)info->si_signo;
	out->ssi_errno = info->si_errno;
	out->ssi_code = info->si_code;
	switch (siginfo_layout(info)) {
	case SIL_TIMER:
		out->ssi_tid = (u32)info->si_tid;
		out->ssi_overrun = (u32)info->si_overrun;
		out->ssi_ptr = info->si_timer_value;
		out->ssi_int = (s32)info->si_timer_value;
		return;
	case SIL_POLL:
		out->ssi_band = (u32)info->si_band;
		out->ssi_fd = info->si_fd;
		return;
	case SIL_FAULT:
		out->ssi_addr = info->si_addr;
		return;
	case SIL_CHLD:
		out->ssi_status = info->si_status;
		out->ssi_utime = (u64)info->si_utime;
		out->ssi_stime = (u64)info->si_stime;
		break;
	case SIL_RT:
		out->ssi_ptr = info->si_value;
		out->ssi_int = (s32)info->si_value;
		break;
	case SIL_KILL:
		break;
	}
	out->ssi_pid = (u32)info->si_pid;
	out->ssi_uid = info->si_uid;
}

/* Takes a signal, and waits for it unless nonblock. Its number, or a negative errno. */
static int take(const struct signalfd *ctx, struct siginfo *info, bool nonblock)
{
	struct sighand_struct *sighand = current->sighand;
	DEFINE_WAIT(wait);
	int ret;

	for (;;) {
		prepare_to_wait(&sighand->signalfd_wqh, &wait, TASK_INTERRUPTIBLE);
		spin_lock_irq(&sighand->siglock);
		ret = dequeue_signal(current, READ_ONCE(ctx->blocked), info);
		spin_unlock_irq(&sighand->siglock);
		if (!ret && nonblock)
			ret = -EAGAIN;
		else if (!ret && signal_pending(current))
			ret = interrupted_error();
		if (ret)
			break;
		schedule();
	}
	finish_wait(&sighand->signalfd_wqh, &wait);
	return ret;
}

static ssize_t signalfd_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct signalfd_siginfo *out = (struct signalfd_siginfo *)buf;
	bool nonblock = file->f_flags & O_NONBLOCK;
	struct siginfo info;
	ssize_t done = 0;
	int sig;

	(void)pos;
	if (count < sizeof(*out))
		return -EINVAL;
	for (; count >= sizeof(*out); count -= sizeof(*out)) {
		sig = take(file->private_data, &info, nonblock || done);
		if (sig < 0)
			return done ? done : sig;
		fill(out++, &info);
		done += (ssize_t)sizeof(*out);
	}
	return done;
}

static unsigned signalfd_poll(struct file *file, struct poll_table_struct *wait)
{
	const struct signalfd *ctx = file->private_data;
	struct sighand_struct *sighand = current->sighand;
	u64 pending;

	poll_wait(file, &sighand->signalfd_wqh, wait);
	/* Under siglock: a later sender sees the entry in the queue. */
	spin_lock_irq(&sighand->siglock);
	pending = pending_unblocked(READ_ONCE(ctx->blocked));
	spin_unlock_irq(&sighand->siglock);
	return pending ? POLLIN : 0;
}

static int signalfd_release(struct inode *inode, struct file *file)
{
	(void)inode;
	kfree(file->private_data);
	return 0;
}

static const struct file_operations signalfd_fops = {
	.read = signalfd_read,
	.poll = signalfd_poll,
	.release = signalfd_release,
	.llseek = noop_llseek,
};

static long change_signalfd(int fd, u64 blocked)
{
	struct fd f = fdget((unsigned)fd);
	struct signalfd *ctx;

	if (!f.file)
		return -EBADF;
	if (f.file->f_op != &signalfd_fops) {
		fdput(f);
		return -EINVAL;
	}
	ctx = f.file->private_data;
	WRITE_ONCE(ctx->blocked, blocked);
	wake_up_all(&current->sighand->signalfd_wqh);
	fdput(f);
	return fd;
}

static long do_signalfd(int fd, const u64 __user *umask, size_t size, int flags)
{
	struct signalfd *ctx;
	u64 mask;

	if (size != sizeof(mask) || (flags & ~(O_CLOEXEC | O_NONBLOCK)))
		return -EINVAL;
	if (copy_from_user(&mask, umask, sizeof(mask)))
		return -EFAULT;
	mask &= ~SIG_KERNEL_ONLY_MASK;
	if (fd != -1)
		return change_signalfd(fd, ~mask);
	ctx = kmalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return -ENOMEM;
	ctx->blocked = ~mask;
	fd = anon_inode_getfd("[signalfd]", &signalfd_fops, ctx, O_RDWR | (unsigned)flags);
	if (fd < 0)
		kfree(ctx);
	return fd;
}

SYSCALL_DEFINE4(signalfd4, int, ufd, sigset_t *, user_mask, size_t, sizemask, int, flags)
{
	return do_signalfd(ufd, user_mask, sizemask, flags);
}

SYSCALL_DEFINE3(signalfd, int, ufd, sigset_t *, user_mask, size_t, sizemask)
{
	return do_signalfd(ufd, user_mask, sizemask, 0);
}

static void signalfd_cleanup(struct sighand_struct *sighand)
{
	wake_up_poll(&sighand->signalfd_wqh, POLLIN | POLLFREE);
}

static int __init signalfd_init(void)
{
	signalfd_cleanup_hook = signalfd_cleanup;
	return 0;
}
core_initcall(signalfd_init);
