/*
 * seccomp(2): a task gives up system calls.
 *
 * Filters form a tree: each task has one filter, whose `prev` is the one that it had before, and a
 * child begins with its parent's. So filters are only added. A filter is freed with the last task
 * or filter that refers to it. All filters of a task decide about each call, and the strictest
 * decision counts.
 *
 * A task with a filter, or in strict mode, has SYSCALL_WORK_SECCOMP: its calls come here through
 * syscall_divert(). But a call that all its filters allow, whatever the arguments, does not: the
 * set of these is computed when a filter is added.
 *
 * Locks: a thread may add a filter for the others of its process (TSYNC), so the state of a task is
 * written under siglock. A task reads its own without it: the filter that it finds lives until the
 * task exits, because the new one refers to it. TSYNC leaves out a task with PF_EXITING, so an exit
 * gives the filter back for good.
 */
#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "arch/user/syscall_regs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/process/process.h"
#include "kernel/seccomp/bpf.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/cred.h"
#include "kernel/task/part.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/tracee.h"

/* Operations and flags of seccomp(2). */
#define SECCOMP_SET_MODE_STRICT         0
#define SECCOMP_SET_MODE_FILTER         1
#define SECCOMP_GET_ACTION_AVAIL        2
#define SECCOMP_FILTER_FLAG_TSYNC       1U
#define SECCOMP_FILTER_FLAG_LOG         2U /* nothing is logged: there is no audit */
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW  4U /* there are no mitigations of speculation */
#define SECCOMP_FILTER_FLAG_TSYNC_ESRCH 16U
#define FLAGS_KNOWN                                                                                \
	(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW |    \
	 SECCOMP_FILTER_FLAG_TSYNC_ESRCH)

/* Decisions, the strictest first as signed numbers. */
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#define SECCOMP_RET_KILL_THREAD  0x00000000U
#define SECCOMP_RET_TRAP         0x00030000U
#define SECCOMP_RET_ERRNO        0x00050000U
#define SECCOMP_RET_TRACE        0x7ff00000U
#define SECCOMP_RET_LOG          0x7ffc0000U
#define SECCOMP_RET_ALLOW        0x7fff0000U
#define ACTION(decision)         ((decision)&0xffff0000U)
#define DATA(decision)           ((decision)&0x0000ffffU)

/* Instructions of all filters of a task, and 4 more for each. */
#define MAX_INSNS_PER_PATH 32768U
#define PENALTY            4U

struct seccomp_filter {
	atomic_t users;                      /* [A] tasks, and filters whose prev it is */
	struct seccomp_filter *prev;         /* [C] counted; NULL: the first one */
	struct seccomp_filter *jump;         /* [C] an older one, or itself: see is_among() */
	unsigned depth;                      /* [C] filters from here on */
	u32 all_insns;                       /* [C] of them, with PENALTY */
	u64 allows[(NR_SYSCALLS + 63) / 64]; /* [C] calls that all of them allow in any case */
	u32 length;                          /* [C] */
	struct sock_filter program[];        /* [C] */
};

/* ---- life ---- */

static struct seccomp_filter *get_filter(struct seccomp_filter *filter)
{
	if (filter)
		atomic_inc(&filter->users);
	return filter;
}

static void put_filter(struct seccomp_filter *filter)
{
	while (filter && atomic_dec_and_test(&filter->users)) {
		struct seccomp_filter *prev = filter->prev;

		kvfree(filter);
		filter = prev;
	}
}

/* siglock held, or task is new. Takes over the reference. */
static void set_filter(struct task_struct *task, struct seccomp_filter *filter)
{
	task->seccomp.filter = filter;
	WRITE_ONCE(task->seccomp.allows, filter->allows);
	WRITE_ONCE(task->seccomp.mode, SECCOMP_MODE_FILTER);
	/* A full barrier: a task that sees the bit finds all of this. */
	set_syscall_work(task, SYSCALL_WORK_SECCOMP, 0);
}

/* seccomp_ops.fork(): child enters the lists. L and siglock of the current task held. */
static void fork_state(struct task_struct *child)
{
	if (current->seccomp.mode == SECCOMP_MODE_FILTER) {
		set_filter(child, get_filter(current->seccomp.filter));
		child->no_new_privs = current->no_new_privs; /* TSYNC may have set it just now */
		return;
	}
	child->seccomp.mode = current->seccomp.mode;
	set_syscall_work(child, SYSCALL_WORK_SECCOMP, 0);
}

/*
 * At the exit, not with the last reference: that may go at the end of a task switch, with
 * preemption off, and freeing the memory of a long filter may sleep. A copy that never ran has no
 * filter yet.
 */
