/* Declarations that the files of procfs about one task share. */
#pragma once

#include "fs/proc/internal.h"
#include "kernel/process/ptrace.h"

/*
 * What the inode of a file of a task is about: its i_private, and m->private of its seq_file,
 * unless the file keeps something of its own there.
 *
 * When is a reader asked whether it may look? The open checks the mode of the file only, and its
 * owner, which proc_task_revalidate() keeps up to date. A file that shows memory is bound to the
 * address space that the task has at the open (proc_mem_open()), and is asked then. Any other file
 * is asked at each read, under lock_trace(). No file relies on a check at a read alone, because its
 * reader may be another task than the one that has opened it: a set-user-ID program whose standard
 * error is its own mem (CVE-2012-0056).
 */
struct proc_object {
	struct task_struct *task;      /* counted */
	const struct pid_entry *entry; /* what the name stands for; NULL: the directory of a task */
	unsigned fd;                   /* in fd/ and fdinfo/ */
	bool thread;                   /* below task/: shows this thread alone */
};

#define PROC_PROCESS 1 /* of a process: not in task/TID */
#define PROC_TRACED  2 /* show runs under lock_trace(); the opener must have been allowed, too */
#define PROC_ADMIN   4 /* the task that opens it needs CAP_SYS_ADMIN */

/* One name in the directory of a task. */
struct pid_entry {
	const char *name;
	umode_t mode;                             /* with the type */
	unsigned flags;                           /* PROC_* */
	int (*show)(struct seq_file *m, void *v); /* a file of one record */
	const struct inode_operations *iops;      /* NULL: those of a file */
	const struct file_operations *fops;       /* NULL: those for show */
};

/*
 * A name from another room, behind those of base.c: static const struct pid_entry x PID_ENTRY("x")
 * = { … };
 */
#define PID_ENTRY(name) LINKER_TABLE_ENTRY(rodata, more_pid_entries, name)

static inline struct proc_object *proc_object(const struct inode *inode)
{
	return inode->i_private;
}

/*
 * For a file whose writes need a capability: the task that writes must have it, and the task that
 * has opened the file, too. Else a user makes the file the standard output of a set-user-ID
 * program. m->private are the credentials of the opener; show takes the task from m->file->f_inode.
 */
int proc_opener_open(struct file *file, int (*show)(struct seq_file *m, void *v));
int proc_opener_release(struct inode *inode, struct file *file);
bool proc_capable(const struct file *file, unsigned cap);

/* Returns the task with the lowest PID at or above pid, counted; or NULL. Task context. */
struct task_struct *next_task_from(pid_t pid);
/*
 * Gives dentry a new inode for *object, with a task reference of its own. mode: with the type. 0 or
 * -ENOMEM. The caller holds the i_mutex of the directory.
 */
int proc_instantiate(struct dentry *dentry, const struct proc_object *object, umode_t mode,
		     const struct inode_operations *iops, const struct file_operations *fops);
/* For inode_operations: drops the dentry of a task that is reaped, and updates the owner. */
bool proc_task_revalidate(struct dentry *dentry);
/* Tells if the task can still be found by its PID. */
bool proc_task_alive(struct task_struct *task);
/* The text of a path for a link: kmalloc()ed, or an ERR_PTR. Task context. */
char *proc_path_text(const struct path *path);

/* The text of a link whose object get_path() gives: the same. */
char *proc_link_text(struct dentry *dentry, int (*get_path)(struct dentry *, struct path *));

/* task_dir.c: task/, with a directory for each thread. */
extern const struct inode_operations proc_task_dir_inode_operations;
extern const struct file_operations proc_task_dir_operations;
/* The directories of a process and of a thread (base.c). */
extern const struct inode_operations proc_pid_dir_inode_operations;
extern const struct file_operations proc_pid_dir_operations;

/* links.c: exe, cwd, root, fd/, fdinfo/. */
extern const struct inode_operations proc_exe_link, proc_cwd_link, proc_root_link;
extern const struct inode_operations proc_fd_dir_inode_operations;
extern const struct inode_operations proc_fdinfo_dir_inode_operations;
extern const struct file_operations proc_fd_dir_operations;

/* task_mm.c: what the address space tells. */
extern const struct file_operations proc_maps_operations, proc_mem_operations;
extern const struct file_operations proc_cmdline_operations, proc_environ_operations;
extern const struct file_operations proc_auxv_operations;
/*
 * For open: the address space of the task of the inode, if the current task may access it so
 * (PTRACE_MODE_READ or ATTACH). The caller drops it with mmdrop() when the file is released, and
 * uses it only between mmget_not_zero() and mmput(): it shows nothing once the task has another
 * one. NULL: the task has none. -EACCES, -ESRCH.
 */
struct mm_struct *proc_mem_open(struct inode *inode, unsigned mode);
/* For seq_operations: the areas, one after the other, of the address space m->private. */
void *proc_maps_start(struct seq_file *m, loff_t *pos);
void *proc_maps_next(struct seq_file *m, void *v, loff_t *pos);
void proc_maps_stop(struct seq_file *m, void *v);
/* Opens such a file, and releases it. */
int proc_maps_open(struct inode *inode, struct file *file, const struct seq_operations *op);
int proc_maps_release(struct inode *inode, struct file *file);
int proc_maps_show(struct seq_file *m, void *v); /* the line of an area */
/* The name of memory that is not of a file, or NULL. mmap_lock held; does not sleep. */
const char *proc_area_name(struct vm_area_struct *vma);
/* For files whose position may be any number: an address. */
loff_t proc_mem_llseek(struct file *file, loff_t offset, int whence);
/* smaps.c: sums over page tables. */
extern const struct file_operations proc_smaps_operations, proc_pagemap_operations;
extern const struct file_operations proc_smaps_rollup_operations;

/*
 * task_dir.c: the number that the name of an entry is. False: it is none; 007, +7, and 7 with a
 * newline are not names of task 7 or descriptor 7.
 */
bool proc_name_to_int(const char *name, unsigned *number);
int proc_pid_statm(struct seq_file *m, void *v);
struct mm_struct;
/* The lines of status. mm has a user. */
void proc_show_mm_status(struct seq_file *m, struct mm_struct *mm);

/*
 * array.c, stack.c, limits.c, ../mounts.c: show the files of the task of proc_object m->private.
 * They return -ESRCH after it was reaped.
 */
int proc_pid_stat(struct seq_file *m, void *v);
int proc_pid_status(struct seq_file *m, void *v);
int proc_pid_comm(struct seq_file *m, void *v);
int proc_pid_patch_state(struct seq_file *m, void *v);
int proc_pid_stack(struct seq_file *m, void *v);
int proc_pid_wchan(struct seq_file *m, void *v);
int proc_pid_syscall(struct seq_file *m, void *v);
int proc_pid_limits(struct seq_file *m, void *v);
int proc_pid_personality(struct seq_file *m, void *v);
int proc_pid_oom_score(struct seq_file *m, void *v);
extern const struct file_operations proc_oom_score_adj_operations;
extern const struct file_operations proc_timerslack_operations;
int proc_pid_sched(struct seq_file *m, void *v); /* sched.c */
int proc_pid_io(struct seq_file *m, void *v);    /* io.c */
int proc_show_mounts(struct seq_file *m, void *v);
int proc_show_mountinfo(struct seq_file *m, void *v);
