/* Parts of fs/file/fasync.c and kernel/signal/sigio.c for tests in which no file sends signals. */
#pragma once

#include "fs/file/fasync.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"

void __kill_fasync(struct fasync_struct **list, int sig, int band)
{
	(void)list, (void)sig, (void)band;
}

void file_change_flags(struct file *file, unsigned clear, unsigned set)
{
	file->f_flags = (file->f_flags & ~clear) | set;
}

int fasync_set(int fd, struct file *file, bool on)
{
	(void)fd, (void)file, (void)on;
	return -ENOTTY;
}

long fcntl_owner(struct file *file, unsigned cmd, unsigned long arg)
{
	(void)file, (void)cmd, (void)arg;
	return -EINVAL;
}

void f_owner_free(struct fown_struct *owner)
{
	kfree(owner);
}
