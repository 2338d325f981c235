/* Files that hold one number. */
#include "kernel/init.h"
#include "trace/tracers/noise/number_file.h"

#include "fs/tracefs/tracefs.h"
#include "kernel/lib/vsprintf.h"
#include "trace/core/files.h"

/* Two files of a directory bound each other, so a value is checked and stored in one step. */
static DEFINE_MUTEX(number_mutex);

static ssize_t number_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct number_file *number = file->f_inode->i_private;
	char text[32];
	int length = scnprintf(text, sizeof(text), "%llu\n",
			       (unsigned long long)READ_ONCE(*number->value));

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static ssize_t number_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	const struct number_file *number = file->f_inode->i_private;
	unsigned long value;
	int error = trace_get_number(buf, count, 10, &value);

	if (error)
		return error;
	mutex_lock(&number_mutex);
	if ((number->min && value < *number->min) || (number->max && value > *number->max))
		error = -EINVAL;
	else
		WRITE_ONCE(*number->value, value);
	mutex_unlock(&number_mutex);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations number_fops = {
	.read = number_read,
	.write = number_write,
	.llseek = generic_file_llseek,
};

int __init create_number_files(const struct number_file *files, struct dentry *dir)
{
	for (; files->name; files++)
		if (IS_ERR_OR_NULL(tracefs_create_file(files->name, 0640, dir, (void *)files,
						       &number_fops)))
			return -ENOMEM;
	return 0;
}
