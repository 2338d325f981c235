/* What the files of procfs share. */
#pragma once

#include "fs/proc_fs.h"
#include "kernel/sched/sched.h"

/* The static entries of each file. 0 or a negative errno. */
int proc_kernel_init(void);     /* kernel.c: version, uptime, loadavg, kallsyms */
int proc_cmdline_init(void);    /* cmdline.c */
int proc_cpuinfo_init(void);    /* cpuinfo.c */
int proc_meminfo_init(void);    /* meminfo.c */
int proc_slabinfo_init(void);   /* slabinfo.c */
int proc_stat_init(void);       /* stat.c */
int proc_mounts_init(void);     /* mounts.c: mounts, filesystems */
int proc_interrupts_init(void); /* interrupts.c: interrupts, softirqs */
int proc_sysctl_init(void);     /* sysctl.c: sys/ */
int proc_sysrq_init(void);      /* sysrq.c: sysrq-trigger */

/* What /proc counts time in, as seen from outside: 1/100 s. */
#define USER_HZ            100
#define NSEC_PER_USER_TICK (1000000000ULL / USER_HZ)

/* Positions of the root's readdir: static entries below, then this + PID. */
#define FIRST_PROCESS_POS (1 << 20)

/* base.c: the directories of tasks. Called with the root's i_mutex held. */
int proc_root_lookup(struct inode *dir, struct dentry *dentry);
void proc_pid_readdir(struct dir_context *ctx);
void proc_evict_inode(struct inode *inode);
/* The task with the lowest PID from pid on, counted, or NULL. Task context. */
struct task_struct *next_task_from(pid_t pid);

/* array.c: the files of one task, which m->private is. -ESRCH once it has been reaped. */
int proc_pid_stat(struct seq_file *m, void *v);
int proc_pid_status(struct seq_file *m, void *v);
int proc_pid_stack(struct seq_file *m, void *v);
int proc_pid_comm(struct seq_file *m, void *v);
int proc_pid_patch_state(struct seq_file *m, void *v);
/* It can still be found by its PID. */
bool proc_task_alive(struct task_struct *task);
