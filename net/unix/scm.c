/* Descriptors and credentials that travel with a message: cmsg(3), unix(7). */
#include "fs/file/file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/process/process.h"
#include "kernel/task/signal_struct.h"
#include "net/unix/unix.h"

#define SCM_RIGHTS      1
#define SCM_CREDENTIALS 2

struct ucred {
	pid_t pid;
	u32 uid, gid;
};

/*
 * Tasks that drop files. To drop a file may close a socket, which drops the files in its queue, and
 * so on: a program can build a chain of any length. The stack is short. So the inner drops only add
 * to the list of the outermost one of the same task.
 */
struct drainer {
	struct task_struct *task;
	struct list_head fps;  /* of scm_fp.node */
	struct list_head node; /* in drainers */
};
static DEFINE_SPINLOCK(drainers_lock);
static LIST_HEAD(drainers); /* [drainers_lock] */

static struct drainer *find_drainer(void)
{
	struct drainer *drainer;

	list_for_each_entry (drainer, &drainers, node)
		if (drainer->task == current)
			return drainer;
	return NULL;
}

/*
 * Charges the current user for the descriptors of a message, before the message exists: a task that
 * waits for room in a queue has been charged. A user who is past RLIMIT_NOFILE by other messages
 * gets -ETOOMANYREFS.
 */
static int charge_files(struct scm_fp *fp)
{
	struct user_struct *user = get_current_user();
	s64 before = atomic64_add_return(fp->count, &user->unix_inflight) - fp->count;

	fp->user = user;
	return (unsigned long)before > rlimit(RLIMIT_NOFILE) && !capable(CAP_SYS_RESOURCE) &&
			       !capable(CAP_SYS_ADMIN)
		       ? -ETOOMANYREFS
		       : 0;
}

static void uncharge_files(struct scm_fp *fp)
{
	if (!fp->user)
		return;
	atomic64_sub(fp->count, &fp->user->unix_inflight);
	put_user_struct(fp->user);
}

static void drop_files(struct scm_fp *fp)
{
	for (unsigned i = 0; i < fp->count; i++)
		fput(fp->file[i]);
	uncharge_files(fp);
	kfree(fp);
}

/* The next one to drop; NULL: all are dropped, and the drainer has left the list. */
static struct scm_fp *next_fp(struct drainer *drainer)
{
	struct scm_fp *fp;

	spin_lock(&drainers_lock);
	fp = list_first_entry_or_null(&drainer->fps, struct scm_fp, node);
	if (fp)
		list_del(&fp->node);
	else
		list_del(&drainer->node);
	spin_unlock(&drainers_lock);
	return fp;
}

void scm_drop(struct scm_fp *fp)
{
	struct drainer own = { .task = current, .fps = LIST_HEAD_INIT(own.fps) }, *outer;

	if (!fp)
		return;
	spin_lock(&drainers_lock);
	outer = find_drainer();
	if (outer)
		list_add_tail(&fp->node, &outer->fps);
	else
		list_add_tail(&own.node, &drainers);
	spin_unlock(&drainers_lock);
	if (outer)
		return;
	do
		drop_files(fp);
	while ((fp = next_fp(&own)));
}

void scm_destroy(struct msghdr *msg)
{
	scm_drop(msg->fp);
	msg->fp = NULL;
	unix_cred_drop(&msg->cred);
}

void scm_copy(struct scm_fp *copy, const struct scm_fp *fp)
{
	copy->count = fp->count;
	for (unsigned i = 0; i < fp->count; i++)
		copy->file[i] = get_file(fp->file[i]);
}

/* ---- sending ---- */

static int add_rights(struct msghdr *msg, const void __user *data, size_t len)
{
	unsigned n = (unsigned)(len / sizeof(int));

	if (!n)
		return 0;
	if (!msg->fp) {
		msg->fp = kzalloc(sizeof(*msg->fp), GFP_KERNEL);
		if (!msg->fp)
			return -ENOMEM;
	}
	if (n > SCM_MAX_FD - msg->fp->count)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		struct file *file;
		int fd;

		if (get_user(fd, (const int __user *)data + i))
			return -EFAULT;
		file = fd < 0 ? NULL : fget_raw((unsigned)fd);
		if (!file)
			return -EBADF;
		msg->fp->file[msg->fp->count++] = file;
	}
	return 0;
}

