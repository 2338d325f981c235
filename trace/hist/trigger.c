/*
 * The trigger command "hist". Lines of one event that agree in keys, values, variables, sort keys,
 * actions and filter mean the same histogram: pause, continue and clear act on it. With name=, the
 * histograms of several events are one.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "kernel/rcu/rculist.h"
#include "trace/events/files.h"
#include "trace/filter/filter.h"
#include "trace/hist/hist.h"
#include "trace/trigger/trigger.h"

/* ---- E held ---- */

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool fields_equal(const struct hist_field *a, const struct hist_field *b)
{
	if (!a || !b)
		return a == b;
	if (a->fn != b->fn || a->flags != b->flags || a->size != b->size ||
	    a->offset != b->offset || a->is_signed != b->is_signed || a->constant != b->constant ||
	    !same_name(a->var_name, b->var_name))
		return false;
	if (!same_name(a->field ? a->field->name : NULL, b->field ? b->field->name : NULL) ||
	    !same_name(a->ref_text, b->ref_text))
		return false;
	return fields_equal(a->operands[0], b->operands[0]) &&
	       fields_equal(a->operands[1], b->operands[1]);
}

static bool all_equal(struct hist_field *const *a, struct hist_field *const *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!fields_equal(a[i], b[i]))
			return false;
	return true;
}

/* Whether two commands describe the same histogram. */
static bool hists_equal(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
	if (a->n_keys != b->n_keys || a->n_vals != b->n_vals || a->n_fields != b->n_fields ||
	    a->n_sort_keys != b->n_sort_keys)
		return false;
	for (unsigned i = 0; i < a->n_sort_keys; i++)
		if (a->sort_keys[i].field != b->sort_keys[i].field ||
		    a->sort_keys[i].descending != b->sort_keys[i].descending)
			return false;
	return all_equal(a->keys, b->keys, a->n_keys) &&
	       all_equal(a->fields, b->fields, a->n_fields) && hist_actions_equal(a, b);
}

static bool is_hist(const struct event_trigger_data *data)
{
	return data->cmd->type == ETT_EVENT_HIST;
}

static const char *filter_text(const struct event_trigger_data *data)
{
	return data->filter ? event_filter_text(data->filter) : NULL;
}

static struct event_trigger_data *find_equal(struct trace_event_file *file,
					     const struct hist_trigger_data *h)
{
	struct event_trigger_data *data;

	list_for_each_entry (data, &file->triggers, list) {
		const struct hist_trigger_data *other = data->private;

		if (is_hist(data) && hists_equal(h, other) &&
		    same_name(h->attrs->name, other->attrs->name) &&
		    same_name(h->attrs->filter, filter_text(data)))
			return data;
	}
	return NULL;
}

static struct hist_trigger_data *find_named(const struct trace_event_file *file, const char *name)
{
	struct hist_trigger_data *h;

	list_for_each_entry (h, &hist_list, list)
		if (h->attrs->name && strcmp(h->attrs->name, name) == 0 && h->file->tr == file->tr)
			return h;
	return NULL;
}

/* Empties a histogram, while no event adds to it. */
static void clear_hist(struct event_trigger_data *data)
{
	struct hist_trigger_data *h = data->private;
	bool was_stopped = h->stopped;

	WRITE_ONCE(h->stopped, true);
	synchronize_rcu();
	tracing_map_clear(h->map);
	hist_clear_snapshots(h);
	WRITE_ONCE(h->stopped, was_stopped);
}

static void change(struct event_trigger_data *data, const struct hist_attrs *attrs)
{
	if (attrs->pause)
		WRITE_ONCE(data->paused, true);
	if (attrs->cont)
		WRITE_ONCE(data->paused, false);
	if (attrs->clear)
		clear_hist(data);
}

static int set_clock(struct hist_trigger_data *h)
{
	const char *clock = h->attrs->clock ? h->attrs->clock : "global";

	if (!h->use_timestamp || !tracing_set_clock(h->file->tr, clock))
		return 0;
	hist_err(h->file->tr, HIST_ERR_SET_CLOCK_FAIL, clock);
	return -EINVAL;
}

static const struct event_command hist_command;

/* Makes a trigger for a histogram, and starts it. Takes h: its last trigger frees it. */
static int add_trigger(struct trace_event_file *file, struct hist_trigger_data *h,
		       const struct hist_attrs *attrs)
{
	struct event_trigger_data *data = event_trigger_alloc(&hist_command, file);
	int error;

	h->users++;
	h->n_triggers++;
	if (!data) {
		h->n_triggers--;
		hist_put(h);
		return -ENOMEM;
	}
	data->private = h;
	data->paused = true;
	error = attrs->filter ? event_trigger_set_filter(data, attrs->filter - 3) : 0;
	if (!error && list_empty(&h->list)) {
		error = set_clock(h);
		if (!error)
			error = hist_start(h);
		if (!error)
			list_add_tail(&h->list, &hist_list);
	}
	data->plain = data->filter ? NULL : hist_plain(h);
	data->reads_head = h->reads_head;
	if (!error)
		error = event_trigger_register(data);
	if (error)
		goto free;
	/* The last step, as others may use the buffer of the snapshot at once. */
	error = hist_alloc_snapshot(h);
	if (error)
		goto detach;
	smp_store_release(&data->paused, attrs->pause);
	return 0;

detach:
	event_trigger_detach(data);
free:
	event_trigger_free(data);
	return error;
}

