/* Declarations that the files of procfs share. */
#pragma once

#include "fs/proc_fs.h"
#include "kernel/sched/sched.h"

/* They make the static entries of each file. 0 or a negative errno. */
int proc_kernel_init(void);           /* kernel.c: version, uptime, loadavg, kallsyms */
int proc_cmdline_init(void);          /* cmdline.c */
int proc_cpuinfo_init(void);          /* cpuinfo.c */
int proc_meminfo_init(void);          /* meminfo.c */
int proc_slabinfo_init(void);         /* slabinfo.c */
int proc_stat_init(void);             /* stat.c */
int proc_mounts_init(void);           /* mounts.c: mounts, filesystems */
int proc_interrupts_init(void);       /* interrupts.c: interrupts, softirqs */
int proc_sysctl_init(void);           /* sysctl.c: sys/ */
int proc_sysrq_init(void);            /* sysrq.c: sysrq-trigger */
int proc_unknown_syscalls_init(void); /* unknown_syscalls.c */

/* The unit of time in /proc: 1/100 s. */
#define USER_HZ            100
#define NSEC_PER_USER_TICK (1000000000ULL / USER_HZ)

/* Positions in readdir of the root: static entries are below, a task is at this number + PID. */
#define FIRST_PROCESS_POS (1 << 20)

/* base.c: the directories of tasks. The caller holds the i_mutex of the root directory. */
int proc_root_lookup(struct inode *dir, struct dentry *dentry);
void proc_pid_readdir(struct dir_context *ctx);
/* Drops the task reference of an inode. No lock held. */
void proc_evict_inode(struct inode *inode);
/* Returns the task with the lowest PID at or above pid, counted; or NULL. Task context. */
struct task_struct *next_task_from(pid_t pid);

/* array.c: show the files of the task m->private. They return -ESRCH after it was reaped. */
int proc_pid_stat(struct seq_file *m, void *v);
int proc_pid_status(struct seq_file *m, void *v);
int proc_pid_stack(struct seq_file *m, void *v);
int proc_pid_comm(struct seq_file *m, void *v);
int proc_pid_patch_state(struct seq_file *m, void *v);
/* Tells if the task can still be found by its PID. */
bool proc_task_alive(struct task_struct *task);
