/* The files of CPUs in /sys/devices/system. Boot. */
#pragma once

#include "fs/sys/text.h"
#include "kernel/cpumask.h"

/* Makes node/ in dir. Returns a dentry of it, or an ERR_PTR. */
struct dentry *sysfs_add_nodes(struct dentry *dir);
/*
 * Make topology/ or cache/ of an online CPU in its directory. They return a dentry of it, or an
 * ERR_PTR.
 */
struct dentry *sysfs_add_topology(unsigned cpu, struct dentry *dir);
struct dentry *sysfs_add_caches(unsigned cpu, struct dentry *dir);

/* For show operations: print CPUs as a list (0-3,5) or as a mask (2f), and a newline. Return 0. */
int sysfs_show_cpulist(struct seq_file *m, const struct cpumask *cpus);
int sysfs_show_cpumask(struct seq_file *m, const struct cpumask *cpus);
