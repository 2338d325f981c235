/* Supplementary groups, and capget(2) and capset(2). */
#include "arch/mm/uaccess.h"
#include "kernel/lib/sort.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/syscalls/syscalls.h"

SYSCALL_DEFINE2(getgroups, int, gidsetsize, gid_t __user *, grouplist)
{
	const struct group_info *groups = current_cred()->group_info;
	int count = (int)groups->ngroups;

	if (gidsetsize < 0)
		return -EINVAL;
	if (!gidsetsize)
		return count;
	if (count > gidsetsize)
		return -EINVAL;
	return copy_to_user(grouplist, groups->gid, (size_t)count * sizeof(u32)) ? -EFAULT : count;
}

static int compare_gids(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

SYSCALL_DEFINE2(setgroups, int, gidsetsize, gid_t __user *, grouplist)
{
	struct group_info *groups;
	struct cred *new;
	size_t size;

	if (!capable(CAP_SETGID))
		return -EPERM;
	if ((unsigned)gidsetsize > NGROUPS_MAX)
		return -EINVAL;
	size = (size_t)gidsetsize * sizeof(u32);
	groups = kvzalloc(sizeof(*groups) + size, GFP_KERNEL);
	if (!groups)
		return -ENOMEM;
	atomic_set(&groups->usage, 1);
	groups->ngroups = (unsigned)gidsetsize;
	if (copy_from_user(groups->gid, grouplist, size)) {
		kvfree(groups);
		return -EFAULT;
	}
	for (unsigned i = 0; i < groups->ngroups; i++) {
		if (groups->gid[i] == (u32)-1) {
			kvfree(groups);
			return -EINVAL;
		}
	}
	sort(groups->gid, groups->ngroups, sizeof(u32), compare_gids);
	new = prepare_creds();
	if (!new) {
		kvfree(groups);
		return -ENOMEM;
	}
	put_group_info(new->group_info);
	new->group_info = groups;
	return commit_creds(new);
}

#define CAPABILITY_VERSION_1 0x19980330
#define CAPABILITY_VERSION_2 0x20071026
#define CAPABILITY_VERSION_3 0x20080522

struct cap_header {
	u32 version;
	int pid;
};

/* The low or the high 32 bits of three sets. */
struct cap_data {
	u32 effective, permitted, inheritable;
};

/* Linux's names, which the formats of events show. */
typedef struct cap_header __user *cap_user_header_t;
typedef struct cap_data __user *cap_user_data_t;

/* The number of struct cap_data of that version: 1 or 2. -EINVAL: unknown; tells the known one. */
static int cap_words(struct cap_header __user *header, u32 version)
{
	if (version == CAPABILITY_VERSION_1)
		return 1;
	if (version == CAPABILITY_VERSION_2 || version == CAPABILITY_VERSION_3)
		return 2;
	return put_user((u32)CAPABILITY_VERSION_3, &header->version) ? -EFAULT : -EINVAL;
}

/* The sets of a process. */
static int get_caps(pid_t pid, struct cap_data data[2])
{
	const struct cred *cred;
	struct task_struct *p;

	p = pid ? find_get_task_by_pid(pid) : get_task_struct(current);
	if (!p)
		return -ESRCH;
	cred = get_task_cred(p);
	for (unsigned i = 0; i < 2; i++)
		data[i] = (struct cap_data){ (u32)(cred->cap_effective >> 32 * i),
					     (u32)(cred->cap_permitted >> 32 * i),
					     (u32)(cred->cap_inheritable >> 32 * i) };
	put_cred(cred);
	put_task_struct(p);
	return 0;
}

SYSCALL_DEFINE2(capget, cap_user_header_t, header, cap_user_data_t, dataptr)
{
	struct cap_header head;
	struct cap_data data[2];
	int words, error;

	if (copy_from_user(&head, header, sizeof(head)))
		return -EFAULT;
	words = cap_words(header, head.version);
	if (words < 0)
		return !dataptr && words == -EINVAL ? 0 : words; /* only asks for the version */
	if (!dataptr)
		return 0;
	if (head.pid < 0)
		return -EINVAL;
	error = get_caps(head.pid, data);
	if (error)
		return error;
	return copy_to_user(dataptr, data, (size_t)words * sizeof(data[0])) ? -EFAULT : 0;
}

static bool is_subset(u64 set, u64 of)
{
	return !(set & ~of);
}

SYSCALL_DEFINE2(capset, cap_user_header_t, header, const cap_user_data_t, data)
{
	const struct cred *old = current_cred();
	struct cap_data in[2] = { { 0 }, { 0 } };
	u64 effective, permitted, inheritable;
	struct cap_header head;
	struct cred *new;
	int words;

	if (copy_from_user(&head, header, sizeof(head)))
		return -EFAULT;
	words = cap_words(header, head.version);
	if (words < 0)
		return words;
	if (head.pid && head.pid != current->pid)
		return -EPERM;
	if (copy_from_user(in, data, (size_t)words * sizeof(in[0])))
		return -EFAULT;
	effective = ((u64)in[1].effective << 32 | in[0].effective) & CAP_FULL_SET;
	permitted = ((u64)in[1].permitted << 32 | in[0].permitted) & CAP_FULL_SET;
	inheritable = ((u64)in[1].inheritable << 32 | in[0].inheritable) & CAP_FULL_SET;
	if (!is_subset(permitted, old->cap_permitted) || !is_subset(effective, permitted) ||
	    !is_subset(inheritable, old->cap_inheritable | old->cap_bset) ||
	    (!is_subset(inheritable, old->cap_inheritable | old->cap_permitted) &&
	     !capable(CAP_SETPCAP)))
		return -EPERM;
	new = prepare_creds();
	if (!new)
		return -ENOMEM;
	new->cap_effective = effective;
	new->cap_permitted = permitted;
	new->cap_inheritable = inheritable;
	new->cap_ambient &= permitted &inheritable;
	return commit_creds(new);
}
