/*
 * Files that stand for namespaces: /proc/PID/ns/NAME leads to them, setns(2) takes them. nop5 makes
 * no new namespaces, so each kind has the one file of the namespace in which all tasks are. Its
 * inode number is that of Linux's initial namespace, by which programs compare namespaces.
 */
#pragma once

#include "fs/vfs/fs.h"

enum ns_kind { NS_TIME, NS_CGROUP, NS_PID, NS_USER, NS_UTS, NS_IPC, NS_NET, NS_MNT, NR_NS_KINDS };

/* The file of a namespace, counted. */
void ns_get_path(enum ns_kind kind, struct path *path);
/* The flag CLONE_NEW* of the namespace for which file stands; 0: file is another file. */
unsigned long ns_file_type(const struct file *file);
