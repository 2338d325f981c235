/*
 * pidfd: a file that stands for a process. It is ready to read when the process has ended. Its
 * private data is the struct pid, so it never stands for another process with the same number.
 */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "fs/proc/proc_fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/task/cred.h"
#include "kernel/process/exit.h"
#include "kernel/task/pid.h"
#include "kernel/process/pidfd.h"
#include "kernel/process/ptrace.h"
#include "kernel/task/signal_struct.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

typedef struct siginfo siginfo_t;

static unsigned pidfd_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pid *pid = file->private_data;
	struct task_struct *leader;
	bool ended;

	poll_wait(file, &pid->wait_pidfd, wait);
	spin_lock(&tasklist_lock);
	leader = pid_task(pid, PIDTYPE_TGID);
	ended = !leader || (leader->exit_state && thread_group_empty(leader));
	spin_unlock(&tasklist_lock);
	return ended ? POLLIN | POLLRDNORM : 0;
}

static int pidfd_release(struct inode *inode, struct file *file)
{
	(void)inode;
	put_pid(file->private_data);
	return 0;
}

/* The number of the process; -1 once it is reaped: another process may have the number. */
static void pidfd_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct pid *pid = file->private_data;
	pid_t nr;

	spin_lock(&tasklist_lock);
	nr = pid_task(pid, PIDTYPE_PID) ? pid->nr : -1;
	spin_unlock(&tasklist_lock);
	seq_printf(m, "Pid:\t%d\nNSpid:\t%d\n", nr, nr);
}

static const struct file_operations pidfd_fops = {
	.poll = pidfd_poll,
	.release = pidfd_release,
	.llseek = noop_llseek,
	.show_fdinfo = pidfd_show_fdinfo,
};

/* Reserves a descriptor, and makes a file that stands for no process yet. */
static int prepare_pidfd(struct file **file, unsigned flags)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	*file = anon_inode_getfile("[pidfd]", &pidfd_fops, NULL, O_RDWR | flags);
	if (!IS_ERR(*file))
		return fd;
	put_unused_fd((unsigned)fd);
	return (int)PTR_ERR(*file);
}

static void finish_pidfd(int fd, struct file *file, struct pid *pid)
{
	if (pid) {
		file->private_data = get_pid(pid);
		fd_install((unsigned)fd, file);
	} else {
		put_unused_fd((unsigned)fd);
		fput(file);
	}
}

SYSCALL_DEFINE2(pidfd_open, pid_t, pid, unsigned int, flags)
{
	struct file *file;
	struct pid *p;
	bool leader;
	int fd;

	if ((flags & ~(unsigned)O_NONBLOCK) || pid <= 0)
		return -EINVAL;
	spin_lock(&tasklist_lock);
	p = get_pid(find_pid(pid));
	leader = p && pid_task(p, PIDTYPE_TGID);
	spin_unlock(&tasklist_lock);
	if (!p)
		return -ESRCH;
	fd = leader ? prepare_pidfd(&file, flags) : -EINVAL;
	if (fd >= 0)
		finish_pidfd(fd, file, p);
	put_pid(p);
	return fd;
}

/* The counted struct pid of a pidfd, and the flags of its file; or an ERR_PTR: -EBADF. */
static struct pid *get_pidfd(int fd, unsigned *f_flags)
{
	struct pid *pid = ERR_PTR(-EBADF);
	struct fd f = fdget((unsigned)fd);

	if (!f.file)
		return pid;
	if (f.file->f_op == &pidfd_fops) {
		pid = get_pid(f.file->private_data);
		*f_flags = f.file->f_flags;
	}
	fdput(f);
	return pid;
}

/* pidfd_send_signal(2) takes a descriptor of the directory /proc/PID as well. */
static struct pid *get_pid_to_signal(int fd)
{
	unsigned flags;
	struct pid *pid = get_pidfd(fd, &flags);
	struct fd f;

