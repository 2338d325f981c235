/*
 * The files events/SYSTEM/EVENT/filter and events/SYSTEM/filter (Documentation/trace/events.rst,
 * section 5). E (event_mutex) is held in all functions that take a trace_event_file.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "trace/events/error_log.h"
#include "trace/events/event.h"
#include "trace/events/files.h"
#include "trace/filter/filter.h"
#include "trace/filter/program.h"

#define FILTER_TEXT_MAX PAGE_SIZE /* bytes of one write: fewer than so many, as in Linux */

static const char *const system_help =
	"### global filter ###\n"
	"# Use this to set filters for multiple events.\n"
	"# Only events with the given fields will be affected.\n"
	"# If no events are modified, an error message will be displayed here\n";

/* ---- filters ---- */

static void log_error(struct trace_array *tr, const char *text, const struct filter_error *error)
{
	enum filter_reason reason = error->reason ? error->reason : FILTER_ERR_ERRNO;

	tracing_log_err(tr, "event filter parse error", text, filter_error_texts, (u8)reason,
			(u16)error->position);
}

int event_filter_create(struct trace_array *tr, const struct trace_event_call *call,
			const char *text, struct event_filter **filter)
{
	struct filter_error error;
	int err = filter_compile(call, text, filter, &error);

	if (err && err != -ENOMEM && tr)
		log_error(tr, text, &error);
	return err;
}

void event_filter_free(struct event_filter *filter)
{
	kfree(filter);
}

static void free_filter_rcu(struct rcu_head *rcu)
{
	event_filter_free(container_of(rcu, struct event_filter, rcu));
}

const char *event_filter_text(const struct event_filter *filter)
{
	return filter->text;
}

/*
 * Returns a filter that shows text and why it was refused, and that lets all records pass. NULL:
 * memory is short.
 */
static struct event_filter *refused_filter(const char *text, const struct filter_error *error)
{
	const char *reason = filter_error_texts[error->reason];
	unsigned length = (unsigned)strlen(text), caret = min(error->position, length);
	size_t size = 2 * (size_t)length + strlen(reason) + 32;
	struct event_filter *filter =
		kmalloc(sizeof(*filter) + sizeof(filter->steps[0]) + size, GFP_KERNEL);
	char *shown;

	if (!filter)
		return NULL;
	filter->word_at = 0;
	filter->reads_head = false;
	filter->steps[0] = (struct filter_step){
		.op = FILTER_OP_NEVER,
		.next = { FILTER_ACCEPT, FILTER_ACCEPT },
	};
	filter->text = shown = (char *)&filter->steps[1];
	if (error->reason)
		snprintf(shown, size, "%s\n%*s\nparse_error: %s\n", text, (int)caret + 1, "^",
			 reason);
	else
		snprintf(shown, size, "%s\nError: (0)\n", text);
	return filter;
}

/* ---- the filter of one event ---- */

/* Replaces the filter of a file. active: the filter decides; otherwise the file only shows it. */
static void set_filter(struct trace_event_file *file, struct event_filter *filter, bool active)
{
	struct event_filter *old = file->filter;

	if (!active)
		__atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_FILTERED,
				   __ATOMIC_SEQ_CST);
	rcu_assign_pointer(file->filter, filter);
	if (active)
		__atomic_fetch_or(&file->flags, EVENT_FILE_FL_FILTERED, __ATOMIC_SEQ_CST);
	if (old)
		call_rcu(&old->rcu, free_filter_rcu);
}

/*
 * Sets the filter of an event. After an error in text the file shows the reason, and the event has
 * no filter, as in Linux. Without memory nothing changes. 0 or an errno.
 */
static int set_event_filter(struct trace_event_file *file, const char *text)
{
	struct event_filter *filter;
	struct filter_error error;
	int err = filter_compile(file->call, text, &filter, &error);

	if (err && err != -ENOMEM) {
		filter = refused_filter(text, &error);
		if (!filter)
			return -ENOMEM;
		log_error(file->tr, text, &error);
	}
	if (err != -ENOMEM)
		set_filter(file, filter, !err);
	return err;
}

/*
 * Copies what is written to a filter file. *text is the filter without white space at its end, and
 * *is_clear is true for "0". The caller frees *text. 0, -EINVAL or -ENOMEM.
 */
static int copy_text(const char *buf, size_t count, char **text, bool *is_clear)
{
	if (count >= FILTER_TEXT_MAX)
		return -EINVAL;
	*text = kstrndup(buf, count, GFP_KERNEL);
	if (!*text)
		return -ENOMEM;
	*is_clear = strcmp(strim(*text), "0") == 0;
	return 0;
}

