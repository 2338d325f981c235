/*
 * File names of programs, copied into the kernel once, at the boundary of a system call. So a
 * program cannot change a name after it was checked.
 */
#pragma once

#include "arch/mm/uaccess.h"
#include "fs/vfs/fs.h"

/* A copy of a program's name. Linux's tools read its first field, for example opensnoop. */
struct filename {
	const char *name; /* is text */
	char text[];
};

/*
 * Copies a name into kernel memory. Returns it, or an ERR_PTR: -EFAULT, -ENAMETOOLONG (PATH_MAX
 * bytes without a NUL), -ENOMEM, -ENOENT (empty). The caller frees it with putname(), which accepts
 * an ERR_PTR.
 */
struct filename *getname(const char __user *name);
/* The same, but if at_flags has AT_EMPTY_PATH, the name may be empty. */
struct filename *getname_flags(const char __user *name, int at_flags);
void putname(struct filename *name);
/* The text of a name, or its ERR_PTR, which some functions accept in place of a text. */
static inline const char *filename_text(const struct filename *name)
{
	return IS_ERR(name) ? (const char *)name : name->name;
}
/* getname() and kern_path_at() in one. at_flags: AT_EMPTY_PATH; lookup: LOOKUP_*. */
int user_path_at(int dfd, const char __user *name, int at_flags, unsigned lookup,
		 struct path *path);
