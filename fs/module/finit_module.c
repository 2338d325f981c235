/* finit_module(2): loads a module from a file. */
#include "fs/file/file.h"
#include "fs/vfs/fs.h"
#include "fs/vfs/open.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module/load.h"
#include "kernel/syscalls/syscalls.h"

/* Reads the whole file into memory of vmalloc(). Returns its length, or a negative errno. */
static ssize_t read_content(struct file *file, void **buf)
{
	loff_t size = file->f_inode->i_size, pos = 0;

	if (size <= 0)
		return -EINVAL;
	if (size > 0x7fffffff)
		return -EFBIG;
	*buf = vmalloc((size_t)size);
	if (!*buf)
		return -ENOMEM;
	while (pos < size) {
		ssize_t n = kernel_read(file, (char *)*buf + pos, (size_t)(size - pos), &pos);

		if (n <= 0) {
			vfree(*buf);
			return n ? n : -EIO;
		}
	}
	return (ssize_t)size;
}

/* Nobody may write to the file while it is read: -ETXTBSY. */
static ssize_t read_file(struct file *file, void **buf)
{
	ssize_t length;
	int error;

	if (!S_ISREG(file->f_inode->i_mode))
		return -EINVAL;
	error = deny_write_access(file);
	if (error)
		return error;
	length = read_content(file, buf);
	allow_write_access(file);
	return length;
}

SYSCALL_DEFINE3(finit_module, int, fd, const char *, uargs, int, flags)
{
	int error = may_init_module();
	ssize_t length;
	struct fd f;
	void *buf;

	if (error)
		return error;
	if (flags & ~(MODULE_INIT_IGNORE_MODVERSIONS | MODULE_INIT_IGNORE_VERMAGIC))
		return -EINVAL;
	f = fdget((unsigned)fd);
	if (!f.file)
		return -EBADF;
	length = f.file->f_mode & FMODE_READ ? read_file(f.file, &buf) : -EBADF;
	fdput(f);
	return length < 0 ? length : load_module(buf, (size_t)length, uargs, flags);
}