static ssize_t event_filter_write(struct file *file, const char *buf, size_t count,
				  loff_t *pos __unused)
{
	struct trace_event_file *event_file = file->f_inode->i_private;
	char *text;
	bool is_clear;
	int error = copy_text(buf, count, &text, &is_clear);

	if (error)
		return error;
	mutex_lock(&event_mutex);
	if (trace_event_file_removed(event_file))
		error = -ENODEV;
	else if (is_clear)
		set_filter(event_file, NULL, false);
	else
		error = set_event_filter(event_file, text);
	mutex_unlock(&event_mutex);
	kfree(text);
	return error ? error : (ssize_t)count;
}

static int event_filter_show(struct seq_file *m, void *v __unused)
{
	const struct trace_event_file *file = m->private;

	mutex_lock(&event_mutex);
	seq_printf(m, "%s\n", file->filter ? event_filter_text(file->filter) : "none");
	mutex_unlock(&event_mutex);
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(event_filter);
EVENT_FILE_ENTRY(event_filter_file, "filter") = {
	.name = "filter",
	.mode = 0640,
	.fops = &event_filter_fops,
	.place = EVENT_FILE_EVENT,
	.wanted = trace_event_can_enable,
};

/* ---- the filter of a system ---- */

/* A new filter for one event of the system. */
struct system_filter {
	struct trace_event_file *file;
	struct event_filter *filter; /* NULL: not compiled yet */
	bool active;
};

static bool is_in_system(const struct trace_event_file *file, const struct event_system *system)
{
	return trace_event_can_enable(file->call) &&
	       strcmp(trace_event_system(file->call), system->name) == 0;
}

static int compile_system_filter(struct system_filter *new, const char *text)
{
	static const struct filter_error refused = { .reason = FILTER_ERR_BAD_SUBSYS_FILTER };
	struct filter_error error;
	int err = filter_compile(new->file->call, text, &new->filter, &error);

	new->active = !err;
	if (err && err != -ENOMEM) {
		new->filter = refused_filter(text, &refused);
		err = new->filter ? 0 : -ENOMEM;
	}
	return err;
}

/* Sets the filter of all events in news, or none. 0 or -ENOMEM. */
static int set_filters(struct trace_array *tr, struct system_filter *news, unsigned n,
		       const char *text)
{
	static const struct filter_error refused = { .reason = FILTER_ERR_BAD_SUBSYS_FILTER };
	int error = 0;

	for (unsigned i = 0; i < n && !error; i++)
		error = compile_system_filter(&news[i], text);
	for (unsigned i = 0; i < n; i++) {
		if (error) {
			event_filter_free(news[i].filter);
			continue;
		}
		set_filter(news[i].file, news[i].filter, news[i].active);
		if (!news[i].active)
			log_error(tr, text, &refused);
	}
	return error;
}

/*
 * Sets the filter of each event of the system. An event that lacks a field of it gets no filter,
 * and its file shows the reason; this is no error, as in Linux. 0 or -ENOMEM: nothing has changed.
 */
static int set_system_filter(const struct event_system *system, const char *text)
{
	struct list_head *files = &trace_events_of(system->tr)->files;
	struct trace_event_file *file;
	struct system_filter *news;
	unsigned n = 0;
	int error;

	list_for_each_entry (file, files, list)
		n += is_in_system(file, system);
	news = kcalloc(n, sizeof(*news), GFP_KERNEL);
	if (!news)
		return n ? -ENOMEM : -ENODEV;
	n = 0;
	list_for_each_entry (file, files, list)
		if (is_in_system(file, system))
			news[n++].file = file;
	error = set_filters(system->tr, news, n, text);
	kfree(news);
	return error;
}

static void clear_system_filter(const struct event_system *system)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(system->tr)->files, list)
		if (is_in_system(file, system))
			set_filter(file, NULL, false);
}

static ssize_t system_filter_write(struct file *file, const char *buf, size_t count,
				   loff_t *pos __unused)
{
	const struct event_system *system = file->f_inode->i_private;
	char *text;
	bool is_clear;
	int error = copy_text(buf, count, &text, &is_clear);

	if (error)
		return error;
	mutex_lock(&event_mutex);
	if (is_clear)
		clear_system_filter(system);
	else
		error = set_system_filter(system, text);
	mutex_unlock(&event_mutex);
	kfree(text);
	return error ? error : (ssize_t)count;
}

static int system_filter_show(struct seq_file *m, void *v __unused)
{
	seq_puts(m, system_help);
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(system_filter);
EVENT_FILE_ENTRY(system_filter_file, "filter") = {
	.name = "filter",
	.mode = 0640,
	.fops = &system_filter_fops,
	.place = EVENT_FILE_SYSTEM,
	.wanted = trace_event_can_enable,
};
