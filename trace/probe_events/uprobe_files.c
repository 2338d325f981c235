/* The files uprobe_events and uprobe_profile. */
#include "fs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/events/event.h"
#include "trace/probe_events/uprobe_events.h"

static int run_command(const char *command)
{
	int error;

	command = skip_spaces(command);
	if (!*command)
		return 0;
	if (*command == '-')
		return dyn_event_release(command, uprobe_event_ops);
	error = uprobe_event_create(command);
	return error == -ECANCELED ? -EINVAL : error;
}

static int uprobe_events_show(struct seq_file *m, void *v)
{
	struct dyn_event *event = v;

	if (event->ops == uprobe_event_ops)
		event->ops->show(m, event);
	return 0;
}

static const struct seq_operations uprobe_events_sops = {
	.start = dyn_event_seq_start,
	.next = dyn_event_seq_next,
	.stop = dyn_event_seq_stop,
	.show = uprobe_events_show,
};

static int uprobe_events_open(struct inode *inode __unused, struct file *file)
{
	int error = 0;

	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&dyn_event_mutex);
		error = dyn_events_release_all(uprobe_event_ops);
		mutex_unlock(&dyn_event_mutex);
	}
	return error ? error : seq_open(file, &uprobe_events_sops);
}

static ssize_t uprobe_events_write(struct file *file __unused, const char *buf, size_t count,
				   loff_t *pos __unused)
{
	return dyn_events_run_commands(buf, count, run_command);
}

static const struct file_operations uprobe_events_fops = {
	.open = uprobe_events_open,
	.read = seq_read,
	.write = uprobe_events_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

static int uprobe_profile_show(struct seq_file *m, void *v)
{
	const struct dyn_event *event = v;

	if (event->ops == uprobe_event_ops)
		uprobe_event_show_profile(m, event);
	return 0;
}

static const struct seq_operations uprobe_profile_sops = {
	.start = dyn_event_seq_start,
	.next = dyn_event_seq_next,
	.stop = dyn_event_seq_stop,
	.show = uprobe_profile_show,
};

static int uprobe_profile_open(struct inode *inode __unused, struct file *file)
{
	return seq_open(file, &uprobe_profile_sops);
}

static const struct file_operations uprobe_profile_fops = {
	.open = uprobe_profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

static const struct trace_file uprobe_files[] = {
	{ .name = "uprobe_events", .mode = 0640, .fops = &uprobe_events_fops, .only_top = true },
	{ .name = "uprobe_profile", .mode = 0440, .fops = &uprobe_profile_fops, .only_top = true },
	{ .name = NULL },
};

static int __init uprobe_files_init(void)
{
	trace_register_files(uprobe_files);
	return 0;
}
fs_initcall(uprobe_files_init);
