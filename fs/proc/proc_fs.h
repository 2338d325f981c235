/* procfs at /proc: static entries, files of /proc/sys, keys of /proc/sysrq-trigger. */
#pragma once

#include "fs/vfs/seq_file.h"
#include "kernel/linker_table.h"

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
	const char *dir; /* below /proc/sys, such as kernel/pty */
	const char *procname;
	void *data;
	size_t maxlen; /* bytes at data */
	umode_t mode;
	proc_handler_t proc_handler;
	int most; /* for proc_dointvec_positive(); 0: no limit */
};

/*
 * Add a file in /proc/sys/DIR, which the boot makes. Further fields may follow:
 *
 *	SYSCTL(file_max, "fs", "file-max", 0644, proc_doulongvec, .data = &max_files);
 *
 * The second one is for an int, or an array of ints, and names the file id.
 */
#define SYSCTL(id, dir_, name, mode_, handler, fields...)                                          \
	static const struct ctl_table ctl_##id LINKER_TABLE_ENTRY(rodata, sysctls, "") = {         \
		.dir = dir_, .procname = name, .mode = mode_, .proc_handler = handler, fields      \
	}
#define SYSCTL_INT(id, dir_, variable, handler, fields...)                                         \
	SYSCTL(id, dir_, #id, 0644, handler, .data = &(variable), .maxlen = sizeof(variable),      \
	       fields)
/*
 * A handler for ints, which it prints with tabs between them. A write may set only the first ones;
 * a word that is not a number gives -EINVAL.
 */
int proc_dointvec(const struct ctl_table *table, bool write, char *buf, size_t size);
/* The same for one int; -EINVAL for a number below 0 or above table->most. */
int proc_dointvec_positive(const struct ctl_table *table, bool write, char *buf, size_t size);
/* For one unsigned long. */
int proc_doulongvec(const struct ctl_table *table, bool write, char *buf, size_t size);

/* ---- /proc/sysrq-trigger ---- */

struct sysrq_key {
	char key;
	void (*handler)(void);  /* task context */
	const char *help_msg;   /* "show-task-states(t)" */
	const char *action_msg; /* "Show State" */
};
/* Adds a command: SYSRQ_KEY(c) = { 'c', sysrq_crash, "crash(c)", "Trigger a crash" }; */
#define SYSRQ_KEY(id)                                                                              \
	static const struct sysrq_key sysrq_key_##id LINKER_TABLE_ENTRY(rodata, sysrq_keys, #id)
