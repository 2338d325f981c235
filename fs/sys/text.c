/* Files of sysfs that one function prints. See text.h. */
#include "fs/sys/text.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"

/* What i_private of such a file points to. It stays as the file does. */
struct text {
	int (*show)(struct seq_file *m, void *v);
	void *data;
};

static int text_open(struct inode *inode, struct file *file)
{
	const struct text *text = inode->i_private;
	int error = sysfs_may_open(inode, file);

	return error ? error : single_open(file, text->show, text->data);
}

static const struct file_operations text_fops = {
	.open = text_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

struct dentry *__init sysfs_create_text(const char *name, struct dentry *parent,
					int (*show)(struct seq_file *m, void *v), void *data)
{
	struct text *text = kmalloc(sizeof(*text), GFP_KERNEL);
	struct dentry *file;

	if (!text)
		return ERR_PTR(-ENOMEM);
	*text = (struct text){ show, data };
	file = sysfs_create_file(name, 0444, parent, text, &text_fops);
	if (IS_ERR(file))
		kfree(text);
	return file;
}
