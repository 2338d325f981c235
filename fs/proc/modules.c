/* /proc/modules: proc(5). */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "fs/proc/proc_fs.h"
#include "kernel/module/module.h"

static void *modules_start(struct seq_file *m, loff_t *pos)
{
	struct module *mod;
	loff_t left = *pos;

	(void)m;
	mutex_lock(&module_mutex);
	list_for_each_entry (mod, &modules, list)
		if (mod->state != MODULE_STATE_UNFORMED && left-- == 0)
			return mod;
	return NULL;
}

static void *modules_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct module *mod = v;

	(void)m;
	++*pos;
	while ((mod = list_next_entry(mod, list)), &mod->list != &modules)
		if (mod->state != MODULE_STATE_UNFORMED)
			return mod;
	return NULL;
}

static void modules_stop(struct seq_file *m, void *v)
{
	(void)m, (void)v;
	mutex_unlock(&module_mutex);
}

static int modules_show(struct seq_file *m, void *v)
{
	static const char *const states[] = { "Live", "Loading", "Unloading" };
	const struct module *mod = v;
	const struct module_use *use;
	char flags[MODULE_FLAGS_LEN];
	int refs = module_refcount(mod);
	bool used = false;

	seq_printf(m, "%s %lu %d ", mod->name, module_size(mod), refs > 0 ? refs : 0);
	list_for_each_entry (use, &mod->users, list) {
		used = true;
		seq_printf(m, "%s,", use->user->name);
	}
	if (mod->has_init && !mod->exit) {
		used = true;
		seq_puts(m, "[permanent],");
	}
	seq_printf(m, "%s %s 0x%016lx", used ? "" : "-", states[mod->state],
		   m->private ? mod->memory[MOD_TEXT].base : 0);
	if (mod->taints)
		seq_printf(m, " %s", module_flags(mod, flags));
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations modules_sops = {
	.start = modules_start,
	.next = modules_next,
	.stop = modules_stop,
	.show = modules_show,
};

static int modules_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return seq_open_addresses(file, &modules_sops);
}

static const struct file_operations modules_fops = {
	.owner = THIS_MODULE,
	.open = modules_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

static int __init proc_modules_init(void)
{
	return proc_create("modules", 0444, NULL, &modules_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_modules_init);
