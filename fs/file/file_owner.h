/*
 * Owners of files: an object that makes a set of files work and that can be removed, such as a
 * tracing instance. It plays the part of file_operations.owner in Linux, which names a module.
 *
 * The owner cannot be removed while one of its files is open. After its removal no file of it can
 * be opened. The last reference, which may be an inode's, releases it. A struct file_owner is
 * embedded in the object that it stands for.
 *
 * An owner may have a parent: an event in a tracing instance depends on both. The parent is not
 * removed while a file of the owner is open, and after its removal no such file can be opened.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/compiler.h"

/* Legend: [A] atomic; [R] RCU to read, constant while a file is open. */
struct file_owner {
	atomic_t refs;             /* [A] one for each inode, and one for itself */
	atomic_t opens;            /* [A] open files; -1: the owner is removed */
	struct file_owner *parent; /* constant, counted; NULL: none */
	struct module *module;     /* an open file keeps it, too; NULL: none, or it has gone [R] */
	void (*release)(struct file_owner *owner); /* task context */
};

/* Sets one reference. The drop of the last reference calls release. parent may be NULL. */
void file_owner_init(struct file_owner *owner, struct file_owner *parent,
		     void (*release)(struct file_owner *owner));
struct file_owner *file_owner_get(struct file_owner *owner); /* returns owner, which may be NULL */
void file_owner_put(struct file_owner *owner);               /* owner may be NULL */
/* Counts a file that the VFS opens. False: the owner or its parent is removed. RCU held. */
bool file_owner_open(struct file_owner *owner);
/* Uncounts a file that the VFS closes. */
void file_owner_close(struct file_owner *owner);
/* Removes the owner: 0, or -EBUSY while one of its files is open. Any context. */
int file_owner_kill(struct file_owner *owner);
/* Undoes file_owner_kill(). */
void file_owner_revive(struct file_owner *owner);