static void exit_state(struct task_struct *task)
{
	struct seccomp_filter *filter;

	if (likely(!task->seccomp.filter))
		return;
	spin_lock_irq(&task->sighand->siglock);
	filter = task->seccomp.filter;
	task->seccomp.filter = NULL;
	task->seccomp.allows = NULL;
	spin_unlock_irq(&task->sighand->siglock);
	put_filter(filter);
}

static const struct task_part seccomp_part TASK_PART(seccomp) = { .exit = exit_state };

/* ---- a decision ---- */

static void describe_call(struct seccomp_data *data)
{
	const struct pt_regs *regs = task_pt_regs(current);

	data->nr = (int)regs->orig_ax;
	data->arch = AUDIT_ARCH;
	data->instruction_pointer = regs->ip;
	arch_syscall_args(regs, data->args);
}

/* The strictest decision; of equal ones that of the newest filter. */
static u32 decide(void)
{
	const struct seccomp_filter *filter;
	u32 strictest = SECCOMP_RET_ALLOW;
	struct seccomp_data data;

	describe_call(&data);
	for (filter = current->seccomp.filter; filter; filter = filter->prev) {
		u32 decision = seccomp_bpf_run(filter->program, &data);

		if ((s32)ACTION(decision) < (s32)ACTION(strictest))
			strictest = decision;
	}
	return strictest;
}

static void send_sigsys(u32 decision, int nr, enum sig_handler handler)
{
	struct siginfo info;

	init_siginfo(&info, SIGSYS, SYS_SECCOMP);
	info.si_errno = (int)DATA(decision);
	info.si_call_addr = task_pt_regs(current)->ip;
	info.si_syscall = nr;
	info.si_arch = AUDIT_ARCH;
	force_sig_info(&info, handler);
}

/* The current task dies of SIGSYS, or only this thread of it. */
static void __kill(u32 decision, int nr)
{
	if (ACTION(decision) == SECCOMP_RET_KILL_THREAD && atomic_read(&current->signal->live) != 1)
		do_exit(SIGSYS);
	send_sigsys(decision, nr, HANDLER_EXIT);
}

static bool check_call(long *ret, bool again);

/* The tracer decides: it may change the call, or leave it out (number -1). */
static bool ask_tracer(u32 decision, long *ret)
{
	if (!current->tracee || !ptrace_ops.wants(PTRACE_EVENT_SECCOMP)) {
		*ret = -ENOSYS;
		return false;
	}
	ptrace_ops.event(PTRACE_EVENT_SECCOMP, DATA(decision));
	*ret = -ENOSYS;
	if (fatal_signal_pending(current))
		return false;
	if ((int)task_pt_regs(current)->orig_ax < 0) {
		*ret = (long)task_pt_regs(current)->ax;
		return false;
	}
	return check_call(ret, true); /* the changed call must be allowed, too */
}

/* Whether the call of the registers is made; false: *ret is its result. again: asked before. */
static bool check_call(long *ret, bool again)
{
	u32 decision = decide();
	int nr = (int)task_pt_regs(current)->orig_ax;

	switch (ACTION(decision)) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return true;
	case SECCOMP_RET_ERRNO:
		*ret = -(long)min(DATA(decision), (u32)MAX_ERRNO);
		return false;
	case SECCOMP_RET_TRACE:
		return again || ask_tracer(decision, ret);
	case SECCOMP_RET_TRAP:
		*ret = nr; /* the program finds the registers as before the call */
		send_sigsys(decision, nr, HANDLER_CURRENT);
		return false;
	default: /* also an action that is not known */
		*ret = nr;
		__kill(decision, nr);
		return false;
	}
}

static bool strict_mode_allows(int nr)
{
	return nr == __NR_read || nr == __NR_write || nr == __NR_exit || nr == __NR_rt_sigreturn;
}

/* seccomp_ops.check() */
static bool check(long *ret)
{
	if (current->seccomp.mode == SECCOMP_MODE_FILTER)
		return check_call(ret, false);
	if (!strict_mode_allows((int)task_pt_regs(current)->orig_ax))
		do_exit(SIGKILL);
	return true;
}

/* ---- a new filter ---- */

/* Linux's struct sock_fprog. */
struct sock_fprog {
	u16 length;
	const struct sock_filter __user *filter;
};