	if (pid != ERR_PTR(-EBADF))
		return pid;
	f = fdget((unsigned)fd);
	if (f.file) {
		pid = proc_pid_of_dir(f.file);
		fdput(f);
	}
	return pid;
}

static struct pid *pid_for_wait(int fd, bool *nonblock)
{
	unsigned flags = 0;
	struct pid *pid = get_pidfd(fd, &flags);

	*nonblock = flags & O_NONBLOCK;
	return pid;
}

/* The siginfo to send; only a process itself may choose what looks like one of the kernel. */
static long get_info(struct siginfo *info, const struct siginfo __user *uinfo, int sig,
		     const struct pid *pid)
{
	int err;

	if (!uinfo) {
		fill_kill_info(info, sig, SI_USER);
		return 0;
	}
	err = copy_siginfo_from_user(info, uinfo);
	if (err)
		return err;
	if (info->si_signo != sig)
		return -EINVAL;
	if (current->thread_pid != pid && (info->si_code >= 0 || info->si_code == SI_TKILL))
		return -EPERM;
	return 0;
}

/* Sends info to the process that pid names. Looks again if exec has replaced its leader. */
static long kill_process(const struct siginfo *info, struct pid *pid)
{
	struct task_struct *leader;
	long ret = -ESRCH;

	do {
		spin_lock(&tasklist_lock);
		leader = pid_task(pid, PIDTYPE_TGID);
		if (leader)
			get_task_struct(leader);
		spin_unlock(&tasklist_lock);
		if (!leader)
			break;
		ret = group_send_sig_info(info, leader, PIDTYPE_TGID);
		put_task_struct(leader);
	} while (ret == -ESRCH);
	return ret;
}

SYSCALL_DEFINE4(pidfd_send_signal, int, pidfd, int, sig, siginfo_t *, info, unsigned int, flags)
{
	struct siginfo to_send;
	struct pid *pid;
	long ret;

	if (flags)
		return -EINVAL;
	pid = get_pid_to_signal(pidfd);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	ret = get_info(&to_send, info, sig, pid);
	if (ret)
		goto out;
	ret = kill_process(&to_send, pid);
out:
	put_pid(pid);
	return ret;
}

/* Returns a counted file of the process; -ESRCH, -EPERM, -EBADF. */
static struct file *file_of_process(const struct pid *pid, unsigned fd)
{
	struct task_struct *task;
	struct file *file;
	int err;

	spin_lock(&tasklist_lock);
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	spin_unlock(&tasklist_lock);
	if (!task)
		return ERR_PTR(-ESRCH);
	err = lock_trace(task, PTRACE_MODE_ATTACH_REALCREDS);
	if (err) {
		put_task_struct(task);
		return ERR_PTR(err);
	}
	file = fget_task(task, fd);
	if (!file) /* a task that exits has closed all */
		file = ERR_PTR(READ_ONCE(task->flags) & PF_EXITING ? -ESRCH : -EBADF);
	unlock_trace(task);
	put_task_struct(task);
	return file;
}

SYSCALL_DEFINE3(pidfd_getfd, int, pidfd, int, fd, unsigned int, flags)
{
	unsigned f_flags;
	struct file *file;
	struct pid *pid;
	int ret;

	if (flags)
		return -EINVAL;
	pid = get_pidfd(pidfd, &f_flags);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	file = file_of_process(pid, (unsigned)fd);
	put_pid(pid);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = get_unused_fd_flags(O_CLOEXEC);
	if (ret < 0)
		fput(file);
	else
		fd_install((unsigned)ret, file);
	return ret;
}

static const struct pidfd_operations operations = {
	.prepare = prepare_pidfd,
	.finish = finish_pidfd,
	.get = pid_for_wait,
};

static int __init pidfd_init(void)
{
	pidfd_ops = &operations;
	return 0;
}
core_initcall(pidfd_init);
