/*
 * Which login a task belongs to: /proc/PID/loginuid and sessionid. The program that lets a user in
 * writes its own loginuid; all that it starts inherits the two numbers with the credentials.
 */
#include "fs/proc/task/task.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/process/cred.h"

static atomic_t last_session;

/* Shows a number of the task's credentials. */
static int show_number(struct seq_file *m, bool session)
{
	struct task_struct *task = proc_object(m->file->f_inode)->task;
	const struct cred *cred;

	if (!proc_task_alive(task))
		return -ESRCH;
	cred = get_task_cred(task);
	seq_printf(m, "%u", session ? cred->sessionid : cred->loginuid);
	put_cred(cred);
	return 0;
}

int proc_pid_sessionid(struct seq_file *m, void *v)
{
	(void)v;
	return show_number(m, true);
}

static int loginuid_show(struct seq_file *m, void *v)
{
	(void)v;
	return show_number(m, false);
}

static int loginuid_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return proc_opener_open(file, loginuid_show);
}

/* A task may set its own once, and needs a capability to change it. */
static ssize_t loginuid_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[36] = { 0 };
	struct cred *cred;
	u32 uid;
	int err;

	if (proc_object(file->f_inode)->task != current)
		return -EPERM;
	if (*pos)
		return -EINVAL;
	memcpy(text, buf, min(count, sizeof(text) - 1));
	err = kstrtouint(text, 10, &uid);
	if (err)
		return err;
	if (current_cred()->loginuid != NO_LOGIN && !proc_capable(file, CAP_AUDIT_CONTROL))
		return -EPERM;
	cred = prepare_creds();
	if (!cred)
		return -ENOMEM;
	cred->loginuid = uid;
	cred->sessionid = uid == NO_LOGIN ? NO_LOGIN : (u32)atomic_inc_return(&last_session);
	err = commit_creds(cred);
	return err ? err : (ssize_t)count;
}

const struct file_operations proc_loginuid_operations = {
	.no_splice_read = true,
	.open = loginuid_open,
	.read = seq_read,
	.write = loginuid_write,
	.llseek = seq_lseek,
	.release = proc_opener_release,
};
