/* fork(2), vfork(2), clone(2), clone3(2): how tasks make other tasks, and start them. */
#include "arch/mm/uaccess.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/process/fork.h"
#include "kernel/process/pidfd.h"
#include "kernel/process/ptrace.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/quiescent.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

/* Starts p, a new copy of the current task. */
static void start_child(struct task_struct *p, const struct kernel_clone_args *args)
{
	void (*fork_hook)(struct task_struct * parent, struct task_struct * child);

	trace_task_newtask(p, args->flags);
	trace_sched_process_fork(current, p);
	fork_hook = READ_ONCE(task_fork_hook);
	if (fork_hook)
		fork_hook(current, p);
	wake_up_new_task(p);
}

#define CLONE_NAMESPACES                                                                           \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

/* 0; -EINVAL: flags that contradict each other, or that nop5 does not know; -EPERM. */
static int check_clone_flags(u64 flags)
{
	if (flags & CLONE_INTO_CGROUP)
		return -EINVAL;
	if ((flags & CLONE_FS) && (flags & (CLONE_NEWNS | CLONE_NEWUSER)))
		return -EINVAL;
	if ((flags & CLONE_PIDFD) && (flags & (CLONE_THREAD | CLONE_DETACHED)))
		return -EINVAL;
	if ((flags & CLONE_THREAD) && !(flags & CLONE_SIGHAND))
		return -EINVAL;
	if ((flags & CLONE_SIGHAND) && !(flags & CLONE_VM))
		return -EINVAL;
	if ((flags & CLONE_SIGHAND) && (flags & CLONE_CLEAR_SIGHAND))
		return -EINVAL;
	if ((flags & CLONE_PARENT) && (current->signal->flags & SIGNAL_UNKILLABLE))
		return -EINVAL;
	if ((flags & CLONE_THREAD) && (flags & (CLONE_NEWUSER | CLONE_NEWPID)))
		return -EINVAL;
	if (!(flags & CLONE_NAMESPACES))
		return 0;
	/* As a Linux that was built without them, also to a task that may not make any. */
	return flags & CLONE_NEWUSER || capable(CAP_SYS_ADMIN) ? -EINVAL : -EPERM;
}

/*
 * Sleeps until the child gives up the address space, or the current task is killed: then false.
 */
static bool wait_for_vfork_done(struct task_struct *child, struct completion *done)
{
	if (!wait_for_completion_killable(done))
		return true;
	/*
	 * done lies on this stack. If the child has taken it already, it is about to complete it.
	 */
	if (!xchg(&child->vfork_done, NULL))
		wait_for_completion(done);
	return false;
}

/* The event of this clone, if the tracer of the current task wants it. */
static int clone_event(const struct kernel_clone_args *args)
{
	int event = PTRACE_EVENT_FORK;

	if (args->flags & CLONE_VFORK)
		event = PTRACE_EVENT_VFORK;
	else if (args->exit_signal != SIGCHLD)
		event = PTRACE_EVENT_CLONE;
	return !(args->flags & CLONE_UNTRACED) && ptrace_ops.wants(event) ? event : 0;
}

const struct pidfd_operations *pidfd_ops;

pid_t kernel_clone(struct kernel_clone_args *args)
{
	struct completion vfork_done;
	struct task_struct *p;
	pid_t pid;
	int error = check_clone_flags(args->flags), pidfd = -1;
	struct file *pidfile;

	if (error)
		return error;
	if (args->flags & CLONE_PIDFD) {
		pidfd = pidfd_ops->prepare(&pidfile, 0);
		if (pidfd < 0)
			return pidfd;
		if (put_user(pidfd, args->pidfd)) {
			pidfd_ops->finish(pidfd, pidfile, NULL);
			return -EFAULT;
		}
	}
	if (unlikely(current->tracee))
		args->event = clone_event(args);
	if (args->flags & CLONE_VFORK) {
		init_completion(&vfork_done);
		args->vfork_done = &vfork_done;
	}
	do
		p = copy_process(args);
	while (unlikely(p == ERR_PTR(-ENOMEM)) && out_of_memory_retry());
	if (pidfd >= 0)
		pidfd_ops->finish(pidfd, pidfile, IS_ERR(p) ? NULL : p->thread_pid);
	if (IS_ERR(p))
		return (pid_t)PTR_ERR(p);
	pid = p->pid; /* p may end, but stays until its parent, the caller, waits for it */
	if (args->flags & CLONE_PARENT_SETTID)
		(void)put_user(pid, args->parent_tid); /* Linux ignores a bad address, too */
	if (args->flags & CLONE_VFORK)
		get_task_struct(p);
	start_child(p, args);
	if (unlikely(args->event))
		ptrace_ops.event(args->event, (unsigned)pid);
	if (args->flags & CLONE_VFORK) {
		bool done = wait_for_vfork_done(p, &vfork_done);

		put_task_struct(p);
		if (done && unlikely(current->tracee))
			ptrace_ops.event(PTRACE_EVENT_VFORK_DONE, (unsigned)pid);
	}
	return pid;
}

