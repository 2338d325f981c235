/*
 * Credentials: in whose name a task acts.
 *
 * A struct cred never changes once a task points to it. To change its own, a task copies them with
 * prepare_creds(), changes the copy and publishes it with commit_creds(). So the current task reads
 * its credentials without a lock. The credentials of another task are read under rcu_read_lock().
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"

#define NGROUPS_MAX 65536
/* Capabilities: numbers of bits, see capabilities(7). */
#define CAP_CHOWN           0
#define CAP_DAC_OVERRIDE    1
#define CAP_DAC_READ_SEARCH 2
#define CAP_FOWNER          3
#define CAP_FSETID          4
#define CAP_KILL            5
#define CAP_SETGID          6
#define CAP_SETUID          7
#define CAP_SETPCAP         8
#define CAP_IPC_LOCK        14
#define CAP_SYS_CHROOT      18
#define CAP_SYS_PTRACE      19
#define CAP_SYS_ADMIN       21
#define CAP_SYS_BOOT        22
#define CAP_SYS_NICE        23
#define CAP_SYS_RESOURCE    24
#define CAP_SYS_TIME        25
#define CAP_SYS_TTY_CONFIG  26
#define CAP_MKNOD           27
#define CAP_LEASE           28
#define CAP_SYSLOG          34
#define CAP_LAST_CAP        40

/* Supplementary groups, sorted. Constant after creation; [A] atomic. */
struct group_info {
	atomic_t usage; /* [A] */
	unsigned ngroups;
	u32 gid[];
};

/* All fields are constant once a task points to the struct, but usage, which is atomic. */
struct cred {
	atomic_t usage; /* [A] references */
	u32 uid, gid;
	u32 suid, sgid;
	u32 euid, egid;
	u32 fsuid, fsgid; /* for access to files */
	unsigned securebits;
	u64 cap_inheritable; /* bit n: capability n */
	u64 cap_permitted;
	u64 cap_effective;
	u64 cap_bset; /* the bounding set */
	u64 cap_ambient;
	struct group_info *group_info;
	struct rcu_head rcu;
};

/* Those of all kernel tasks, and of the first program: root with all capabilities. */
extern struct cred init_cred;

/* What the current task acts as. Valid until it calls commit_creds(). Task context. */
#define current_cred()  (current->cred)
#define current_uid()   (current_cred()->uid)
#define current_gid()   (current_cred()->gid)
#define current_euid()  (current_cred()->euid)
#define current_egid()  (current_cred()->egid)
#define current_fsuid() (current_cred()->fsuid)
#define current_fsgid() (current_cred()->fsgid)

/* True if the current task has the capability. Task context. */
static inline bool capable(unsigned cap)
{
	return current_cred()->cap_effective >> cap & 1;
}
/* True if the current task acts for the group, as its fsgid or as one of its groups. */
static inline bool in_group_p(u32 gid)
{
	const struct cred *cred = current_cred();

	if (gid == cred->fsgid)
		return true;
	for (unsigned i = 0; cred->group_info && i < cred->group_info->ngroups; i++)
		if (cred->group_info->gid[i] == gid)
			return true;
	return false;
}
