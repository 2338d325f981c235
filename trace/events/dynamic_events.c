/* The file dynamic_events: trace/events/dynamic_events.h. */
#include "trace/events/dynamic_events.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/files.h"
#include "trace/events/event.h"

#define LINE_MAX 4096 /* bytes of a line, with its NUL */

DEFINE_LINKER_TABLE(rodata, const struct dyn_event_operations, dyn_event_operations);
LIST_HEAD(dyn_event_list);
DEFINE_MUTEX(dyn_event_mutex);

void dyn_event_add(struct dyn_event *event, const struct dyn_event_operations *ops)
{
	event->ops = ops;
	list_add_tail(&event->list, &dyn_event_list);
}

void dyn_event_remove(struct dyn_event *event)
{
	list_del(&event->list);
}

/* ---- commands ---- */

ssize_t dyn_events_run_commands(const char *buf, size_t count, int (*run)(const char *command))
{
	char *line = kmalloc(LINE_MAX, GFP_KERNEL);
	size_t done = 0;
	int error = 0;

	if (!line)
		return -ENOMEM;
	mutex_lock(&dyn_event_mutex);
	while (done < count && !error) {
		const char *start = buf + done, *end = memchr(start, '\n', count - done);
		size_t length = end ? (size_t)(end - start) : count - done;

		done += length + !!end;
		if (length >= LINE_MAX - 1) {
			error = -EINVAL;
			break;
		}
		strscpy(line, start, length + 1);
		*strchrnul(line, '#') = '\0';
		error = run(line);
	}
	mutex_unlock(&dyn_event_mutex);
	kfree(line);
	return error ? error : (ssize_t)count;
}

/* Removes as dyn_event_release() says. name is a copy of the command. */
static int release_named(char *name, const struct dyn_event_operations *ops)
{
	struct dyn_event *event, *next;
	char *slash, *rest, *system = NULL;
	int error = -ENOENT;

	rest = name + strcspn(name, " \t\r\v\f");
	if (*rest)
		*rest++ = '\0';
	if (name[0] == '-' && name[1] != ':')
		return -EINVAL;
	name = strchr(name, ':');
	if (!name || !*++name)
		return -EINVAL;
	slash = strchr(name, '/');
	if (slash) {
		system = name;
		*slash = '\0';
		name = slash + 1;
	}
	if (system ? !*system : !*name)
		return -EINVAL;
	mutex_lock(&event_mutex);
	list_for_each_entry_safe (event, next, &dyn_event_list, list) {
		int match;

		if (ops && event->ops != ops)
			continue;
		match = event->ops->match(event, system, name, rest);
		if (!match)
			continue;
		error = match < 0 ? match : event->ops->free(event);
		if (error)
			break;
	}
	mutex_unlock(&event_mutex);
	return error;
}

int dyn_event_release(const char *command, const struct dyn_event_operations *ops)
{
	char *name = kstrdup(command, GFP_KERNEL);
	int error = name ? release_named(name, ops) : -ENOMEM;

	kfree(name);
	return error;
}

int dyn_event_run_any(const char *command)
{
	int error;

	if (*command == '-' || *command == '!')
		return dyn_event_release(command, NULL);
	if (!*skip_spaces(command))
		return 0;
	for_each_linker_table_entry (ops, dyn_event_operations) {
		error = ops->create(command);
		if (error != -ECANCELED)
			return error;
	}
	return -EINVAL;
}

int dyn_event_run(const char *command, const struct dyn_event_operations *ops)
{
	int error;

	command = skip_spaces(command);
	if (!*command)
		return 0;
	if (*command == '-')
		return dyn_event_release(command, ops);
	error = ops->create(command);
	return error == -ECANCELED ? -EINVAL : error;
}

/*
 * Removes all events of a kind, or all events if ops is NULL. -EBUSY: one is in use, and all
 * remain. dyn_event_mutex held, E not.
 */
static int dyn_events_release_all(const struct dyn_event_operations *ops)
{
	struct list_head *pos, *prev;
	struct dyn_event *event;
	int error = 0;

	mutex_lock(&event_mutex);
	list_for_each_entry (event, &dyn_event_list, list)
		if ((!ops || event->ops == ops) && event->ops->is_busy(event, !ops))
			error = -EBUSY;
	/* The newest first, because an event may be made of an older one. */
	for (pos = dyn_event_list.prev; !error && pos != &dyn_event_list; pos = prev) {
		prev = pos->prev;
		event = list_entry(pos, struct dyn_event, list);
		if (!ops || event->ops == ops)
			error = event->ops->free(event);
	}
	mutex_unlock(&event_mutex);
	return error;
}

/* ---- files ---- */

static void *dyn_event_start(struct seq_file *m __unused, loff_t *pos)
{
	struct dyn_event *event;
	loff_t n = *pos;

	mutex_lock(&event_mutex);
	list_for_each_entry (event, &dyn_event_list, list)
		if (n-- == 0)
			return event;
	return NULL;
}

static void *dyn_event_next(struct seq_file *m __unused, void *v, loff_t *pos)
{
	struct dyn_event *event = v;

	++*pos;
	return event->list.next == &dyn_event_list
		       ? NULL
		       : list_entry(event->list.next, struct dyn_event, list);
}

static void dyn_event_stop(struct seq_file *m __unused, void *v __unused)
{
	mutex_unlock(&event_mutex);
}

static int dyn_event_show(struct seq_file *m, void *v)
{
	const struct dyn_event_file *events = m->private;
	struct dyn_event *event = v;

	if (!events->ops || event->ops == events->ops)
		(events->show ? events->show : event->ops->show)(m, event);
	return 0;
}

static const struct seq_operations dyn_event_sops = {
	.start = dyn_event_start,
	.next = dyn_event_next,
	.stop = dyn_event_stop,
	.show = dyn_event_show,
};

int dyn_events_open(struct file *file, const struct dyn_event_file *events)
{
	int error = 0;

	if (file->f_op->write && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&dyn_event_mutex);
		error = dyn_events_release_all(events->ops);
		mutex_unlock(&dyn_event_mutex);
	}
	if (!error)
		error = seq_open(file, &dyn_event_sops);
	if (!error)
		((struct seq_file *)file->private_data)->private = (void *)events;
	return error;
}

static int dynamic_events_open(struct inode *inode __unused, struct file *file)
{
	static const struct dyn_event_file events = { .ops = NULL };

	return dyn_events_open(file, &events);
}

static ssize_t dynamic_events_write(struct file *file __unused, const char *buf, size_t count,
				    loff_t *pos __unused)
{
	return dyn_events_run_commands(buf, count, dyn_event_run_any);
}

static const struct file_operations dynamic_events_fops = {
	.open = dynamic_events_open,
	.read = seq_read,
	.write = dynamic_events_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

TRACE_FILE(dynamic_events, 0640, &dynamic_events_fops, .only_top = true);
