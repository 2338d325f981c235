/*
 * Where a task is in the file system: its root, its current directory, its umask
 * (task_struct.fs). Threads that clone(CLONE_FS) makes share one.
 *
 * A kernel thread has none, and uses init_fs: "/", umask 022.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/jump_label.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"

/*
 * Legend: [F] lock; a task that is the only user reads without it, until the first pivot_root(2).
 * [A] atomic.
 */
struct fs_struct {
	atomic_t users; /* [A] tasks. More come under F, and only while in_exec is 0 */
	spinlock_t lock;
	/*
	 * [F] Tasks that execute a program and have found that no other process shares this. A
	 * set-user-ID program relies on its root and its current directory, so none may begin to
	 * share them before the exec has ended: fs/exec/shared_fs.c.
	 */
	unsigned in_exec;
	umode_t umask;    /* [F] */
	struct path root; /* [F] counted */
	struct path pwd;  /* [F] counted */
};

extern struct fs_struct init_fs;

static inline struct fs_struct *current_fs(void)
{
	return current->fs ? current->fs : &init_fs;
}
static inline umode_t current_umask(void)
{
	return READ_ONCE(current_fs()->umask);
}
/* The root and the current directory of the current task, counted. */
void get_current_root(struct path *path);
void get_current_pwd(struct path *path);
/* The same of another task, for /proc. False: the task has ended. */
bool get_task_root(struct task_struct *task, struct path *path);
bool get_task_pwd(struct task_struct *task, struct path *path);
umode_t get_task_umask(struct task_struct *task);
/* 0 or -ENOMEM. They take references of their own. */
int set_current_root(const struct path *path);
int set_current_pwd(const struct path *path);
/* Gives the current task a struct of its own, if it shares one: 0 or -ENOMEM. */
int unshare_fs_struct(void);
/* The current task's own struct, to change it; NULL: no memory. A kernel thread gets one now. */
struct fs_struct *writable_fs(void);
/* On: other tasks may change fs_struct.root and pwd, so all readers take the lock. */
DECLARE_STATIC_KEY_FALSE(others_change_paths);
/*
 * If the task has the path old as its root or current directory, it has new instead. NULL: the
 * kernel threads. Returns how many references on old the caller must drop. others_change_paths is
 * on, and a grace period of RCU-tasks has passed since. Task context, may hold tasklist_lock.
 */
unsigned replace_task_paths(struct task_struct *task, const struct path *old,
			    const struct path *new);
/* Sets what kernel threads see. Called once, by the first mount. */
void init_fs_set_root(const struct path *root);

/* Guards task->fs of other tasks, from the end of which /proc must be safe. */
extern spinlock_t task_fs_lock;
/* Takes a counted copy of one of the paths of fs. */
void fs_get_path(struct fs_struct *fs, const struct path *from, struct path *path);
