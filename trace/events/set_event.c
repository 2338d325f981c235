/* The files set_event and available_events (Documentation/trace/events.rst, section 2.1). */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/linker_table.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/files.h"
#include "trace/events/files.h"

DEFINE_LINKER_TABLE(rodata, const struct event_module_words, event_module_words);

/* Prints SYSTEM:EVENT for each event with a switch, or only for those that are on. */
static void show_events(struct seq_file *m, struct trace_array *tr, bool only_on)
{
	struct trace_event_file *file;

	mutex_lock(&event_mutex);
	list_for_each_entry (file, &trace_events_of(tr)->files, list) {
		if (!trace_event_can_enable(file->call))
			continue;
		if (only_on && (!(file->flags & EVENT_FILE_FL_ENABLED) ||
				(file->flags & EVENT_FILE_FL_SOFT_DISABLED)))
			continue;
		seq_printf(m, "%s:%s\n", trace_event_system(file->call),
			   trace_event_name(file->call));
	}
	mutex_unlock(&event_mutex);
}

static int available_events_show(struct seq_file *m, void *v __unused)
{
	show_events(m, ((const struct trace_cpu *)m->private)->tr, false);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(available_events);

static int set_event_show(struct seq_file *m, void *v __unused)
{
	struct trace_array *tr = ((const struct trace_cpu *)m->private)->tr;

	show_events(m, tr, true);
	mutex_lock(&event_mutex);
	for_each_linker_table_entry (words, event_module_words)
		words->show(m, tr);
	mutex_unlock(&event_mutex);
	return 0;
}

/* Opening for writing without O_APPEND switches all events off first. */
static int set_event_open(struct inode *inode, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&event_mutex);
		(void)trace_set_clr_event(trace_file_tr(file), NULL, NULL, false);
		trace_forget_module_words(trace_file_tr(file));
		mutex_unlock(&event_mutex);
	}
	return single_open(file, set_event_show, inode->i_private);
}

int trace_set_clr_word(struct trace_array *tr, char *word, bool enable)
{
	char *module = strstr(word, ":mod:");

	if (!module)
		return trace_set_clr_event(tr, word, NULL, enable);
	*module = '\0';
	for_each_linker_table_entry (words, event_module_words)
		return words->set_clr(tr, word, module + strlen(":mod:"), enable);
	return -EINVAL;
}

void trace_forget_module_words(const struct trace_array *tr)
{
	for_each_linker_table_entry (words, event_module_words)
		words->forget(tr);
}

/* Applies each word: "[!]SYSTEM:EVENT[:mod:MODULE]", or a name of an event or of a system. */
static int set_events(struct trace_array *tr, char *text)
{
	int error = 0;

	mutex_lock(&event_mutex);
	while (!error && *(text = skip_spaces(text))) {
		char *word = text;
		bool off = *word == '!';

		while (*text && !isspace(*text))
			text++;
		if (*text)
			*text++ = '\0';
		error = trace_set_clr_word(tr, word + off, !off);
	}
	mutex_unlock(&event_mutex);
	return error;
}

static ssize_t set_event_write(struct file *file, const char *buf, size_t count,
			       loff_t *pos __unused)
{
	struct trace_array *tr = trace_file_tr(file);
	char *text = kmalloc(count + 1, GFP_KERNEL);
	int error;

	if (!text)
		return -ENOMEM;
	memcpy(text, buf, count);
	text[count] = '\0';
	mutex_lock(&trace_types_lock);
	error = tracing_expand(tr);
	mutex_unlock(&trace_types_lock);
	if (!error)
		error = set_events(tr, text);
	kfree(text);
	return error ? error : (ssize_t)count;
}

static const struct file_operations set_event_fops = {
	.open = set_event_open,
	.read = seq_read,
	.write = set_event_write,
	.llseek = seq_lseek,
	.release = single_release,
};

TRACE_FILE(available_events, 0440, &available_events_fops, .only_top = true);
TRACE_FILE(set_event, 0640, &set_event_fops);
