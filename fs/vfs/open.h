/* Opening files from inside the kernel, and changes of a file's length. */
#pragma once

#include "fs/vfs/fs.h"

/*
 * Forbids writers while a program runs from the file: 0, or -ETXTBSY if one has it open. Then
 * opens for writing get -ETXTBSY until allow_write_access().
 */
int deny_write_access(struct file *file);
void allow_write_access(struct file *file);
/* A reference on the program of an address space, which denies writers. It is denied already. */
void vm_get_exe_file(struct file *file);

/* Counts a writer of a regular file: 0, or -ETXTBSY while a program runs from it. Any context. */
int get_write_access(struct inode *inode);
void put_write_access(struct inode *inode);

/* Modes of fallocate(2). */
#define FALLOC_FL_KEEP_SIZE  0x01
#define FALLOC_FL_PUNCH_HOLE 0x02
#define FALLOC_FL_ZERO_RANGE 0x10
#define FALLOC_FL_KNOWN      (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)

/*
 * Sets the length of a regular file, without a check of permissions. Takes i_mutex. 0, -EFBIG,
 * -EINVAL (no such operation), -ENOMEM.
 */
int vfs_truncate(struct inode *inode, loff_t length);
