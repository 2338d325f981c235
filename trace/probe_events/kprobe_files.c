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

/* Enables the events whose files follow `last` in the list of the top level. */
static void __init enable_after(struct list_head *last)
{
	struct list_head *files = &trace_events_of(&global_trace)->files;
	int error;

	mutex_lock(&event_mutex);
	for (struct list_head *at = last->next; at != files; at = at->next) {
		struct trace_event_file *file = list_entry(at, struct trace_event_file, list);

		error = trace_event_enable_disable(file, true, false);
		if (error)
			pr_warn("Failed to enable the event %s: %pe\n",
				trace_event_name(file->call), ERR_PTR(error));
	}
	mutex_unlock(&event_mutex);
}

/*
 * kprobe_event=p:NAME,PLACE,ARGUMENT,…;… and, beyond Linux, events of each other kind of
 * dynamic_events whose place exists already: there are no programs to probe yet.
 */
static void __init run_boot_commands(void)
{
	struct list_head *last = trace_events_of(&global_trace)->files.prev;
	char *next = boot_commands, *command;
	int error;

	for (char *c = boot_commands; *c; c++)
		if (*c == ',')
			*c = ' ';
	while ((command = strsep(&next, ";"))) {
		mutex_lock(&dyn_event_mutex);
		error = dyn_event_run_any(command);
		mutex_unlock(&dyn_event_mutex);
		if (error)
			pr_warn("Failed to add event(%d): %s\n", error, command);
	}
	enable_after(last);
}

static int __init kprobe_files_init(void)
{
	if (*boot_commands)
		run_boot_commands();
	return 0;
}
fs_initcall(kprobe_files_init);
