/*
 * Locks on files that programs agree on: of fcntl(2), which belong to a process (POSIX) or to an
 * open file (OFD) and cover a range of bytes; and of flock(2), on the whole file.
 */
#pragma once

#include "fs/fs.h"

/* fcntl(2): locks. */
#define F_GETLK      5
#define F_SETLK      6
#define F_SETLKW     7
#define F_OFD_GETLK  36
#define F_OFD_SETLK  37
#define F_OFD_SETLKW 38

long fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg);
/* A descriptor of the table `owner` is closed: its process loses its locks on the file. */
void locks_remove_posix(struct file *file, void *owner);
/* The last reference is dropped: removes the locks of the open file. */
void locks_remove_file(struct file *file);