static int read_program(struct seccomp_filter *filter, const struct sock_filter __user *from)
{
	u16 *words;
	int error = 0;

	if (copy_from_user(filter->program, from, filter->length * sizeof(*filter->program)))
		return -EFAULT;
	words = kvzalloc(filter->length * sizeof(*words), GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	if (!seccomp_bpf_check(filter->program, filter->length, words))
		error = -EINVAL;
	kvfree(words);
	return error;
}

/* A filter that nobody uses yet, or an ERR_PTR. */
static struct seccomp_filter *prepare_filter(const struct sock_fprog __user *uprog)
{
	struct seccomp_filter *filter;
	struct sock_fprog fprog;
	size_t size;
	int error;

	if (copy_from_user(&fprog, uprog, sizeof(fprog)))
		return ERR_PTR(-EFAULT);
	if (!fprog.filter || !fprog.length || fprog.length > BPF_MAXINSNS)
		return ERR_PTR(-EINVAL);
	if (!current->no_new_privs && !capable(CAP_SYS_ADMIN))
		return ERR_PTR(-EACCES);
	size = sizeof(*filter) + fprog.length * sizeof(*filter->program);
	/* Not an area of vmalloc() for each: to find a hole takes a step for each area. */
	filter = kzalloc(size, GFP_KERNEL | __GFP_NOWARN);
	if (!filter)
		filter = kvzalloc(size, GFP_KERNEL);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	atomic_set(&filter->users, 1);
	filter->length = fprog.length;
	error = read_program(filter, fprog.filter);
	if (!error)
		return filter;
	kvfree(filter);
	return ERR_PTR(error);
}

/* Notes the calls that this filter allows whatever their arguments. */
static void find_allowed(struct seccomp_filter *filter)
{
	struct seccomp_data data = { .arch = AUDIT_ARCH };
	u32 decision;

	for (; data.nr < NR_SYSCALLS; data.nr++) {
		if (seccomp_bpf_is_constant(filter->program, &data, &decision) &&
		    ACTION(decision) == SECCOMP_RET_ALLOW)
			filter->allows[data.nr / 64] |= 1ULL << data.nr % 64;
		cond_resched();
	}
}

/*
 * The older filter to which a new one gets a jump. Its jump leads as far as those of the two
 * before it together, if these are equal; so about 2 * log2(depth) steps lead from a filter to any
 * older one (E. Myers, An applicative random-access stack, 1983).
 */
static struct seccomp_filter *jump_from(struct seccomp_filter *prev)
{
	struct seccomp_filter *jump = prev->jump;

	return prev->depth - jump->depth == jump->depth - jump->jump->depth ? jump->jump : prev;
}

/*
 * Whether a filter is `newest` or an older one. A program may have thousands of filters, and a
 * process thousands of threads that ask this with interrupts off.
 */
static bool is_among(const struct seccomp_filter *filter, const struct seccomp_filter *newest)
{
	while (newest && newest->depth > filter->depth)
		newest = newest->jump->depth >= filter->depth ? newest->jump : newest->prev;
	return newest == filter;
}

/* Puts the filter in front of those of the current task. siglock held. 0 or -ENOMEM. */
static int chain_filter(struct seccomp_filter *filter)
{
	struct seccomp_filter *prev = current->seccomp.filter;

	filter->depth = 1 + (prev ? prev->depth : 0);
	filter->all_insns = filter->length + PENALTY + (prev ? prev->all_insns : 0);
	if (filter->all_insns > MAX_INSNS_PER_PATH)
		return -ENOMEM;
	if (prev)
		for (unsigned i = 0; i < ARRAY_SIZE(filter->allows); i++)
			filter->allows[i] &= prev->allows[i];
	filter->prev = prev;
	filter->jump = prev ? jump_from(prev) : filter;
	return 0;
}

/* Whether the filters of task are some of those of the current task. siglock held. */
static bool may_synchronise(const struct task_struct *task)
{
	if (task->seccomp.mode == SECCOMP_MODE_DISABLED)
		return true;
	if (task->seccomp.mode == SECCOMP_MODE_STRICT)
		return false;
	return is_among(task->seccomp.filter, current->seccomp.filter);
}

/* The PID of a thread with other filters; 0: there is none. L and siglock held. */
static pid_t find_other(void)
{
	const struct task_struct *t;

	list_for_each_entry (t, &current->signal->thread_head, thread_node)
		if (t != current && !(t->flags & PF_EXITING) && !may_synchronise(t))
			return t->pid;
	return 0;
}

/* The other threads get the filter of the current one. L and siglock held. */
static void synchronise(void)
{
	struct task_struct *t;

	list_for_each_entry (t, &current->signal->thread_head, thread_node) {
		struct seccomp_filter *old = t->seccomp.filter;

		if (t == current || (t->flags & PF_EXITING))
			continue;
		set_filter(t, get_filter(current->seccomp.filter));
		put_filter(old); /* not the last reference: the new one has one */
		if (current->no_new_privs)
			t->no_new_privs = true;
	}
}

/* L and siglock held. 0, an errno, or the PID of a thread with other filters. */
static long install_locked(struct seccomp_filter *filter, unsigned flags)
{
	bool all = flags & SECCOMP_FILTER_FLAG_TSYNC;
	pid_t other = all ? find_other() : 0;
	int error;

	if (current->seccomp.mode == SECCOMP_MODE_STRICT)
		return -EINVAL;
	if (other)
		return flags & SECCOMP_FILTER_FLAG_TSYNC_ESRCH ? -ESRCH : other;
	error = chain_filter(filter);
	if (error)
		return error;
	set_filter(current, filter); /* prev has the reference that the task had */
	if (all)
		synchronise();
	return 0;
}

static long set_mode_filter(unsigned flags, const void __user *uprog)
{
	struct seccomp_filter *filter;
	long ret;

	if (flags & ~FLAGS_KNOWN)
		return -EINVAL;
	filter = prepare_filter(uprog);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	find_allowed(filter);
	spin_lock(&tasklist_lock);
	spin_lock_irq(&current->sighand->siglock);
	ret = install_locked(filter, flags);
	spin_unlock_irq(&current->sighand->siglock);
	spin_unlock(&tasklist_lock);
	if (ret) {
		filter->prev = NULL;
		put_filter(filter);
	}
	return ret;
}

static long set_mode_strict(void)
{
	long ret = -EINVAL;

	spin_lock_irq(&current->sighand->siglock);
	if (current->seccomp.mode != SECCOMP_MODE_FILTER) {
		current->seccomp.mode = SECCOMP_MODE_STRICT;
		set_syscall_work(current, SYSCALL_WORK_SECCOMP, 0);
		ret = 0;
	}
	spin_unlock_irq(&current->sighand->siglock);
	return ret;
}

static long get_action_avail(const void __user *uaction)
{
	u32 action;

	if (copy_from_user(&action, uaction, sizeof(action)))
		return -EFAULT;
	switch (action) {
	case SECCOMP_RET_KILL_PROCESS:
	case SECCOMP_RET_KILL_THREAD:
	case SECCOMP_RET_TRAP:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ALLOW:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- the calls ---- */

/* No descriptor tells a supervisor of calls (SECCOMP_FILTER_FLAG_NEW_LISTENER). */
SYSCALL_DEFINE3(seccomp, unsigned int, op, unsigned int, flags, void __user *, uargs)
{
	switch (op) {
	case SECCOMP_SET_MODE_STRICT:
		return flags || uargs ? -EINVAL : set_mode_strict();
	case SECCOMP_SET_MODE_FILTER:
		return set_mode_filter(flags, uargs);
	case SECCOMP_GET_ACTION_AVAIL:
		return flags ? -EINVAL : get_action_avail(uargs);
	default:
		return -EINVAL;
	}
}

/* seccomp_ops.set_mode(): prctl(PR_SET_SECCOMP). */
static long set_mode(unsigned long mode, const void __user *filter)
{
	switch (mode) {
	case SECCOMP_MODE_STRICT:
		return set_mode_strict();
	case SECCOMP_MODE_FILTER:
		return set_mode_filter(0, filter);
	default:
		return -EINVAL;
	}
}

/* seccomp_ops.count() */
static unsigned count_filters(struct task_struct *task)
{
	unsigned long flags;
	unsigned n = 0;

	if (!lock_task_sighand(task, &flags))
		return 0;
	if (task->seccomp.filter)
		n = task->seccomp.filter->depth;
	unlock_task_sighand(task, flags);
	return n;
}

/*
 * seccomp_ops.memory(). The users of a thread's newest filter share it and all older ones. Threads
 * with the same filter so count it once, and an older filter that several newer ones share counts
 * more than once: too much, but never too little.
 */
static unsigned long filter_memory(struct task_struct *p)
{
	const struct task_struct *t;
	unsigned long flags, sum = 0;

	if (!lock_task_sighand(p, &flags))
		return 0;
	list_for_each_entry (t, &p->signal->thread_head, thread_node) {
		const struct seccomp_filter *f = t->seccomp.filter;

		if (f)
			sum += (f->depth * sizeof(*f) + f->all_insns * sizeof(*f->program)) /
			       (unsigned)atomic_read(&f->users);
	}
	unlock_task_sighand(p, flags);
	return sum;
}

static const struct seccomp_ops ops = {
	.fork = fork_state,
	.check = check,
	.set_mode = set_mode,
	.count = count_filters,
	.memory = filter_memory,
};

static int __init seccomp_init(void)
{
	seccomp_ops = &ops;
	return 0;
}
early_initcall(seccomp_init);