/* May the current task say that it is this one? */
static bool may_claim(const struct ucred *claim)
{
	const struct cred *cred = current_cred();

	if (claim->pid != current->tgid && !capable(CAP_SYS_ADMIN))
		return false;
	if (claim->uid != cred->uid && claim->uid != cred->euid && claim->uid != cred->suid &&
	    !capable(CAP_SETUID))
		return false;
	return claim->gid == cred->gid || claim->gid == cred->egid || claim->gid == cred->sgid ||
	       capable(CAP_SETGID);
}

static int add_credentials(struct msghdr *msg, const void __user *data, size_t len)
{
	struct ucred claim;
	struct pid *pid;

	if (len != sizeof(claim))
		return -EINVAL;
	if (copy_from_user(&claim, data, sizeof(claim)))
		return -EFAULT;
	if (!may_claim(&claim))
		return -EPERM;
	spin_lock(&tasklist_lock);
	pid = get_pid(find_pid(claim.pid));
	spin_unlock(&tasklist_lock);
	if (!pid)
		return -ESRCH;
	unix_cred_drop(&msg->cred);
	msg->cred = (struct unix_cred){ .pid = pid, .uid = claim.uid, .gid = claim.gid };
	msg->has_cred = true;
	return 0;
}

int scm_send(struct msghdr *msg, const void __user *control, size_t len)
{
	struct cmsghdr header;
	int err = 0;

	while (!err && len >= sizeof(header)) {
		const char __user *data = (const char __user *)control + sizeof(header);
		size_t step, size;

		if (copy_from_user(&header, control, sizeof(header)))
			return -EFAULT;
		if (header.cmsg_len < sizeof(header) || header.cmsg_len > len)
			return -EINVAL;
		size = header.cmsg_len - sizeof(header);
		if (header.cmsg_level != SOL_SOCKET)
			err = 0; /* not for the socket layer */
		else if (header.cmsg_type == SCM_RIGHTS)
			err = add_rights(msg, data, size);
		else if (header.cmsg_type == SCM_CREDENTIALS)
			err = add_credentials(msg, data, size);
		else
			err = -EINVAL;
		step = CMSG_ALIGN(header.cmsg_len);
		if (step >= len)
			break;
		control = (const char __user *)control + step;
		len -= step;
	}
	if (!err && msg->fp && !msg->fp->count) {
		kfree(msg->fp);
		msg->fp = NULL;
	}
	if (!err && msg->fp)
		err = charge_files(msg->fp);
	return err;
}

/* ---- receiving ---- */

/* Installs as many descriptors as fit. */
static void put_rights(struct msghdr *msg, char __user *control, size_t len, size_t *at,
		       unsigned flags)
{
	size_t room = len - *at < sizeof(struct cmsghdr) ? 0 : len - *at - sizeof(struct cmsghdr);
	struct scm_fp *fp = msg->fp;
	struct cmsghdr header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	char __user *data = control + *at + sizeof(header);
	unsigned n = 0;

	while (n < fp->count && (n + 1) * sizeof(int) <= room) {
		int fd = get_unused_fd_flags(flags & MSG_CMSG_CLOEXEC ? O_CLOEXEC : 0);

		if (fd < 0)
			break;
		if (put_user(fd, (int __user *)data + n)) {
			put_unused_fd((unsigned)fd);
			break;
		}
		fd_install((unsigned)fd, get_file(fp->file[n]));
		n++;
	}
	if (n < fp->count)
		msg->flags |= MSG_CTRUNC;
	if (!n)
		return;
	header.cmsg_len = sizeof(header) + n * sizeof(int);
	if (!copy_to_user(control + *at, &header, sizeof(header)))
		*at += min(CMSG_ALIGN(header.cmsg_len), len - *at);
}

size_t scm_recv(struct socket *sock, struct msghdr *msg, void __user *control, size_t len,
		unsigned flags)
{
	size_t at = 0;

	put_stamp(sock, msg, control, len, &at);
	if (!control || !len) {
		if ((READ_ONCE(sock->passcred)) || msg->fp)
			msg->flags |= MSG_CTRUNC;
		return 0;
	}
	if (READ_ONCE(sock->passcred)) {
		/* 65534: the overflow id, for a sender that did not tell */
		struct ucred cred = { .pid = msg->cred.pid ? msg->cred.pid->nr : 0,
				      .uid = msg->has_cred ? msg->cred.uid : 65534,
				      .gid = msg->has_cred ? msg->cred.gid : 65534 };

		(void)put_cmsg(msg, control, len, &at, SOL_SOCKET, SCM_CREDENTIALS, &cred,
			       sizeof(cred));
	}
	if (msg->fp)
		put_rights(msg, control, len, &at, flags);
	return at;
}
