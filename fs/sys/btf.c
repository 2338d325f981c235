/* /sys/kernel/btf/vmlinux: the types of the kernel, in BTF, if the kernel was built with pahole. */
#include "fs/sys/btf.h"
#include "fs/sys/sysfs.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/init.h"

struct dentry *btf_sysfs_dir;

static ssize_t vmlinux_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos, __start_BTF, btf_vmlinux_size());
}

static const struct file_operations vmlinux_fops = {
	.read = vmlinux_read,
	.llseek = generic_file_llseek,
};

static int __init btf_sysfs_init(void)
{
	struct dentry *file;

	if (!btf_vmlinux_size())
		return 0;
	btf_sysfs_dir = sysfs_create_dir("btf", sysfs_kernel_dir());
	file = sysfs_create_file("vmlinux", 0444, btf_sysfs_dir, NULL, &vmlinux_fops);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	file->d_inode->i_size = (loff_t)btf_vmlinux_size();
	return 0;
}
late_initcall(btf_sysfs_init);
