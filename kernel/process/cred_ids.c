/* The system calls about user and group ids. credentials(7) describes the rules. */
#include "arch/mm/uaccess.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/syscalls/syscalls.h"

#define UNCHANGED ((u32)-1)

/* Capabilities that concern files: they follow the file-system user id. */
#define CAP_FS_SET                                                                                 \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) |     \
	 BIT(CAP_FSETID) | BIT(CAP_LINUX_IMMUTABLE) | BIT(CAP_MKNOD) | BIT(CAP_MAC_OVERRIDE))

/* Whether one of the ids is root's. */
static bool has_root_id(const struct cred *cred)
{
	return !cred->uid || !cred->euid || !cred->suid;
}

/* After a change of user ids: capabilities(7), "Effect of user ID changes on capabilities". */
static void fix_capabilities(struct cred *new, const struct cred *old)
{
	if (has_root_id(old) && !has_root_id(new)) {
		if (!(old->securebits & SECBIT_KEEP_CAPS))
			new->cap_permitted = new->cap_effective = 0;
		new->cap_ambient = 0;
	}
	if (!old->euid && new->euid)
		new->cap_effective = 0;
	if (old->euid && !new->euid)
		new->cap_effective = new->cap_permitted;
}

static void fix_fs_capabilities(struct cred *new, const struct cred *old)
{
	if (!old->fsuid && new->fsuid)
		new->cap_effective &= ~CAP_FS_SET;
	if (old->fsuid && !new->fsuid)
		new->cap_effective |= new->cap_permitted &CAP_FS_SET;
}

/* Before the task, which is not counted yet, becomes one of another user. */
static void flag_nproc_exceeded(const struct cred *new)
{
	if (new->user == current_cred()->user)
		return;
	if (nproc_exceeded(new->user))
		current->flags |= PF_NPROC_EXCEEDED;
	else
		current->flags &= ~PF_NPROC_EXCEEDED;
}

/* Publishes new with the result of a change, or drops it. */
static long finish(struct cred *new, int error)
{
	if (error) {
		put_cred(new);
		return error;
	}
	fix_capabilities(new, current_cred());
	flag_nproc_exceeded(new);
	return commit_creds(new);
}

static bool own_uid(const struct cred *cred, u32 id)
{
	return id == cred->uid || id == cred->euid || id == cred->suid;
}

static bool own_gid(const struct cred *cred, u32 id)
{
	return id == cred->gid || id == cred->egid || id == cred->sgid;
}

SYSCALL_DEFINE0(getuid)
{
	return current_uid();
}

SYSCALL_DEFINE0(geteuid)
{
	return current_euid();
}

SYSCALL_DEFINE0(getgid)
{
	return current_gid();
}

SYSCALL_DEFINE0(getegid)
{
	return current_egid();
}

SYSCALL_DEFINE1(setuid, uid_t, uid)
{
	const struct cred *old = current_cred();
	struct cred *new;
	int error = 0;

	if (uid == UNCHANGED)
		return -EINVAL;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	if (capable(CAP_SETUID)) {
		error = set_cred_user(new, uid);
		new->suid = uid;
	} else if (uid != old->uid && uid != old->suid) {
		error = -EPERM;
	}
	new->euid = new->fsuid = uid;
	return finish(new, error);
}

SYSCALL_DEFINE1(setgid, gid_t, gid)
{
	const struct cred *old = current_cred();
	struct cred *new;
	int error = 0;

	if (gid == UNCHANGED)
		return -EINVAL;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	if (capable(CAP_SETGID))
		new->gid = new->sgid = gid;
	else if (gid != old->gid && gid != old->sgid)
		error = -EPERM;
	new->egid = new->fsgid = gid;
	return finish(new, error);
}

SYSCALL_DEFINE2(setreuid, uid_t, ruid, uid_t, euid)
{
	const struct cred *old = current_cred();
	struct cred *new = prepare_creds();
	int error = 0;

	if (!new)
		return -ENOMEM;
	if (ruid != UNCHANGED) {
		if (ruid != old->uid && ruid != old->euid && !capable(CAP_SETUID))
			error = -EPERM;
		else
			error = set_cred_user(new, ruid);
	}
	if (euid != UNCHANGED) {
		if (!own_uid(old, euid) && !capable(CAP_SETUID))
			error = -EPERM;
		new->euid = euid;
	}
	if (ruid != UNCHANGED || (euid != UNCHANGED && euid != old->uid))
		new->suid = new->euid;
	new->fsuid = new->euid;
	return finish(new, error);
}

