/* Files of sysfs that one function prints. Boot. */
#pragma once

#include "fs/sys/sysfs.h"

struct seq_file;

/*
 * Makes a file that is only read, and that stays. Its text is what show prints, which finds data in
 * m->private. Returns a dentry, or an ERR_PTR. If parent is an ERR_PTR, returns it.
 */
struct dentry *sysfs_create_text(const char *name, struct dentry *parent,
				 int (*show)(struct seq_file *m, void *v), void *data);
