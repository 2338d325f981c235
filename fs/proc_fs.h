/* procfs at /proc: static entries, and the tables behind /proc/sys and /proc/sysrq-trigger. */
#pragma once

#include "fs/seq_file.h"

/*
 * parent NULL: /proc itself. An entry that lives until remove_proc_entry(), or NULL (reported).
 * Task context, after fs_initcall.
 */
struct dentry *proc_create_data(const char *name, umode_t mode, struct dentry *parent,
				const struct file_operations *fops, void *data);
struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
			   const struct file_operations *fops);
struct dentry *proc_mkdir(const char *name, struct dentry *parent);
struct dentry *proc_symlink(const char *name, struct dentry *parent, const char *target);
void remove_proc_entry(struct dentry *entry);

/* ---- /proc/sys ---- */

struct ctl_table;
/*
 * Read: format the value into buf (NUL-terminated, size bytes). Write: parse buf (NUL-terminated)
 * and store. 0 or a negative errno; nothing is stored on an error.
 */
typedef int (*proc_handler_t)(const struct ctl_table *table, bool write, char *buf, size_t size);

struct ctl_table {
	const char *procname; /* NULL ends a table */
	void *data;
	size_t maxlen; /* bytes at data */
	umode_t mode;
	proc_handler_t proc_handler;
	long extra1, extra2; /* proc_dointvec_minmax: smallest and largest value */
};

/* dir: "kernel". The table must live for ever. 0 or a negative errno. */
int register_sysctl(const char *dir, const struct ctl_table *table);
/* ints separated by tabs; a write may set fewer than there are. -EINVAL for anything else. */
int proc_dointvec(const struct ctl_table *table, bool write, char *buf, size_t size);
int proc_dointvec_minmax(const struct ctl_table *table, bool write, char *buf, size_t size);

/* ---- /proc/sysrq-trigger ---- */

struct sysrq_key_op {
	void (*handler)(int key);
	const char *help_msg;   /* "show-task-states(t)" */
	const char *action_msg; /* "Show State" */
};

/* Bind key ([a-z0-9]). 0, -EBUSY (taken), -EINVAL. Any context. */
int sysrq_register(int key, const struct sysrq_key_op *op);
/* Do what key says, as writing it to /proc/sysrq-trigger does. Task context. */
void handle_sysrq(int key);
