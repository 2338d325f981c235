/* While a task executes a program, no other process begins to share its struct fs_struct. */
#include "fs/exec/binprm.h"
#include "fs/vfs/fs_struct.h"
#include "kernel/process/process.h"
#include "kernel/task/signal_struct.h"

/* How many threads of the current process use fs. tasklist_lock held. */
static int threads_with(const struct fs_struct *fs)
{
	struct task_struct *thread;
	int users = 0;

	list_for_each_entry (thread, &current->signal->thread_head, thread_node)
		users += READ_ONCE(thread->fs) == fs;
	return users;
}

/* Counts an exec, unless fs has more users than that. True: it has not. */
static bool count_exec(struct fs_struct *fs, int users)
{
	bool alone;

	spin_lock(&fs->lock);
	alone = atomic_read(&fs->users) <= users;
	fs->in_exec += alone;
	spin_unlock(&fs->lock);
	return alone;
}

bool begin_exec_fs(void)
{
	struct fs_struct *fs = current->fs;
	bool alone;

	/* A kernel thread, which executes the first program, or the most usual case. */
	if (!fs || count_exec(fs, 1))
		return false;
	spin_lock(&tasklist_lock);
	alone = count_exec(fs, threads_with(fs));
	spin_unlock(&tasklist_lock);
	return !alone;
}

void end_exec_fs(bool shared)
{
	struct fs_struct *fs = current->fs;

	if (!fs || shared)
		return;
	spin_lock(&fs->lock);
	fs->in_exec--;
	spin_unlock(&fs->lock);
}
