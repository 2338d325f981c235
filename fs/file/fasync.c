/* The files that send signals, and their owners: O_ASYNC, F_SETOWN, F_SETSIG. See hooks.h. */
#include "fs/calls/fcntl.h"
#include "fs/vfs/hooks.h"
#include "kernel/signal/sigio.h"

#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"

/* The owners of F_SETOWN_EX. */
#define F_OWNER_TID  0
#define F_OWNER_PID  1
#define F_OWNER_PGRP 2

struct f_owner_ex {
	int type;
	int pid;
};

BUILD_BUG_ON(FASYNC != O_ASYNC);

/* The owner of the file, made at the first use. NULL: memory is short. */
static struct fown_struct *file_owner_struct(struct file *file)
{
	struct fown_struct *new, *found = NULL;

	if (READ_ONCE(file->f_owner))
		return file->f_owner;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return NULL;
	spin_lock(&fasync_lock);
	found = file->f_owner;
	if (!found)
		smp_store_release(&file->f_owner, new);
	spin_unlock(&fasync_lock);
	if (found)
		kfree(new);
	return file->f_owner;
}

/* ---- lists ---- */

/* The entry of the file, or NULL. F held. */
static struct fasync_struct *find_entry(struct fasync_struct *entry, const struct file *file)
{
	while (entry && entry->file != file)
		entry = entry->next;
	return entry;
}

static int fasync_add(int fd, struct file *file, struct fasync_struct **list)
{
	struct fasync_struct *new = kmalloc(sizeof(*new), GFP_KERNEL), *found;
	struct fown_struct *owner = file_owner_struct(file);

	if (!new || !owner) {
		kfree(new);
		/* LAB 20, unmarked, 5 of 5: the file stays as it was. Starts as: return 0; */
		return -ENOMEM;
		/* END LAB 20 */
	}
	*new = (struct fasync_struct){
		.file = file, .flags = &file->f_flags, .owner = owner, .fd = fd
	};
	spin_lock(&fasync_lock);
	found = find_entry(*list, file);
	if (found)
		found->fd = fd;
	else
		fasync_link(new, list);
	WRITE_ONCE(file->f_flags, file->f_flags | O_ASYNC);
	spin_unlock(&fasync_lock);
	if (found)
		kfree(new);
	return 0;
}

static int set_async(int fd, struct file *file, bool on, struct fasync_struct **list)
{
	struct fasync_struct *entry;

	if (on)
		return fasync_add(fd, file, list);
	spin_lock(&fasync_lock);
	entry = find_entry(*list, file);
	if (entry)
		fasync_unlink(entry);
	WRITE_ONCE(file->f_flags, file->f_flags & ~(unsigned)O_ASYNC);
	spin_unlock(&fasync_lock);
	kfree(entry);
	return 0;
}

static void free_owner(struct fown_struct *owner)
{
	put_pid(owner->pid);
	kfree(owner);
}

/* ---- owners ---- */

static int set_owner(struct file *file, struct pid *pid, enum pid_type type, bool only_first)
{
	struct fown_struct *owner = file_owner_struct(file);
	struct pid *old = pid;

	if (!owner) {
		put_pid(pid);
		return -ENOMEM;
	}
	spin_lock(&fasync_lock);
	if (!only_first || !owner->pid) {
		old = owner->pid;
		owner->pid = pid;
		owner->type = type;
		owner->uid = current_uid();
		owner->euid = current_cred()->euid;
	}
	spin_unlock(&fasync_lock);
	put_pid(old);
	return 0;
}

/* The counted pid of a number; NULL: none. */
static struct pid *find_get_pid(int nr)
{
	struct pid *pid;

	spin_lock(&tasklist_lock);
	pid = get_pid(find_pid(nr));
	spin_unlock(&tasklist_lock);
	return pid;
}

static int set_owner_by_number(struct file *file, int nr, enum pid_type type)
{
	struct pid *pid = nr ? find_get_pid(nr) : NULL;

	if (nr && !pid)
		return -ESRCH;
	return set_owner(file, pid, type, false);
}

