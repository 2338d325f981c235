/*
 * The file trigger of an event: lists its triggers, adds and removes one (events.rst, section 6).
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/core/entries.h"
#include "trace/events/files.h"
#include "trace/trigger/trigger.h"
#include "trace/core/readme.h"

#define TRIGGER_LINE_MAX 4096U /* bytes of a line, with its newline */

/* All commands, by place. */
DEFINE_LINKER_TABLE(rodata, const struct event_command, event_commands);

static int trigger_show(struct seq_file *m, void *v __unused)
{
	struct trace_event_file *file = m->private;
	struct event_trigger_data *data;
	bool visible = false; /* event probes are triggers without a line */

	mutex_lock(&event_mutex);
	for_each_event_trigger (data, file)
		visible |= data->cmd->print != NULL;
	if (!visible) {
		seq_puts(m, "# Available triggers:\n#");
		for_each_linker_table_entry (cmd, event_commands)
			seq_printf(m, " %s", cmd->name);
		seq_putc(m, '\n');
	}
	for_each_event_trigger (data, file)
		if (data->cmd->print)
			data->cmd->print(m, data);
	mutex_unlock(&event_mutex);
	return 0;
}

static int trigger_open(struct inode *inode, struct file *file)
{
	struct trace_event_file *event_file = inode->i_private;

	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&event_mutex);
		for_each_linker_table_entry (cmd, event_commands)
			if (cmd->unreg_all)
				cmd->unreg_all(event_file);
		mutex_unlock(&event_mutex);
	}
	return single_open(file, trigger_show, event_file);
}

int event_trigger_apply(struct trace_event_file *file, const char *text)
{
	struct event_trigger_line line = { .text = text, .remove = *text == '!' };
	char *copy = kstrdup(text + line.remove, GFP_KERNEL);
	int error = -EINVAL;
	const char *name;

	if (!copy)
		return -ENOMEM;
	line.params = copy;
	name = strsep(&line.params, ": \t");
	for_each_linker_table_entry (cmd, event_commands) {
		if (strcmp(cmd->name, name) == 0) {
			error = cmd->parse(cmd, file, &line);
			break;
		}
	}
	kfree(copy);
	return error;
}

static ssize_t trigger_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct trace_event_file *event_file = file->f_inode->i_private;
	char *text;
	int error;

	if (!count)
		return 0;
	if (count >= TRIGGER_LINE_MAX)
		return -EINVAL;
	text = kmalloc(count + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	memcpy(text, buf, count);
	text[count] = '\0';
	mutex_lock(&event_mutex);
	error = trace_event_file_removed(event_file) ? -ENODEV
						     : event_trigger_apply(event_file, strim(text));
	mutex_unlock(&event_mutex);
	kfree(text);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations trigger_fops = {
	.open = trigger_open,
	.read = seq_read,
	.write = trigger_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Of the events without an enable file, only ftrace:print has triggers. */
static bool trigger_wanted(const struct trace_event_call *call)
{
	return trace_event_can_enable(call) || call->event.type == TRACE_PRINT;
}

EVENT_FILE_ENTRY(trigger_file, "trigger") = {
	.name = "trigger",
	.mode = 0640,
	.fops = &trigger_fops,
	.place = EVENT_FILE_EVENT,
	.wanted = trigger_wanted,
};

TRACE_README(
	triggers, "4c",
	"      trigger\t\t- what to do when the event happens\n"
	"\t    Format: <trigger>[:count][ if <filter>]\n"
	"\t   trigger: traceon, traceoff, snapshot, stacktrace, hist,\n"
	"\t            enable_event:<system>:<event>, disable_event:<system>:<event>,\n"
	"\t            enable_hist:<system>:<event>, disable_hist:<system>:<event>\n"
	"\t   example: echo 'traceoff:1 if prev_prio < 100' > events/sched/sched_switch/trigger\n"
	"\t            echo '!traceoff' > events/sched/sched_switch/trigger\n");
