/* pstore, the file system at /sys/fs/pstore: a file for each record of the last boot. */
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "fs/mount/options.h"
#include "fs/pstore/internal.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/printk/printk.h"

#define PSTORE_MAGIC    0x6165676c
#define PSTORE_NAME_MAX 32

/* ---- files ---- */

static ssize_t text_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	const struct pstore_record *record = file->f_inode->i_private;

	return simple_read_from_buffer(buf, count, pos, record->text, record->size);
}

static const struct file_operations text_fops = { .read = text_read,
						  .llseek = generic_file_llseek };

/* The records of calls, and a line more if some are left out. */
static void *calls_start(struct seq_file *m, loff_t *pos)
{
	const struct pstore_record *record = m->file->f_inode->i_private;

	return *pos < (loff_t)record->nr_calls + !!record->nr_damaged ? pos : NULL;
}

static void *calls_next(struct seq_file *m, void *v __unused, loff_t *pos)
{
	++*pos;
	return calls_start(m, pos);
}

static void calls_stop(struct seq_file *m __unused, void *v __unused)
{
}

static int calls_show(struct seq_file *m, void *v)
{
	return pstore_ftrace_show(m, m->file->f_inode->i_private, (unsigned)*(loff_t *)v);
}

static const struct seq_operations calls_sops = { calls_start, calls_stop, calls_next, calls_show };
DEFINE_SEQ_ATTRIBUTE(calls);

/* ---- the file system ---- */

/* Removing a file frees its record. */
static int pstore_unlink(struct inode *dir, struct dentry *dentry)
{
	const struct pstore_record *record = dentry->d_inode->i_private;

	if (strcmp(record->type, "dmesg") == 0)
		pstore_dmesg_erase(record->id);
	return simple_unlink(dir, dentry);
}

static const struct inode_operations pstore_dir_operations = { .unlink = pstore_unlink };

static void pstore_evict_inode(struct inode *inode)
{
	if (S_ISREG(inode->i_mode) && inode->i_private)
		pstore_record_free(inode->i_private);
}

static void pstore_show_options(struct seq_file *m, struct super_block *sb __unused)
{
	unsigned bytes = READ_ONCE(pstore_kmsg_bytes);

	if (bytes != PSTORE_KMSG_BYTES)
		seq_printf(m, ",kmsg_bytes=%u", bytes);
}

/* As Linux's, ignores options that it does not know. */
static int set_option(void *unused __unused, const char *name, const char *value)
{
	unsigned bytes;

	if (!strcmp(name, "kmsg_bytes") && !kstrtouint(value, 0, &bytes))
		WRITE_ONCE(pstore_kmsg_bytes, bytes);
	return 0;
}

static int pstore_remount(struct super_block *sb __unused, const char *data)
{
	return parse_mount_options(data, set_option, NULL);
}

static const struct super_operations pstore_super_operations = {
	.evict_inode = pstore_evict_inode,
	.show_options = pstore_show_options,
	.remount = pstore_remount,
};

/* Makes the file of a record, which it takes over. */
static int add_file(struct dentry *root, struct pstore_record *record)
{
	const struct file_operations *fops = record->text ? &text_fops : &calls_fops;
	char name[PSTORE_NAME_MAX];
	struct dentry *file;

	snprintf(name, sizeof(name), "%s-ramoops-%u", record->type, record->id);
	file = simple_create_file(root, name, 0444, fops, record);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	file->d_inode->i_size = (loff_t)record->size;
	file->d_inode->i_mtime = file->d_inode->i_ctime = (s64)record->time;
	return 0;
}

static int pstore_fill_super(struct super_block *sb, const char *data __unused)
{
	struct pstore_record *record;
	unsigned at = 0;
	int error;

	sb->s_magic = PSTORE_MAGIC;
	sb->s_op = &pstore_super_operations;
	error = simple_fill_super(sb, 0750, &pstore_dir_operations);
	if (error)
		return error;
	/* As in Linux, a record without memory for its file does not keep the others away. */
	while ((record = ramoops_next_record(&at))) {
		error = add_file(sb->s_root, record);
		if (error) {
			pr_err("pstore: no file for %s-ramoops-%u: %pe\n", record->type, record->id,
			       ERR_PTR(error));
			pstore_record_free(record);
		}
	}
	return 0;
}

static struct file_system_type pstore_type = {
	.name = "pstore",
	.nodev = true,
	.fill_super = pstore_fill_super,
};
FILE_SYSTEM(pstore_type);
