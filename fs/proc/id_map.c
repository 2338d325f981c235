/*
 * /proc/PID/{uid_map,gid_map,projid_map,setgroups}: the user namespace of the task. There is the
 * first one only, in which each number stands for itself. So nothing can be changed.
 */
#include "fs/proc/internal.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/process/cred.h"

static int id_map_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%10u %10u %10u\n", 0U, 0U, ~0U); /* first inside, first outside, count */
	return 0;
}

static int id_map_open(struct inode *inode, struct file *file)
{
	return single_open(file, id_map_show, inode->i_private);
}

static ssize_t id_map_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)file;
	(void)buf;
	(void)count;
	(void)pos;
	return -EPERM;
}

const struct file_operations proc_id_map_operations = {
	.no_splice_read = true,
	.open = id_map_open,
	.read = seq_read,
	.write = id_map_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int setgroups_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_puts(m, "allow\n");
	return 0;
}

static int setgroups_open(struct inode *inode, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	return single_open(file, setgroups_show, inode->i_private);
}

static ssize_t setgroups_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char text[8] = { 0 };
	bool deny;

	(void)file;
	if (*pos || count >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, count);
	deny = !strncmp(text, "deny", 4);
	if (!deny && strncmp(text, "allow", 5))
		return -EINVAL;
	for (const char *rest = text + (deny ? 4 : 5); *rest; rest++)
		if (!isspace((unsigned char)*rest))
			return -EINVAL;
	if (deny) /* too late: the namespace has its gid_map */
		return -EPERM;
	*pos = (loff_t)count;
	return (ssize_t)count;
}

const struct file_operations proc_setgroups_operations = {
	.no_splice_read = true,
	.open = setgroups_open,
	.read = seq_read,
	.write = setgroups_write,
	.llseek = seq_lseek,
	.release = single_release,
};
