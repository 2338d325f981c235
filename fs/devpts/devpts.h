/*
 * devpts: a file system with the slaves of pseudo-terminals, usually at /dev/pts, and ptmx, the
 * file that makes new ones.
 *
 * Each mount(2) makes an instance of its own, as on Linux: its slaves are numbered from 0, and
 * other instances do not see them. /dev/ptmx uses the instance that is mounted at "pts" beside it.
 */
#pragma once

#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "kernel/console/pty.h"

#define PTY_MAX     4096 /* pseudo-terminals, and of these those for the first instance only */
#define PTY_RESERVE 1024

/*
 * One instance. Legend: [L] lock; [C] constant; [M] the options: written under mount_mutex.
 *
 * The i_private of a slave's inode is [L], too: the pty, which the master owns; NULL: the master is
 * closed.
 */
struct devpts_info {
	struct super_block *sb; /* [C] */
	struct dentry *ptmx;    /* [C] */
	struct mutex lock;
	struct pty **ptys;      /* [L] by index; NULL: free */
	unsigned slots;         /* [L] of ptys */
	unsigned max;           /* [M] */
	u32 uid, gid;           /* [M] owner of new slaves */
	bool setuid, setgid;    /* [M] false: those of the program that opens ptmx */
	umode_t mode, ptmxmode; /* [M] */
};

/*
 * Makes a pty and its slave's file. *index and *dentry (counted) are set. ERR_PTR: -ENOSPC,
 * -ENOMEM, -EEXIST.
 */
struct pty *devpts_new(struct devpts_info *info, unsigned *index, struct dentry **dentry);
/* The master is closed: removes the file. Drops the reference on dentry. */
void devpts_kill(struct devpts_info *info, struct pty *pty, unsigned index, struct dentry *dentry);
extern const struct file_operations ptmx_fops;
extern struct file_system_type devpts_type;
/* The options of mount(2). 0 or -EINVAL, -ENOMEM. */
int devpts_parse_options(struct devpts_info *info, const char *data);
/* /proc/sys/kernel/pty: the most pseudo-terminals, and how many there are. */
extern int pty_max, pty_reserve;
extern atomic_t pty_count;