SYSCALL_DEFINE2(setregid, gid_t, rgid, gid_t, egid)
{
	const struct cred *old = current_cred();
	struct cred *new = prepare_creds();
	int error = 0;

	if (!new)
		return -ENOMEM;
	if (rgid != UNCHANGED) {
		if (rgid != old->gid && rgid != old->egid && !capable(CAP_SETGID))
			error = -EPERM;
		new->gid = rgid;
	}
	if (egid != UNCHANGED) {
		if (!own_gid(old, egid) && !capable(CAP_SETGID))
			error = -EPERM;
		new->egid = egid;
	}
	if (rgid != UNCHANGED || (egid != UNCHANGED && egid != old->gid))
		new->sgid = new->egid;
	new->fsgid = new->egid;
	return finish(new, error);
}

/* Whether id leaves an id as it is. */
static bool unchanged(u32 id, u32 old)
{
	return id == UNCHANGED || id == old;
}

SYSCALL_DEFINE3(setresuid, uid_t, ruid, uid_t, euid, uid_t, suid)
{
	const struct cred *old = current_cred();
	struct cred *new;
	int error = 0;

	/* Without a change the file-system id stays as it is, too. */
	if (unchanged(ruid, old->uid) && unchanged(euid, old->euid) &&
	    unchanged(euid, old->fsuid) && unchanged(suid, old->suid))
		return 0;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	if (!capable(CAP_SETUID) && ((ruid != UNCHANGED && !own_uid(old, ruid)) ||
				     (euid != UNCHANGED && !own_uid(old, euid)) ||
				     (suid != UNCHANGED && !own_uid(old, suid))))
		error = -EPERM;
	if (!error && ruid != UNCHANGED)
		error = set_cred_user(new, ruid);
	if (euid != UNCHANGED)
		new->euid = euid;
	if (suid != UNCHANGED)
		new->suid = suid;
	new->fsuid = new->euid;
	return finish(new, error);
}

SYSCALL_DEFINE3(setresgid, gid_t, rgid, gid_t, egid, gid_t, sgid)
{
	const struct cred *old = current_cred();
	struct cred *new;
	int error = 0;

	/* Without a change the file-system id stays as it is, too. */
	if (unchanged(rgid, old->gid) && unchanged(egid, old->egid) &&
	    unchanged(egid, old->fsgid) && unchanged(sgid, old->sgid))
		return 0;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	if (!capable(CAP_SETGID) && ((rgid != UNCHANGED && !own_gid(old, rgid)) ||
				     (egid != UNCHANGED && !own_gid(old, egid)) ||
				     (sgid != UNCHANGED && !own_gid(old, sgid))))
		error = -EPERM;
	if (rgid != UNCHANGED)
		new->gid = rgid;
	if (egid != UNCHANGED)
		new->egid = egid;
	if (sgid != UNCHANGED)
		new->sgid = sgid;
	new->fsgid = new->egid;
	return finish(new, error);
}

static long put_ids(u32 __user *const places[3], const u32 values[3])
{
	for (unsigned i = 0; i < 3; i++)
		if (put_user(values[i], places[i]))
			return -EFAULT;
	return 0;
}

SYSCALL_DEFINE3(getresuid, uid_t __user *, ruidp, uid_t __user *, euidp, uid_t __user *, suidp)
{
	const struct cred *cred = current_cred();

	return put_ids((u32 __user *const[3]){ ruidp, euidp, suidp },
		       (const u32[3]){ cred->uid, cred->euid, cred->suid });
}

SYSCALL_DEFINE3(getresgid, gid_t __user *, rgidp, gid_t __user *, egidp, gid_t __user *, sgidp)
{
	const struct cred *cred = current_cred();

	return put_ids((u32 __user *const[3]){ rgidp, egidp, sgidp },
		       (const u32[3]){ cred->gid, cred->egid, cred->sgid });
}

/* Both return the old id, whether they change it or not. */
SYSCALL_DEFINE1(setfsuid, uid_t, uid)
{
	const struct cred *old = current_cred();
	u32 old_id = old->fsuid;
	struct cred *new;

	if (uid == UNCHANGED || uid == old_id || !(own_uid(old, uid) || capable(CAP_SETUID)))
		return old_id;
	new = prepare_creds();
	if (!new)
		return old_id;
	new->fsuid = uid;
	fix_fs_capabilities(new, old);
	commit_creds(new);
	return old_id;
}

SYSCALL_DEFINE1(setfsgid, gid_t, gid)
{
	const struct cred *old = current_cred();
	u32 old_id = old->fsgid;
	struct cred *new;

	if (gid == UNCHANGED || gid == old_id || !(own_gid(old, gid) || capable(CAP_SETGID)))
		return old_id;
	new = prepare_creds();
	if (!new)
		return old_id;
	new->fsgid = gid;
	commit_creds(new);
	return old_id;
}
