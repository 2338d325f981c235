/*
 * The directories events/, events/SYSTEM/ and events/SYSTEM/EVENT/, and the files enable and id in
 * them (Documentation/trace/events.rst).
 */
#include "trace/events/files.h"

#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/files.h"

/* The files of each kind of directory, by name. */
DEFINE_LINKER_TABLE(rodata, const struct event_file_entry, event_files);

bool trace_event_can_enable(const struct trace_event_call *call)
{
	return !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* ---- enable ---- */

/* Parses what is written to an enable file, and gives tr a buffer. */
static int get_switch(struct trace_array *tr, const char *buf, size_t count, bool *on)
{
	int error = trace_get_switch(buf, count, on);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	error = tracing_expand(tr);
	mutex_unlock(&trace_types_lock);
	return error;
}

static int event_enable_show(struct seq_file *m, void *v __unused)
{
	const struct trace_event_file *file = m->private;
	unsigned long flags = READ_ONCE(file->flags);
	bool on = (flags & EVENT_FILE_FL_ENABLED) && !(flags & EVENT_FILE_FL_SOFT_DISABLED);

	seq_printf(m, "%d%s\n", on,
		   flags & (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_SOFT_MODE) ? "*" : "");
	return 0;
}

static ssize_t event_enable_write(struct file *file, const char *buf, size_t count,
				  loff_t *pos __unused)
{
	struct trace_event_file *event_file = file->f_inode->i_private;
	bool on;
	int error = get_switch(event_file->tr, buf, count, &on);

	if (error)
		return error;
	mutex_lock(&event_mutex);
	error = trace_event_file_removed(event_file)
			? -ENODEV
			: trace_event_enable_disable(event_file, on, false);
	mutex_unlock(&event_mutex);
	return error ? error : (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(event_enable);
EVENT_FILE_ENTRY(event_enable_file, "enable") = {
	.name = "enable",
	.mode = 0640,
	.fops = &event_enable_fops,
	.place = EVENT_FILE_EVENT,
	.wanted = trace_event_can_enable,
};

/* Prints 0, 1, X (some events are on, some are off) or ? (no event) for a system; NULL: for all. */
static void show_switches(struct seq_file *m, struct trace_array *tr, const char *system)
{
	struct trace_event_file *file;
	unsigned seen = 0; /* bit 0: an event is off; bit 1: one is on */

	mutex_lock(&event_mutex);
	list_for_each_entry (file, &trace_events_of(tr)->files, list) {
		if (!trace_event_can_enable(file->call) ||
		    (system && strcmp(system, trace_event_system(file->call)) != 0))
			continue;
		seen |= file->flags & EVENT_FILE_FL_ENABLED &&
					!(file->flags & EVENT_FILE_FL_SOFT_DISABLED)
				? 2
				: 1;
	}
	mutex_unlock(&event_mutex);
	seq_printf(m, "%c\n", "?01X"[seen]);
}

static ssize_t write_switches(struct trace_array *tr, const char *system, const char *buf,
			      size_t count)
{
	char match[MAX_EVENT_NAME + 2] = "*:*";
	bool on;
	int error = get_switch(tr, buf, count, &on);

	if (error)
		return error;
	if (system) {
		strscpy(match, system, sizeof(match) - 1);
		strscpy(match + strlen(match), ":", 2);
	}
	mutex_lock(&event_mutex);
	error = trace_set_clr_event(tr, match, NULL, on);
	mutex_unlock(&event_mutex);
	return error ? error : (ssize_t)count;
}

static int system_enable_show(struct seq_file *m, void *v __unused)
{
	const struct event_system *system = m->private;

	show_switches(m, system->tr, system->name);
	return 0;
}

static ssize_t system_enable_write(struct file *file, const char *buf, size_t count,
				   loff_t *pos __unused)
{
	const struct event_system *system = file->f_inode->i_private;

	return write_switches(system->tr, system->name, buf, count);
}

DEFINE_SHOW_STORE_ATTRIBUTE(system_enable);
EVENT_FILE_ENTRY(system_enable_file, "enable") = {
	.name = "enable",
	.mode = 0640,
	.fops = &system_enable_fops,
	.place = EVENT_FILE_SYSTEM,
	.wanted = trace_event_can_enable,
};

static int top_enable_show(struct seq_file *m, void *v __unused)
{
	show_switches(m, ((const struct trace_cpu *)m->private)->tr, NULL);
	return 0;
}

static ssize_t top_enable_write(struct file *file, const char *buf, size_t count,
				loff_t *pos __unused)
{
	return write_switches(trace_file_tr(file), NULL, buf, count);
}

DEFINE_SHOW_STORE_ATTRIBUTE(top_enable);
EVENT_FILE_ENTRY(top_enable_file, "enable") = {
	.name = "enable",
	.mode = 0640,
	.fops = &top_enable_fops,
	.place = EVENT_FILE_TOP,
};

/* ---- id ---- */

static int event_id_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%u\n", ((const struct trace_event_file *)m->private)->call->event.type);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(event_id);
EVENT_FILE_ENTRY(event_id_file, "id") = {
	.name = "id",
	.mode = 0440,
	.fops = &event_id_fops,
	.place = EVENT_FILE_EVENT,
};

/* ---- directories ---- */

/* Creates the files of a directory. call: the event, or of the system's first event; NULL: none. */
static int create_entries(struct dentry *dir, enum event_file_place place, void *data,
			  const struct trace_event_call *call)
{
	for_each_linker_table_entry (entry, event_files) {
		if (entry->place != place || (entry->wanted && call && !entry->wanted(call)))
			continue;
		if (IS_ERR_OR_NULL(
			    tracefs_create_file(entry->name, entry->mode, dir, data, entry->fops)))
			return -ENOMEM;
	}
	return 0;
}

/* Gives a directory, and with it all files that will be in it, another owner. */
static void set_owner(struct dentry *dir, struct file_owner *owner)
{
	struct file_owner *inherited = dir->d_inode->i_owner;

	dir->d_inode->i_owner = file_owner_get(owner);
	file_owner_put(inherited);
}

static void free_system(struct event_system *system)
{
	kfree(system->name);
	kfree(system);
}

static void dynamic_system_release(struct file_owner *owner)
{
	free_system(container_of(owner, struct event_system, owner));
}

static struct event_system *find_system(struct trace_array *tr, const char *name)
{
	struct event_system *system;

	list_for_each_entry (system, &trace_events_of(tr)->systems, list)
		if (strcmp(system->name, name) == 0)
			return system;
	return NULL;
}

static struct event_system *alloc_system(struct trace_array *tr,
					 const struct trace_event_call *call)
{
	struct event_system *system = kzalloc(sizeof(*system), GFP_KERNEL);

	if (!system)
		return NULL;
	system->tr = tr;
	system->name = kstrdup(trace_event_system(call), GFP_KERNEL);
	system->dynamic = call->flags & TRACE_EVENT_FL_DYNAMIC;
	if (!system->name) {
		kfree(system);
		return NULL;
	}
	file_owner_init(&system->owner, system->dynamic ? trace_array_owner(tr) : NULL,
			dynamic_system_release);
	system->owner.module = call->mod;
	return system;
}

/*
 * Returns the system's directory, which it creates for the system's first event. NULL: no memory.
 */
static struct event_system *get_system(struct trace_array *tr, const struct trace_event_call *call)
{
	struct trace_array_events *events = trace_events_of(tr);
	struct event_system *system = find_system(tr, trace_event_system(call));

	if (system)
		return system;
	system = alloc_system(tr, call);
	if (!system)
		return NULL;
	list_add_tail(&system->list, &events->systems);
	system->dir = tracefs_create_dir(system->name, events->dir);
	if (IS_ERR_OR_NULL(system->dir))
		return NULL;
	if (system->dynamic)
		set_owner(system->dir, &system->owner);
	return create_entries(system->dir, EVENT_FILE_SYSTEM, system, call) ? NULL : system;
}

int trace_event_create_dir(struct trace_event_file *file)
{
	struct event_system *system = get_system(file->tr, file->call);
	struct dentry *dir;

	if (!system)
		return -ENOMEM;
	dir = tracefs_create_dir(trace_event_name(file->call), system->dir);
	if (IS_ERR_OR_NULL(dir))
		return -ENOMEM;
	file->dir = dir;
	if (file->call->flags & TRACE_EVENT_FL_DYNAMIC) {
		trace_event_file_init_owner(file);
		set_owner(dir, &file->owner);
	}
	return create_entries(file->dir, EVENT_FILE_EVENT, file, file->call);
}

struct event_system *trace_event_dynamic_system(struct trace_array *tr, const char *name)
{
	struct event_system *system = find_system(tr, name);

	return system && system->dynamic ? system : NULL;
}

void trace_event_remove_system(struct event_system *system)
{
	list_del(&system->list);
	tracefs_remove(system->dir);
	file_owner_put(&system->owner);
}

int trace_events_create_files(struct trace_array *tr)
{
	struct trace_array_events *events = trace_events_of(tr);
	struct trace_event_file *file;
	int error;

	events->dir = tracefs_create_dir("events", tr->dir);
	if (IS_ERR_OR_NULL(events->dir))
		return -ENOMEM;
	error = create_entries(events->dir, EVENT_FILE_TOP, &tr->all, NULL);
	list_for_each_entry (file, &events->files, list)
		error = error ? error : trace_event_create_dir(file);
	return error;
}

void trace_events_free_systems(struct trace_array_events *events)
{
	struct event_system *system, *next;

	list_for_each_entry_safe (system, next, &events->systems, list)
		free_system(system);
}