pid_t kernel_thread(int (*fn)(void *arg), void *arg, const char *comm)
{
	struct kernel_clone_args args = {
		.flags = CLONE_VM | CLONE_UNTRACED,
		.fn = fn,
		.fn_arg = arg,
		.comm = comm,
	};

	syscall_boundary();
	return kernel_clone(&args);
}

SYSCALL_DEFINE0(fork)
{
	struct kernel_clone_args args = { .exit_signal = SIGCHLD };

	return kernel_clone(&args);
}

SYSCALL_DEFINE0(vfork)
{
	struct kernel_clone_args args = { .flags = CLONE_VFORK | CLONE_VM, .exit_signal = SIGCHLD };

	return kernel_clone(&args);
}

/* Restricted: no new namespaces: EINVAL, or EPERM without CAP_SYS_ADMIN. */
SYSCALL_DEFINE5(clone, unsigned long, clone_flags, unsigned long, newsp, int __user *,
		parent_tidptr, int __user *, child_tidptr, unsigned long, tls)
{
	struct kernel_clone_args args = {
		.flags = (u32)clone_flags & ~CSIGNAL,
		.parent_tid = parent_tidptr,
		.pidfd = parent_tidptr,
		.child_tid = child_tidptr,
		.exit_signal = clone_flags & CSIGNAL,
		.stack = newsp,
		.tls = tls,
	};

	/* Both would use the same place. */
	if ((clone_flags & CLONE_PIDFD) && (clone_flags & CLONE_PARENT_SETTID))
		return -EINVAL;
	return kernel_clone(&args);
}

/* struct clone_args of clone3(2), versions 0 to 2. */
struct clone_args {
	u64 flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	u64 set_tid, set_tid_size;
	u64 cgroup;
};
#define CLONE_ARGS_SIZE_VER0 64

static bool clone3_args_valid(const struct clone_args *args)
{
	u64 known = 0x3ffffffffUL & ~CSIGNAL & ~CLONE_DETACHED;

	if ((args->flags & ~known) || args->set_tid || args->set_tid_size)
		return false;
	if ((args->exit_signal & ~CSIGNAL) || args->exit_signal > _NSIG)
		return false;
	if ((args->flags & (CLONE_THREAD | CLONE_PARENT)) && args->exit_signal)
		return false;
	if (!args->stack != !args->stack_size)
		return false;
	return !args->stack || access_ok((void __user *)args->stack, args->stack_size);
}

/* Restricted: no new namespaces, as of clone; no CLONE_INTO_CGROUP (EINVAL) */
SYSCALL_DEFINE2(clone3, struct clone_args __user *, uargs, size_t, size)
{
	struct kernel_clone_args args;
	struct clone_args in;
	int error;

	if (size > PAGE_SIZE)
		return -E2BIG;
	if (size < CLONE_ARGS_SIZE_VER0)
		return -EINVAL;
	error = copy_struct_from_user(&in, sizeof(in), uargs, size);
	if (error)
		return error;
	if (!clone3_args_valid(&in))
		return -EINVAL;
	args = (struct kernel_clone_args){
		.flags = in.flags,
		.pidfd = (int __user *)in.pidfd,
		.parent_tid = (int __user *)in.parent_tid,
		.child_tid = (int __user *)in.child_tid,
		.exit_signal = (int)in.exit_signal,
		.stack = in.stack + in.stack_size,
		.tls = in.tls,
	};
	return kernel_clone(&args);
}

SYSCALL_DEFINE1(set_tid_address, int __user *, tidptr)
{
	current->clear_child_tid = tidptr;
	return current->pid;
}

struct robust_list_head; /* of the C library: set_robust_list(2); 24 bytes */
#define ROBUST_LIST_HEAD_SIZE 24

SYSCALL_DEFINE2(set_robust_list, struct robust_list_head __user *, head, size_t, len)
{
	if (len != ROBUST_LIST_HEAD_SIZE)
		return -EINVAL;
	current->robust_list = head;
	return 0;
}

SYSCALL_DEFINE3(get_robust_list, int, pid, struct robust_list_head __user *__user *, head_ptr,
		size_t __user *, len_ptr)
{
	struct task_struct *p = pid ? find_get_task_by_pid(pid) : get_task_struct(current);
	struct robust_list_head __user *head = NULL;
	long ret = 0;

	if (!p)
		return -ESRCH;
	if (ptrace_may_access(p, PTRACE_MODE_READ_REALCREDS))
		head = p->robust_list;
	else
		ret = -EPERM;
	put_task_struct(p);
	if (ret)
		return ret;
	return put_user((size_t)ROBUST_LIST_HEAD_SIZE, len_ptr) || put_user(head, head_ptr)
		       ? -EFAULT
		       : 0;
}
