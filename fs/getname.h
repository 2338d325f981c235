/*
 * File names of programs, copied into the kernel once, at the boundary of a system call. So a
 * program cannot change a name after it was checked.
 */
#pragma once

#include "arch/uaccess.h"
#include "fs/fs.h"

/*
 * Copies a name into kernel memory. Returns it, or an ERR_PTR: -EFAULT, -ENAMETOOLONG (PATH_MAX
 * bytes without a NUL), -ENOMEM, -ENOENT (empty). The caller frees it with putname(), which accepts
 * an ERR_PTR.
 */
char *getname(const char __user *name);
/* The same, but if at_flags has AT_EMPTY_PATH, the name may be empty. */
char *getname_flags(const char __user *name, int at_flags);
void putname(char *name);
/* getname() and kern_path_at() in one. at_flags: AT_EMPTY_PATH; lookup: LOOKUP_*. */
int user_path_at(int dfd, const char __user *name, int at_flags, unsigned lookup,
		 struct path *path);
