/*
 * exec, as far as it concerns the process: threads, signals, credentials.
 *
 * A process with several threads becomes one with a single thread: the one that calls exec. If that
 * is not the leader, it waits until the leader is a zombie, takes over the leader's PID, place
 * among the children of the parent, and children, and releases the leader, which now has the
 * thread's old PID.
 */
#include "kernel/process/exec.h"

#include "kernel/lib/string.h"
#include "kernel/task/capability.h"
#include "kernel/process/exit.h"
#include "kernel/process/fork.h"
#include "kernel/process/part.h"
#include "kernel/task/pid.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"
#include "kernel/signal/signal.h"

DEFINE_LINKER_TABLE(rodata, const struct process_part, process_parts);

void exit_process_parts(void)
{
	for_each_linker_table_entry (part, process_parts)
		if (part->exit)
			part->exit();
}

static void exec_process_parts(void)
{
	for_each_linker_table_entry (part, process_parts)
		if (part->exec)
			part->exec();
}

void new_program_parts(void)
{
	for_each_linker_table_entry (part, process_parts)
		if (part->new_program)
			part->new_program();
}

static void give_parts_to_new_leader(void)
{
	for_each_linker_table_entry (part, process_parts)
		if (part->new_leader)
			part->new_leader();
}

int (*kernel_execve)(const char *path, const char *const *argv, const char *const *envp);

/* Sleeps until signal->notify_count is 0. siglock held; released while it sleeps. */
static int wait_for_threads(struct signal_struct *signal, spinlock_t *siglock)
{
	while (signal->notify_count) {
		set_current_state(TASK_KILLABLE);
		spin_unlock_irq(siglock);
		schedule();
		if (fatal_signal_pending(current))
			return -EAGAIN;
		spin_lock_irq(siglock);
	}
	spin_unlock_irq(siglock);
	return 0;
}

/* Sleeps until the leader is a zombie. Then returns 0 with tasklist_lock held. */
static int wait_for_leader(struct task_struct *leader)
{
	for (;;) {
		spin_lock(&tasklist_lock);
		current->signal->notify_count = -1; /* exit_notify() wakes this task */
		if (leader->exit_state)
			return 0;
		set_current_state(TASK_KILLABLE);
		spin_unlock(&tasklist_lock);
		schedule();
		if (fatal_signal_pending(current))
			return -EAGAIN;
	}
}

/* The two tasks exchange their PIDs. L held. */
static void exchange_pids(struct task_struct *a, struct task_struct *b)
{
	struct pid *pid_a = a->thread_pid, *pid_b = b->thread_pid;
	pid_t nr = a->pid;

	list_move_tail(&a->pid_links[PIDTYPE_PID], &pid_b->tasks[PIDTYPE_PID]);
	list_move_tail(&b->pid_links[PIDTYPE_PID], &pid_a->tasks[PIDTYPE_PID]);
	a->thread_pid = pid_b;
	b->thread_pid = pid_a;
	a->pid = b->pid;
	b->pid = nr;
}

/* The current task takes the place of leader, which is a zombie. L held. */
static void become_leader(struct task_struct *tsk, struct task_struct *leader)
{
	struct task_struct *p;

	exchange_pids(tsk, leader);
	tsk->real_parent = leader->real_parent;
	for (unsigned type = PIDTYPE_TGID; type < PIDTYPE_MAX; type++)
		list_replace_init(&leader->pid_links[type], &tsk->pid_links[type]);
	list_replace_init(&leader->sibling, &tsk->sibling);
	list_for_each_entry (p, &leader->children, sibling)
		p->real_parent = tsk;
	list_splice_tail_init(&leader->children, &tsk->children);
	if (unlikely(child_reaper == leader))
		child_reaper = tsk;
	tsk->start_time = leader->start_time;
	tsk->group_leader = tsk;
	leader->group_leader = tsk;
	tsk->exit_signal = SIGCHLD;
	leader->exit_signal = -1;
	leader->exit_state = EXIT_DEAD;
	if (unlikely(leader->tracee)) /* its tracer waits for it in vain */
		wake_up_all(&leader->tracee->tracer->signal->wait_chldexit);
}

/* The other threads have ended, except the leader. 0, or -EAGAIN. */
static int replace_leader(struct task_struct *tsk)
{
	struct task_struct *leader = tsk->group_leader;
	int error = wait_for_leader(leader);

	if (error)
		return error;
	become_leader(tsk, leader);
	spin_unlock(&tasklist_lock);
	give_parts_to_new_leader();
	release_task(leader);
	return 0;
}