/* Whether another histogram of the event has a variable that h defines. Then logs the error. */
static bool has_duplicate_variable(struct trace_event_file *file, const struct hist_trigger_data *h)
{
	struct event_trigger_data *data;

	for (unsigned i = h->n_vals; i < h->n_fields; i++)
		list_for_each_entry (data, &file->triggers, list)
			if (is_hist(data) &&
			    hist_find_own_var(data->private, h->fields[i]->var_name)) {
				hist_err(file->tr, HIST_ERR_DUPLICATE_VAR, h->fields[i]->var_name);
				return true;
			}
	return false;
}

int hist_add(struct trace_event_file *file, struct hist_trigger_data *h)
{
	const struct hist_attrs *attrs = h->attrs;
	struct hist_trigger_data *named = attrs->name ? find_named(file, attrs->name) : NULL;
	struct event_trigger_data *found;
	int error = 0;

	if (named && !hists_equal(h, named)) {
		hist_err(file->tr, HIST_ERR_NAMED_MISMATCH, "name=");
		error = -EINVAL;
		goto discard;
	}
	found = find_equal(file, h);
	if (found && !attrs->pause && !attrs->cont && !attrs->clear) {
		hist_err(file->tr, HIST_ERR_TRIGGER_EEXIST, NULL);
		error = -EEXIST;
	} else if (found) {
		change(found, attrs);
	} else if (attrs->cont || attrs->clear) {
		hist_err(file->tr, HIST_ERR_TRIGGER_ENOENT_CLEAR, NULL);
		error = -ENOENT;
	} else if (has_duplicate_variable(file, h)) {
		error = -EINVAL;
	} else if (named) {
		error = add_trigger(file, named, attrs);
	} else {
		return add_trigger(file, h, attrs);
	}
discard:
	hist_destroy(h);
	return error;
}

static int remove_equal(struct trace_event_file *file, struct hist_trigger_data *h)
{
	struct event_trigger_data *found = find_equal(file, h);
	struct hist_trigger_data *its = found ? found->private : NULL;

	hist_destroy(h);
	if (!found)
		return 0;
	if (its->n_triggers == 1 && hist_is_referenced(its))
		return -EBUSY;
	event_trigger_unregister(found);
	return 0;
}

static int hist_parse_line(const struct event_command *cmd __unused, struct trace_event_file *file,
			   const struct event_trigger_line *line)
{
	struct hist_trigger_data *h;
	struct hist_attrs *attrs;

	if (!line->params)
		return -EINVAL;
	hist_set_command(file, line->params);
	attrs = hist_parse(file->tr, line->params);
	if (IS_ERR(attrs))
		return PTR_ERR(attrs);
	h = hist_create(file, attrs);
	if (IS_ERR(h))
		return PTR_ERR(h);
	return line->remove ? remove_equal(file, h) : hist_add(file, h);
}

void hist_put(struct hist_trigger_data *h)
{
	if (!--h->users)
		hist_destroy(h);
}

static void hist_free(struct event_trigger_data *data)
{
	struct hist_trigger_data *h = data->private, *other;

	/* The trigger may have been made for trace() of another histogram. */
	list_for_each_entry (other, &hist_list, list)
		for (unsigned i = 0; i < other->n_var_hists; i++)
			if (other->var_hists[i] == data)
				other->var_hists[i] = NULL;
	h->n_triggers--;
	hist_put(h);
}

/* Nothing is removed if a histogram of another event refers to one of these. */
static void hist_unreg_all(struct trace_event_file *file)
{
	struct event_trigger_data *data, *next;

	list_for_each_entry (data, &file->triggers, list)
		if (is_hist(data) && hist_is_referenced(data->private))
			return;
	list_for_each_entry_safe (data, next, &file->triggers, list)
		if (is_hist(data))
			event_trigger_unregister(data);
}

static void hist_print_trigger(struct seq_file *m, struct event_trigger_data *data)
{
	hist_print_line(m, data->private, data);
	seq_putc(m, '\n');
}

EVENT_COMMAND(hist_command, "90") = {
	.name = "hist",
	.type = ETT_EVENT_HIST,
	.flags = EVENT_CMD_FL_NEEDS_REC | EVENT_CMD_FL_APPEND,
	.parse = hist_parse_line,
	.trigger = hist_count,
	.print = hist_print_trigger,
	.free = hist_free,
	.unreg_all = hist_unreg_all,
};

static int hist_show(struct seq_file *m, void *v __unused)
{
	struct trace_event_file *file = m->private;
	struct event_trigger_data *data;
	const char *separator = "";
	int error = 0;

	mutex_lock(&event_mutex);
	list_for_each_entry (data, &file->triggers, list) {
		if (!is_hist(data))
			continue;
		seq_puts(m, separator);
		separator = "\n\n";
		error = hist_print(m, data->private, data);
		if (error)
			break;
	}
	mutex_unlock(&event_mutex);
	return error;
}

static int hist_open(struct inode *inode, struct file *file __unused)
{
	return single_open(file, hist_show, inode->i_private);
}

static const struct file_operations hist_fops = {
	.open = hist_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

EVENT_FILE_ENTRY(hist_file, "hist") = {
	.name = "hist",
	.mode = 0440,
	.fops = &hist_fops,
	.place = EVENT_FILE_EVENT,
};
