/* devtmpfs at /dev: devices as files. */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/linker_table.h"

/*
 * A character device of the kernel. The boot makes /dev/NAME. The open operation finds private in
 * inode->i_private.
 */
struct device_file {
	const char *name;
	const struct file_operations *fops;
	void *private;
	bool (*exists)(void); /* NULL: always. Task context. */
	u32 dev;              /* MKDEV() */
	umode_t mode;
};

/* Adds a device: DEVICE_FILE(null) = { .name = "null", … }; */
#define DEVICE_FILE(id)                                                                            \
	static const struct device_file device_file_##id LINKER_TABLE_ENTRY(rodata, device_files,  \
									    #id)
