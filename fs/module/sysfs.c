/*
 * /sys/module/NAME: the state, the parameters, the sections and the notes of a module.
 *
 * A file may be open, or be read, when its module goes. So the files belong to an object of their
 * own, which the last inode frees. Its pointer to the module is cleared when the module goes, and a
 * read says ENODEV from then on.
 */
#include "fs/file/file_owner.h"
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module/moduleparam.h"

struct module_files;

/* One file. Constant. */
struct module_attribute {
	struct module_files *files;
	void (*show)(struct seq_file *m, const struct module *mod);
	const struct kernel_param *param; /* a parameter */
	unsigned long address;            /* a section */
	size_t note_size; /* of a section whose bytes are shown; 0: its address is */
};

struct module_files {
	struct file_owner owner;
	struct mutex lock;
	struct module *mod; /* [lock] NULL: the module has gone */
	struct dentry *dir, *holders;
	struct dentry **links; /* in holders of the modules that this one uses; the last is NULL */
	unsigned count;        /* of attributes in use; constant once the files are visible */
	struct module_attribute attributes[];
};

static struct dentry *root; /* constant after the boot: /sys/module */

static int attribute_show(struct seq_file *m, void *unused __unused)
{
	const struct module_attribute *attribute = m->private;
	struct module_files *files = attribute->files;
	int error = -ENODEV;

	mutex_lock(&files->lock);
	if (files->mod) {
		error = 0;
		if (attribute->param) {
			char *text = kmalloc(PAGE_SIZE, GFP_KERNEL);

			mutex_lock(&kernel_param_mutex);
			error = !text ? -ENOMEM
				: !attribute->param->ops->get
					? -EPERM
					: attribute->param->ops->get(text, attribute->param);
			mutex_unlock(&kernel_param_mutex);
			if (error >= 0)
				seq_puts(m, text);
			error = min(error, 0);
			kfree(text);
		} else if (attribute->note_size) {
			seq_write(m, (const void *)attribute->address, attribute->note_size);
		} else if (attribute->address) {
			seq_printf(m, "0x%016lx\n", attribute->address);
		} else {
			attribute->show(m, files->mod);
		}
	}
	mutex_unlock(&files->lock);
	return error;
}

static ssize_t attribute_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	const struct module_attribute *attribute = m->private;
	struct module_files *files = attribute->files;
	char *text = kmalloc(count + 1, GFP_KERNEL);
	int error = -ENODEV;

	if (!text)
		return -ENOMEM;
	memcpy(text, buf, count);
	text[count] = '\0';
	if (count && text[count - 1] == '\n')
		text[count - 1] = '\0';
	mutex_lock(&files->lock);
	if (files->mod) {
		mutex_lock(&kernel_param_mutex);
		error = attribute->param->ops->set(text, attribute->param);
		mutex_unlock(&kernel_param_mutex);
	}
	mutex_unlock(&files->lock);
	kfree(text);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static int attribute_open(struct inode *inode, struct file *file)
{
	int error = sysfs_may_open(inode, file);

	return error ? error : single_open(file, attribute_show, inode->i_private);
}

