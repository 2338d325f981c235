/* procfs at /proc: static entries, tables of /proc/sys, keys of /proc/sysrq-trigger. */
#pragma once

#include "fs/vfs/seq_file.h"

/*
 * Make an entry in parent (NULL: /proc itself) that stays for ever. They return NULL after they
 * have printed the error. Task context, after fs_initcall.
 */
struct dentry *proc_create_data(const char *name, umode_t mode, struct dentry *parent,
				const struct file_operations *fops, void *data);
struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
			   const struct file_operations *fops);
struct dentry *proc_mkdir(const char *name, struct dentry *parent);

/*
 * The counted pid of a file that is the directory /proc/PID, for pidfd_send_signal(2); or an
 * ERR_PTR: -EBADF (another file), -ESRCH (the process is reaped). Task context; takes
 * tasklist_lock.
 */
struct pid *proc_pid_of_dir(const struct file *file);

/* ---- /proc/sys ---- */

struct ctl_table;
/*
 * Read: formats the value into buf (size bytes, NUL-terminated). Write: parses buf (NUL-terminated)
 * and stores the value. Returns 0, or a negative errno, and then stores nothing.
 */
typedef int (*proc_handler_t)(const struct ctl_table *table, bool write, char *buf, size_t size);

struct ctl_table {
	const char *procname; /* NULL ends a table */
	void *data;
	size_t maxlen; /* bytes at data */
	umode_t mode;
	proc_handler_t proc_handler;
};

/* Makes the files of table in /proc/sys/DIR, such as kernel/pty. The table stays for ever. 0 or a
 * negative errno. */
int register_sysctl(const char *dir, const struct ctl_table *table);
/*
 * A handler for ints, which it prints with tabs between them. A write may set only the first ones;
 * a word that is not a number gives -EINVAL.
 */
int proc_dointvec(const struct ctl_table *table, bool write, char *buf, size_t size);
/* The same for one int; -EINVAL for a number below 0. */
int proc_dointvec_positive(const struct ctl_table *table, bool write, char *buf, size_t size);
/* For one unsigned long. */
int proc_doulongvec(const struct ctl_table *table, bool write, char *buf, size_t size);

/* ---- /proc/sysrq-trigger ---- */

struct sysrq_key_op {
	void (*handler)(int key);
	const char *help_msg;   /* "show-task-states(t)" */
	const char *action_msg; /* "Show State" */
};

/* Gives key ([a-z0-9]) its operation. 0, -EBUSY (key has one), -EINVAL. Any context. */
int sysrq_register(int key, const struct sysrq_key_op *op);