/* Ends the other threads. 0; -EAGAIN: the process is ending, or another thread was first. */
static int end_other_threads(struct task_struct *tsk)
{
	struct signal_struct *signal = tsk->signal;
	int error;

	spin_lock_irq(&tsk->sighand->siglock);
	if ((signal->flags & SIGNAL_GROUP_EXIT) || signal->group_exec_task) {
		spin_unlock_irq(&tsk->sighand->siglock);
		return -EAGAIN;
	}
	signal->group_exec_task = tsk;
	signal->notify_count = zap_other_threads(tsk);
	if (!thread_group_leader(tsk))
		signal->notify_count--; /* the leader stays as a zombie */
	error = wait_for_threads(signal, &tsk->sighand->siglock);
	if (!error && !thread_group_leader(tsk))
		error = replace_leader(tsk);
	/*
	 * Other threads, if they still end, wake group_exec_task: exit_notify(), __exit_signal().
	 */
	spin_lock(&tasklist_lock);
	spin_lock_irq(&tsk->sighand->siglock);
	signal->group_exec_task = NULL;
	signal->notify_count = 0;
	spin_unlock_irq(&tsk->sighand->siglock);
	spin_unlock(&tasklist_lock);
	return error;
}

int de_thread(void)
{
	struct task_struct *tsk = current;
	int error = thread_group_empty(tsk) ? 0 : end_other_threads(tsk);

	if (!error) {
		tsk->exit_signal = SIGCHLD;
		exec_process_parts();
	}
	return error;
}

int unshare_sighand(void)
{
	struct task_struct *tsk = current;
	struct sighand_struct *old = tsk->sighand, *new;

	if (atomic_read(&old->count) == 1)
		return 0;
	new = copy_actions(old, false);
	if (!new)
		return -ENOMEM;
	spin_lock(&tasklist_lock);
	spin_lock_irq(&old->siglock);
	/* A sender finds new locked until its actions are those that old has now. */
	memcpy(new->action, old->action, sizeof(new->action));
	rcu_assign_pointer(tsk->sighand, new);
	spin_unlock_irq(&old->siglock);
	spin_unlock(&tasklist_lock);
	put_sighand(old);
	return 0;
}

void exec_task(const char *comm)
{
	struct task_struct *tsk = current;

	spin_lock_irq(&tsk->sighand->siglock);
	tsk->flags &= ~(PF_KTHREAD | PF_FORKNOEXEC);
	WRITE_ONCE(tsk->signal->exec_id, tsk->signal->exec_id + 1);
	flush_signal_handlers(tsk->sighand, false);
	tsk->sas_ss_sp = tsk->sas_ss_size = 0;
	spin_unlock_irq(&tsk->sighand->siglock);
	tsk->robust_list = NULL;
	tsk->in_execve = true;
	set_task_comm(tsk, comm);
	tsk->in_execve = false;
}

/*
 * The program gets no more rights than its caller has: it may share its root and its current
 * directory with a process that changes them while the program runs, or the caller has asked for
 * that by prctl(PR_SET_NO_NEW_PRIVS). A caller with CAP_SETUID may take the new ids itself.
 */
static void downgrade(struct cred *new)
{
	if (!capable(CAP_SETUID) || current->no_new_privs) {
		new->euid = new->uid;
		new->egid = new->gid;
	}
	new->cap_permitted &= current_cred()->cap_permitted;
}

void limit_exec_creds(struct cred *new)
{
	const struct cred *old = current_cred();
	bool set_id = new->euid != old->uid || new->egid != old->gid;

	if (!set_id && !(new->cap_permitted & ~old->cap_permitted))
		return;
	downgrade(new);
	new->suid = new->fsuid = new->euid;
	new->sgid = new->fsgid = new->egid;
	new->cap_effective &= new->cap_permitted;
}

/*
 * What this decides on stays so until commit_creds(): the ids of the file are a copy,
 * fs_struct.in_exec keeps other processes from beginning to share, and the credentials are the
 * task's own. But another thread may set no_new_privs until it is ended (TSYNC of seccomp), and a
 * tracer may attach until the task holds exec_update_lock: limit_exec_creds() follows there.
 */
bool exec_creds(struct cred *new, const u32 *set_uid, const u32 *set_gid, bool shared, bool *secure)
{
	const struct cred *old = current_cred();
	bool set_id, effective;

	if (!current->no_new_privs) {
		if (set_uid)
			new->euid = *set_uid;
		if (set_gid)
			new->egid = *set_gid;
	}
	new->securebits &= ~(unsigned)SECBIT_KEEP_CAPS;
	/*
	 * capabilities(7): a program run by root, or as root, has all that the bounding set allows.
	 */
	effective = new->euid == 0;
	new->cap_permitted =
		new->euid == 0 || new->uid == 0 ? new->cap_bset | new->cap_inheritable : 0;
	set_id = new->euid != old->uid || new->egid != old->gid;
	if ((set_id || (new->cap_permitted & ~old->cap_permitted)) &&
	    (shared || current->no_new_privs))
		downgrade(new);
	new->suid = new->fsuid = new->euid;
	new->sgid = new->fsgid = new->egid;
	if (set_id)
		new->cap_ambient = 0;
	new->cap_permitted |= new->cap_ambient;
	new->cap_effective = effective ? new->cap_permitted : new->cap_ambient;
	*secure = set_id;
	return (set_uid || set_gid) && !current->no_new_privs;
}