static const struct file_operations attribute_fops = {
	.open = attribute_open,
	.read = seq_read,
	.write = attribute_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- the files ---- */

static void show_coresize(struct seq_file *m, const struct module *mod)
{
	seq_printf(m, "%lu\n", module_size(mod));
}

static void show_initsize(struct seq_file *m, const struct module *mod)
{
	seq_printf(m, "%lu\n", module_init_size(mod));
}

static void show_initstate(struct seq_file *m, const struct module *mod)
{
	static const char *const states[] = { "live", "coming", "going" };

	seq_printf(m, "%s\n", states[mod->state]);
}

static void show_refcnt(struct seq_file *m, const struct module *mod)
{
	seq_printf(m, "%d\n", module_refcount(mod));
}

static void show_taint(struct seq_file *m, const struct module *mod)
{
	seq_printf(m, "%s%s\n", mod->taints & BIT(TAINT_PROPRIETARY_MODULE) ? "P" : "",
		   mod->taints & BIT(TAINT_OOT_MODULE) ? "O" : "");
}

static void show_version(struct seq_file *m, const struct module *mod)
{
	seq_printf(m, "%s\n", mod->version);
}

static const struct {
	const char *name;
	void (*show)(struct seq_file *m, const struct module *mod);
} simple_files[] = {
	{ "coresize", show_coresize },   { "initsize", show_initsize },
	{ "initstate", show_initstate }, { "refcnt", show_refcnt },
	{ "taint", show_taint },         { "version", show_version },
};

static struct dentry *add_file(struct module_files *files, const char *name, umode_t mode,
			       struct dentry *dir, struct module_attribute attribute)
{
	struct module_attribute *to = &files->attributes[files->count++];

	*to = attribute;
	to->files = files;
	return sysfs_create_file(name, mode, dir, to, &attribute_fops);
}

static int add_files(struct module_files *files, const struct module *mod)
{
	struct dentry *sections = sysfs_create_dir("sections", files->dir), *parameters = NULL;
	struct dentry *notes = NULL;
	struct dentry *file = sysfs_create_dir("holders", files->dir);

	files->holders = file;
	for (unsigned i = 0; i < ARRAY_SIZE(simple_files) && !IS_ERR(file); i++)
		if (simple_files[i].show != show_version || mod->version)
			file = add_file(files, simple_files[i].name, 0444, files->dir,
					(struct module_attribute){ .show = simple_files[i].show });
	for (unsigned i = 0; i < mod->num_sections && !IS_ERR(file); i++) {
		const struct module_section *section = &mod->sections[i];

		file = add_file(files, section->name, 0400, sections,
				(struct module_attribute){ .address = section->address });
		if (IS_ERR(file) || !section->note_size)
			continue;
		if (!notes)
			notes = sysfs_create_dir("notes", files->dir);
		file = add_file(files, section->name, 0444, notes,
				(struct module_attribute){ .address = section->address,
							   .note_size = section->note_size });
	}
	for (unsigned i = 0; i < mod->num_params && !IS_ERR(file); i++) {
		if (!mod->params[i].perm)
			continue;
		if (!parameters)
			parameters = sysfs_create_dir("parameters", files->dir);
		file = add_file(files, mod->params[i].name, mod->params[i].perm & 0777, parameters,
				(struct module_attribute){ .param = &mod->params[i] });
	}
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}

/*
 * Adds the module to the holders of each module that it uses. The list of those does not change
 * while the module is loaded, and they stay.
 */
static int add_links(struct module_files *files, const struct module *mod)
{
	char target[MODULE_NAME_LEN + sizeof("../../")];
	const struct module_use *use;
	unsigned count = 0;

	list_for_each_entry (use, &mod->uses, source)
		count++;
	files->links = kcalloc(count + 1, sizeof(files->links[0]), GFP_KERNEL);
	if (!files->links)
		return -ENOMEM;
	snprintf(target, sizeof(target), "../../%s", mod->name);
	count = 0;
	list_for_each_entry (use, &mod->uses, source) {
		const struct module_files *used = use->used->files;
		struct dentry *link = sysfs_create_link(mod->name, used->holders, target);

		if (IS_ERR(link))
			return (int)PTR_ERR(link);
		files->links[count++] = link;
	}
	return 0;
}

static void remove_links(struct module_files *files)
{
	for (struct dentry **link = files->links; link && *link; link++)
		sysfs_remove(*link);
	kfree(files->links);
}

static void free_files(struct file_owner *owner)
{
	kfree(container_of(owner, struct module_files, owner));
}

static void module_sysfs_going(struct module *mod)
{
	struct module_files *files = mod->files;

	mutex_lock(&files->lock);
	files->mod = NULL;
	mutex_unlock(&files->lock);
	remove_links(files);
	sysfs_remove(files->dir);
	file_owner_put(&files->owner);
}

static int module_sysfs_coming(struct module *mod)
{
	/* A section may have two files. */
	unsigned count = ARRAY_SIZE(simple_files) + 2 * mod->num_sections + mod->num_params;
	struct module_files *files =
		kzalloc(sizeof(*files) + count * sizeof(files->attributes[0]), GFP_KERNEL);
	int error;

	if (!files)
		return -ENOMEM;
	file_owner_init(&files->owner, NULL, free_files);
	mutex_init(&files->lock);
	files->mod = mod;
	mod->files = files;
	files->dir = sysfs_create_dir(mod->name, root);
	if (IS_ERR(files->dir)) {
		error = (int)PTR_ERR(files->dir);
	} else {
		files->dir->d_inode->i_owner = file_owner_get(&files->owner);
		error = add_files(files, mod);
		if (!error)
			error = add_links(files, mod);
	}
	if (error)
		module_sysfs_going(mod);
	return error;
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = module_sysfs_coming,
	.going = module_sysfs_going,
};

static int __init module_sysfs_init(void)
{
	root = sysfs_create_dir("module", NULL);
	return IS_ERR(root) ? (int)PTR_ERR(root) : 0;
}
device_initcall(module_sysfs_init);
