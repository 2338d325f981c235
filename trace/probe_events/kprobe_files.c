/* The files kprobe_events and kprobe_profile, and the parameter kprobe_event=. */
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"
#include "trace/core/files.h"
#include "trace/probe_events/kprobe_events.h"

/* ---- kprobe_events ---- */

static int run_command(const char *command)
{
	return dyn_event_run(command, kprobe_event_file.ops);
}

static int kprobe_events_open(struct inode *inode __unused, struct file *file)
{
	return dyn_events_open(file, &kprobe_event_file);
}

static ssize_t kprobe_events_write(struct file *file __unused, const char *buf, size_t count,
				   loff_t *pos __unused)
{
	return dyn_events_run_commands(buf, count, run_command);
}

static const struct file_operations kprobe_events_fops = {
	.open = kprobe_events_open,
	.read = seq_read,
	.write = kprobe_events_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

/* ---- kprobe_profile ---- */

static int kprobe_profile_open(struct inode *inode __unused, struct file *file)
{
	return dyn_events_open(file, &kprobe_profile_file);
}

static const struct file_operations kprobe_profile_fops = {
	.open = kprobe_profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

TRACE_FILE(kprobe_events, 0640, &kprobe_events_fops, .only_top = true);
TRACE_FILE(kprobe_profile, 0440, &kprobe_profile_fops, .only_top = true);

/* ---- the command line ---- */

static char boot_commands[1024] __initdata;
__setup_string("kprobe_event", boot_commands);

/* Enables the events that boot_commands has made. */
static void __init enable_all(void)
{
	struct trace_event_file *file;
	struct dyn_event *event;
	int error;

	mutex_lock(&event_mutex);
	list_for_each_entry (event, &dyn_event_list, list) {
		const struct trace_probe_event *owner = to_trace_probe(event)->event;

		if (event->ops != kprobe_event_file.ops)
			continue;
		file = find_event_file(&global_trace, owner->group, owner->name);
		if (!file || (file->flags & EVENT_FILE_FL_ENABLED))
			continue;
		error = trace_event_enable_disable(file, true, false);
		if (error)
			pr_warn("Failed to enable kprobe event %s: %pe\n", owner->name,
				ERR_PTR(error));
	}
	mutex_unlock(&event_mutex);
}

/* kprobe_event=p:NAME,PLACE,ARGUMENT,…;… */
static void __init run_boot_commands(void)
{
	char *next = boot_commands, *command;
	int error;

	for (char *c = boot_commands; *c; c++)
		if (*c == ',')
			*c = ' ';
	while ((command = strsep(&next, ";"))) {
		mutex_lock(&dyn_event_mutex);
		error = run_command(command);
		mutex_unlock(&dyn_event_mutex);
		if (error)
			pr_warn("Failed to add event(%d): %s\n", error, command);
	}
	enable_all();
}

static int __init kprobe_files_init(void)
{
	if (*boot_commands)
		run_boot_commands();
	return 0;
}
fs_initcall(kprobe_files_init);
