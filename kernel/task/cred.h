/*
 * Credentials: in whose name a task acts.
 *
 * A struct cred never changes once a task points to it. To change its own, a task copies them with
 * prepare_creds(), changes the copy and publishes it with commit_creds(). So the current task reads
 * its credentials without a lock. The credentials of another task are read under rcu_read_lock().
 *
 * They say what the task may do at this moment, and no more. Code that checks the credentials of
 * another task, and then uses the memory or the descriptors of that task, keeps exec from changing
 * both in between: signal_struct.exec_update_lock. And a file that stays open keeps what it may
 * show: a file of /proc is bound to the memory that the task has at the open, because its reader
 * may have other credentials at the time of the read, and the task too.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/task/capability.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"

#define NGROUPS_MAX 65536

/*
 * What all processes of a user have together. [U] users_lock; [A] atomic; [C] constant.
 *
 * A limit belongs to the user who spends it. An object is charged to the user who makes it, keeps a
 * reference to that user, and gives the charge back to the same user when it dies: it may belong to
 * another user then, by setuid(2) or by a message. A limit is checked after the charge, or together
 * with it in one operation. So two tasks cannot both take the last place.
 *
 * A task becomes another user's without a place there: setuid(2) does not fail for RLIMIT_NPROC,
 * because programs of root ignore that error and would go on as root. It sets PF_NPROC_EXCEEDED,
 * and exec fails for as long as the user has too many tasks.
 */
struct user_struct {
	atomic_t count;             /* [A] references; 0 only under U */
	u32 uid;                    /* [C] real user id */
	atomic_t processes;         /* [A] tasks: RLIMIT_NPROC */
	atomic_t sigpending;        /* [A] queued signals: RLIMIT_SIGPENDING */
	atomic64_t locked_vm;       /* [A] pages of its buffers of perf: perf_event_mlock_kb */
	atomic64_t pipe_bufs;       /* [A] pages that its pipes may use: fs.pipe-user-pages-* */
	atomic64_t epoll_watches;   /* [A] fs.epoll.max_user_watches */
	atomic64_t unix_inflight;   /* [A] descriptors in messages: RLIMIT_NOFILE */
	atomic_t inotify_instances; /* [A] fs.inotify.max_user_instances */
	atomic_t inotify_watches;   /* [A] fs.inotify.max_user_watches */
	struct list_head node;      /* [U] in the list of users */
};
extern struct user_struct root_user;
/* The user with that id and a new reference; NULL: memory is short. Task context. */
struct user_struct *alloc_uid(u32 uid);
/* Drops a reference. Any context but NMI. */
void put_user_struct(struct user_struct *user);

/* Supplementary groups, sorted. Constant after creation; [A] atomic. */
struct group_info {
	atomic_t usage; /* [A] */
	unsigned ngroups;
	u32 gid[];
};

#define SECBIT_KEEP_CAPS 0x10 /* of securebits: prctl(PR_SET_KEEPCAPS) */

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
	struct user_struct *user; /* of uid; counted */
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

/* The user of the current task, with a new reference. */
static inline struct user_struct *get_current_user(void)
{
	struct user_struct *user = current_cred()->user;

	atomic_inc(&user->count);
	return user;
}

static inline const struct cred *get_cred(const struct cred *cred)
{
	atomic_inc(&((struct cred *)cred)->usage);
	return cred;
}
/* Drops a reference. The last one frees the struct after a grace period. Task context. */
void put_cred(const struct cred *cred);
/* The credentials of p with a reference, for a check whether the current task may act on p. */
const struct cred *get_task_cred(struct task_struct *p);

void put_group_info(struct group_info *groups);

/* A copy of the current credentials to change, or NULL: memory is short. Task context. */
struct cred *prepare_creds(void);
/* Makes new the credentials of the current task, which takes over the reference. Returns 0. */
int commit_creds(struct cred *new);
/*
 * Whether the current task will know or may do with new what others with the ids of either must not
 * get at: commit_creds(new) makes its memory undumpable.
 */
bool creds_hide_memory(const struct cred *new);
/* Sets new->uid and its user, which commit_creds() charges for the task. 0 or -ENOMEM. */
int set_cred_user(struct cred *new, u32 uid);
/* Whether that user is not root and has more tasks than the current task's RLIMIT_NPROC allows. */
bool nproc_exceeded(const struct user_struct *user);
/* Gives a new task references to cred, and counts it with its user. */
void copy_creds(struct task_struct *p, const struct cred *cred);
/* Undo that: the count before the parent's wait4() returns, the references when p is freed. */
void uncount_process(struct task_struct *p);
void exit_creds(struct task_struct *p);

/*
 * 0, or -EPERM: cred has not that capability. Tools probe this function by its name in Linux, and
 * read cap as its third argument. There are no user namespaces and no audit: ns is NULL, opts is 0.
 */
int cap_capable(const struct cred *cred, const void *ns, int cap, unsigned opts);

/* Whether the current task has that capability. It counts only what the task acts with. */
static inline bool capable(unsigned cap)
{
	return !cap_capable(current_cred(), NULL, (int)cap, 0);
}

/* Whether cred is in the group as its file-system group or as a supplementary one. Any context. */
bool cred_in_group(const struct cred *cred, u32 gid);
static inline bool in_group_p(u32 gid)
{
	return cred_in_group(current_cred(), gid);
}
