/* Declarations that the files of procfs share. */
#pragma once

#include "fs/proc/proc_fs.h"
#include "kernel/sched/sched.h"

/* The unit of time in /proc: 1/100 s. */
#define USER_HZ            100
#define NSEC_PER_USER_TICK (1000000000ULL / USER_HZ)

/* sysctl.c: makes /proc/sys with its files. 0 or -ENOMEM. */
int proc_sysctl_init(void);

/* Positions in readdir of the root: static entries are below, a task is at this number + PID. */
#define FIRST_PROCESS_POS (1 << 20)

/*
 * The directories of tasks in the root (task/base.c). The caller holds the i_mutex of the root, but
 * for evict_inode: no lock.
 */
struct proc_tasks {
	int (*lookup)(struct dentry *dentry);     /* 0 or a negative errno: -ENOENT */
	void (*readdir)(struct dir_context *ctx); /* from FIRST_PROCESS_POS on */
	void (*evict_inode)(struct inode *inode); /* of any inode of procfs */
};

/* At the boot, once. */
void register_proc_tasks(const struct proc_tasks *tasks);

/* Opens a sequence whose private pointer says whether the opener may see addresses. */
int seq_open_addresses(struct file *file, const struct seq_operations *op);