static int f_setown(struct file *file, int who)
{
	if (who == (int)0x80000000)
		return -EINVAL;
	return who < 0 ? set_owner_by_number(file, -who, PIDTYPE_PGID)
		       : set_owner_by_number(file, who, PIDTYPE_TGID);
}

/* The number of the owner; 0: nobody, or it has ended. */
static int get_owner(const struct file *file, enum pid_type *type)
{
	const struct fown_struct *owner = READ_ONCE(file->f_owner);
	int nr = 0;

	*type = PIDTYPE_PID;
	if (!owner)
		return 0;
	spin_lock(&fasync_lock);
	*type = owner->type;
	spin_lock(&tasklist_lock);
	if (owner->pid && pid_task(owner->pid, owner->type))
		nr = owner->pid->nr;
	spin_unlock(&tasklist_lock);
	spin_unlock(&fasync_lock);
	return nr;
}

static int f_getown(struct file *file)
{
	enum pid_type type;
	int nr = get_owner(file, &type);

	return type == PIDTYPE_PGID ? -nr : nr;
}

static long set_owner_ex(struct file *file, const struct f_owner_ex __user *arg)
{
	static const enum pid_type types[] = { [F_OWNER_TID] = PIDTYPE_PID,
					       [F_OWNER_PID] = PIDTYPE_TGID,
					       [F_OWNER_PGRP] = PIDTYPE_PGID };
	struct f_owner_ex ex;

	if (copy_from_user(&ex, arg, sizeof(ex)))
		return -EFAULT;
	if (ex.type < 0 || ex.type > F_OWNER_PGRP)
		return -EINVAL;
	return set_owner_by_number(file, ex.pid, types[ex.type]);
}

static long get_owner_ex(struct file *file, struct f_owner_ex __user *arg)
{
	struct f_owner_ex ex;
	enum pid_type type;

	ex.pid = get_owner(file, &type);
	ex.type = type == PIDTYPE_PID    ? F_OWNER_TID
		  : type == PIDTYPE_TGID ? F_OWNER_PID
					 : F_OWNER_PGRP;
	return copy_to_user(arg, &ex, sizeof(ex)) ? -EFAULT : 0;
}

static long get_owner_uids(struct file *file, u32 __user *arg)
{
	const struct fown_struct *owner = READ_ONCE(file->f_owner);
	u32 uids[2] = { 0, 0 };

	if (owner) {
		spin_lock(&fasync_lock);
		uids[0] = owner->uid;
		uids[1] = owner->euid;
		spin_unlock(&fasync_lock);
	}
	return copy_to_user(arg, uids, sizeof(uids)) ? -EFAULT : 0;
}

static long set_signal(struct file *file, unsigned long sig)
{
	struct fown_struct *owner;

	if (sig > _NSIG)
		return -EINVAL;
	owner = file_owner_struct(file);
	if (!owner)
		return -ENOMEM;
	WRITE_ONCE(owner->signum, (int)sig);
	return 0;
}

static long owner_command(struct file *file, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case F_SETOWN:
		return f_setown(file, (int)arg);
	case F_GETOWN:
		return f_getown(file);
	case F_SETOWN_EX:
		return set_owner_ex(file, (const struct f_owner_ex __user *)arg);
	case F_GETOWN_EX:
		return get_owner_ex(file, (struct f_owner_ex __user *)arg);
	case F_GETOWNER_UIDS:
		return get_owner_uids(file, (u32 __user *)arg);
	case F_SETSIG:
		return set_signal(file, arg);
	case F_GETSIG:
		return READ_ONCE(file->f_owner) ? READ_ONCE(file->f_owner->signum) : 0;
	}
	return -EINVAL;
}

static int __init fasync_init(void)
{
	vfs_hooks.fasync_helper = set_async;
	vfs_hooks.f_setown = set_owner;
	vfs_hooks.fcntl_owner = owner_command;
	vfs_hooks.f_owner_free = free_owner;
	return 0;
}
core_initcall(fasync_init);
