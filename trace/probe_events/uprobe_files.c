/* The files uprobe_events and uprobe_profile. */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/events/event.h"
#include "trace/probe_events/uprobe_events.h"

static int run_command(const char *command)
{
	return dyn_event_run(command, uprobe_event_file.ops);
}

static int uprobe_events_open(struct inode *inode __unused, struct file *file)
{
	return dyn_events_open(file, &uprobe_event_file);
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

static int uprobe_profile_open(struct inode *inode __unused, struct file *file)
{
	return dyn_events_open(file, &uprobe_profile_file);
}

static const struct file_operations uprobe_profile_fops = {
	.open = uprobe_profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

TRACE_FILE(uprobe_events, 0640, &uprobe_events_fops, .only_top = true);
TRACE_FILE(uprobe_profile, 0440, &uprobe_profile_fops, .only_top = true);
