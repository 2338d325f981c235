/*
 * O_ASYNC and F_SETOWN of fcntl(2): an open file has an owner, a task or a process group, and sends
 * it signals. kernel/signal/sigio.h says which signals.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/signal/sigio.h"

/*
 * For the fasync operation of a file: enters it into the list of an object, or takes it out; sets
 * or clears O_ASYNC. 0 or -ENOMEM. Task context.
 */
int fasync_helper(int fd, struct file *file, bool on, struct fasync_struct **list);
/*
 * Sets the owner; only_first: unless there is one. pid is counted for the caller; NULL: no owner. 0
 * or -ENOMEM. Task context.
 */
int __f_setown(struct file *file, struct pid *pid, enum pid_type type, bool only_first);
/* Number of a process, or of a group as a negative number. 0, -ESRCH, -EINVAL, -ENOMEM. */
int f_setown(struct file *file, int who);
int f_getown(struct file *file);

/* Changes flags of an open file while other tasks may change others. Not O_ASYNC. Task context. */
void file_change_flags(struct file *file, unsigned clear, unsigned set);
/* ioctl(FIOASYNC) and the part of F_SETFL: 0, -ENOTTY (the file never sends signals), -ENOMEM. */
int fasync_set(int fd, struct file *file, bool on);
/* F_SETOWN and so on. -EINVAL: another command. Task context. */
long fcntl_owner(struct file *file, unsigned cmd, unsigned long arg);
/* The file is freed. It is in no list. */
void f_owner_free(struct fown_struct *owner);
