/* prctl(2) and personality(2): attributes of a task and of its process. */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/process/ptrace.h"
#include "kernel/task/cred.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/signal_struct.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

#define PR_SET_PDEATHSIG       1
#define PR_GET_PDEATHSIG       2
#define PR_GET_DUMPABLE        3
#define PR_SET_DUMPABLE        4
#define PR_GET_KEEPCAPS        7
#define PR_SET_KEEPCAPS        8
#define PR_GET_TIMING          13
#define PR_SET_TIMING          14
#define PR_SET_TIMERSLACK      29
#define PR_GET_TIMERSLACK      30
#define PR_SET_NAME            15
#define PR_GET_NAME            16
#define PR_CAPBSET_READ        23
#define PR_CAPBSET_DROP        24
#define PR_GET_SECUREBITS      27
#define PR_SET_CHILD_SUBREAPER 36
#define PR_GET_CHILD_SUBREAPER 37
#define PR_GET_SECCOMP         21
#define PR_SET_SECCOMP         22
#define PR_SET_NO_NEW_PRIVS    38
#define PR_GET_NO_NEW_PRIVS    39
#define PR_GET_TID_ADDRESS     40
#define PR_SET_PTRACER         0x59616d61

static long set_name(const char __user *name)
{
	char comm[TASK_COMM_LEN];
	long len = strncpy_from_user(comm, name, sizeof(comm) - 1);

	if (len < 0)
		return len;
	comm[len] = '\0';
	set_task_comm(current, comm);
	return 0;
}

static long get_name(char __user *name)
{
	char comm[TASK_COMM_LEN] = "";

	strscpy(comm, current->comm, sizeof(comm));
	return copy_to_user(name, comm, sizeof(comm)) ? -EFAULT : 0;
}

/* Changes one bit of securebits. */
static long set_keepcaps(unsigned long on)
{
	struct cred *new;

	if (on > 1)
		return -EINVAL;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	if (on)
		new->securebits |= SECBIT_KEEP_CAPS;
	else
		new->securebits &= ~SECBIT_KEEP_CAPS;
	return commit_creds(new);
}

static long drop_from_bset(unsigned long cap)
{
	struct cred *new;

	if (!capable(CAP_SETPCAP))
		return -EPERM;
	if (cap > CAP_LAST_CAP)
		return -EINVAL;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	new->cap_bset &= ~BIT(cap);
	return commit_creds(new);
}

/* From now on orphans among the descendants of the process become its children. */
static long set_child_subreaper(bool on)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	current->signal->is_child_subreaper = on;
	/* Existing descendants must look for it, too. A mark too many costs only a search. */
	for_each_task (p)
		if (on && p != current)
			p->signal->has_child_subreaper = true;
	spin_unlock(&tasklist_lock);
	return 0;
}

/* The options that concern credentials. */
static long prctl_cred(int option, unsigned long arg2, unsigned long rest)
{
	switch (option) {
	case PR_GET_KEEPCAPS:
		return !!(current_cred()->securebits & SECBIT_KEEP_CAPS);
	case PR_SET_KEEPCAPS:
		return set_keepcaps(arg2);
	case PR_CAPBSET_READ:
		return arg2 > CAP_LAST_CAP ? -EINVAL : !!(current_cred()->cap_bset & BIT(arg2));
	case PR_CAPBSET_DROP:
		return drop_from_bset(arg2);
	case PR_GET_SECUREBITS:
		return current_cred()->securebits;
	case PR_SET_NO_NEW_PRIVS:
		if (arg2 != 1 || rest)
			return -EINVAL;
		current->no_new_privs = true;
		return 0;
	case PR_GET_NO_NEW_PRIVS:
		return arg2 || rest ? -EINVAL : current->no_new_privs;
	}
	return -EINVAL;
}

SYSCALL_DEFINE5(prctl, int, option, unsigned long, arg2, unsigned long, arg3, unsigned long, arg4,
		unsigned long, arg5)
{
	switch (option) {
	case PR_SET_PDEATHSIG:
		if (arg2 > _NSIG)
			return -EINVAL;
		current->pdeath_signal = (int)arg2;
		return 0;
	case PR_GET_PDEATHSIG:
		return put_user(current->pdeath_signal, (int __user *)arg2);
	case PR_GET_DUMPABLE:
		return READ_ONCE(current->mm->dumpable);
	case PR_SET_DUMPABLE:
		if (arg2 > 1)
			return -EINVAL;
		WRITE_ONCE(current->mm->dumpable, arg2 != 0);
		return 0;
	case PR_SET_TIMERSLACK:
		current->timer_slack_ns = (long)arg2 > 0 ? arg2 : current->default_timer_slack_ns;
		return 0;
	case PR_GET_TIMERSLACK:
		return (long)min(current->timer_slack_ns, (u64)0x7fffffff);
	case PR_GET_TIMING:
		return 0; /* PR_TIMING_STATISTICAL, the only one that Linux has */
	case PR_SET_TIMING:
		return arg2 ? -EINVAL : 0;
	case PR_SET_NAME:
		return set_name((const char __user *)arg2);
	case PR_GET_NAME:
		return get_name((char __user *)arg2);
	case PR_SET_CHILD_SUBREAPER:
		return set_child_subreaper(arg2);
	case PR_GET_CHILD_SUBREAPER:
		return put_user(current->signal->is_child_subreaper ? 1 : 0, (int __user *)arg2);
	case PR_GET_SECCOMP:
		return current->seccomp.mode;
	case PR_SET_SECCOMP:
		return seccomp_ops ? seccomp_ops->set_mode(arg2, (const void __user *)arg3)
				   : -EINVAL;
	case PR_GET_TID_ADDRESS:
		return put_user((unsigned long)current->clear_child_tid,
				(unsigned long __user *)arg2);
	case PR_SET_PTRACER:
		return ptrace_policy_ops ? ptrace_policy_ops->set_ptracer(arg2) : -EINVAL;
	}
	return prctl_cred(option, arg2, arg3 | arg4 | arg5);
}

/* Restricted: only ADDR_NO_RANDOMIZE has an effect. */
SYSCALL_DEFINE1(personality, unsigned int, personality)
{
	unsigned old = current->personality;

	if (personality != 0xffffffff)
		current->personality = personality;
	return old;
}
