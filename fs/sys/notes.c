/*
 * /sys/kernel/notes: the ELF note with the build id of the kernel. Tools find by it the file that
 * has the kernel's symbols and types. `readelf -n` shows the note of a file.
 */
#include "fs/sys/sysfs.h"
#include "kernel/init.h"

extern const u8 __start_notes[], __stop_notes[];

static size_t notes_size(void)
{
	return (size_t)(__stop_notes - __start_notes);
}

static ssize_t notes_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos, __start_notes, notes_size());
}

static const struct file_operations notes_fops = {
	.read = notes_read,
	.llseek = generic_file_llseek,
};

static int __init notes_sysfs_init(void)
{
	struct dentry *file =
		sysfs_create_file("notes", 0444, sysfs_kernel_dir(), NULL, &notes_fops);

	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	file->d_inode->i_size = (loff_t)notes_size();
	return 0;
}
late_initcall(notes_sysfs_init);
