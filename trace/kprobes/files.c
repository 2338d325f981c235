/*
 * /sys/kernel/debug/kprobes: `list`, `enabled` and `blacklist`, as on Linux
 * (Documentation/trace/kprobes.rst).
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"
#include "trace/kprobes/internal.h"

static void show_probe(void *data, const struct kprobe *p, char type, bool ftrace, bool optimized)
{
	char name[KSYM_NAME_LEN], module[KSYM_MODULE_LEN];
	struct seq_file *m = data;
	unsigned long offset;

	seq_printf(m, "%016lx  %c  ", p->addr, type);
	if (kallsyms_lookup_module(p->addr, NULL, &offset, name, module))
		seq_printf(m, "%s+0x%lx  %s ", name, offset, module);
	else if (kallsyms_lookup(p->addr, NULL, &offset, name))
		seq_printf(m, "%s+0x%lx    ", name, offset);
	else
		seq_printf(m, "0x%lx+0x0    ", p->addr);
	seq_printf(m, "%s%s%s%s\n", p->flags & KPROBE_FLAG_GONE ? "[GONE]" : "",
		   p->flags & KPROBE_FLAG_DISABLED && !(p->flags & KPROBE_FLAG_GONE) ? "[DISABLED]"
										     : "",
		   optimized ? "[OPTIMIZED]" : "", ftrace ? "[FTRACE]" : "");
}

static int list_show(struct seq_file *m, void *unused __unused)
{
	mutex_lock(&kprobe_mutex);
	kprobes_for_each(show_probe, m);
	mutex_unlock(&kprobe_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(list);

/* ---- enabled ---- */

static int enabled_show(struct seq_file *m, void *unused __unused)
{
	seq_printf(m, "%d\n", !kprobes_all_disarmed);
	return 0;
}

static ssize_t enabled_write(struct file *file __unused, const char *buf, size_t count,
			     loff_t *pos __unused)
{
	char text[8];
	bool enabled;
	int error;

	strscpy(text, buf, min(count + 1, sizeof(text)));
	error = kstrtobool(text, &enabled);
	if (error)
		return error;
	mutex_lock(&kprobe_mutex);
	if (enabled == kprobes_all_disarmed) {
		error = kprobes_set_all(!enabled);
		if (!error)
			pr_info("kprobes: Kprobes globally %s\n", enabled ? "enabled" : "disabled");
	}
	mutex_unlock(&kprobe_mutex);
	return error ? error : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(enabled);

/* ---- blacklist: the functions of each range ---- */

static void show_range(void *data, unsigned long start, unsigned long end)
{
	char name[KSYM_NAME_LEN];
	unsigned long size, offset;

	for (unsigned long at = start; at < end; at += size - offset) {
		if (!kallsyms_lookup(at, &size, &offset, name) || size <= offset)
			return;
		if (name[0] == '.') /* a label in a function written in assembly */
			continue;
		seq_printf(data, "0x%016lx-0x%016lx\t%s\n", at, min(at + size - offset, end), name);
	}
}

static int blacklist_show(struct seq_file *m, void *unused __unused)
{
	kprobe_blacklist_for_each(show_range, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static int __init kprobes_files_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL, &blacklist_fops);
	return 0;
}
device_initcall(kprobes_files_init);
