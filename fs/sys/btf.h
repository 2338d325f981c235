/* The directory /sys/kernel/btf. */
#pragma once

struct dentry;

extern struct dentry *btf_sysfs_dir; /* constant after the boot; NULL: the kernel has no types */
