/*
 * trace(EVENT, params) and EVENT(params): a match, or a new highest or changed value, makes a
 * synthetic event. A parameter is a variable, a field of this event, or a field of the matched
 * event. Fields become variables: of this histogram, or of a second histogram on the matched event
 * with the same keys, which is made here and called "synthetic_FIELD" in the list of triggers.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/events/event.h"
#include "trace/filter/filter.h"
#include "trace/hist/hist.h"
#include "trace/synth/synth.h"
#include "trace/trigger/trigger.h"

/* A variable, and the histogram that has it. */
struct place {
	struct hist_trigger_data *owner;
	struct hist_field *var;
};

static int find_variable(struct hist_trigger_data *h, const struct hist_action *action,
			 const char *param, struct place *place)
{
	const char *name = strchr(param, '$') + 1;
	char *copy, *rest, *system, *event;

	*place = (struct place){ h, param[0] == '$' ? hist_find_own_var(h, name) : NULL };
	if (!place->var && param[0] == '$')
		place->var = hist_find_var(h, action->match_system, action->match_event, name,
					   &place->owner);
	if (param[0] != '$') {
		copy = rest = kstrdup(param, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
		system = strsep(&rest, ".");
		event = strsep(&rest, ".");
		if (event)
			place->var = hist_find_var(h, system, event, name, &place->owner);
		kfree(copy);
	}
	if (IS_ERR(place->var))
		return PTR_ERR(place->var);
	if (!place->var) {
		hist_err(h->file->tr, HIST_ERR_PARAM_NOT_FOUND, param);
		return -EINVAL;
	}
	return 0;
}

/* Makes a field of h's own event a variable. -ENOENT: the event has no such field. */
static int own_field(struct hist_trigger_data *h, const char *param, struct place *place)
{
	int error;

	if (h->n_field_vars == HIST_PARAMS_MAX) {
		hist_err(h->file->tr, HIST_ERR_TOO_MANY_FIELD_VARS, param);
		return -EINVAL;
	}
	error = hist_create_field_var(h, &h->field_vars[h->n_field_vars], param);
	if (error) {
		hist_err(h->file->tr, HIST_ERR_FIELD_VAR_PARSE_FAIL, param);
		return error == -EINVAL ? -ENOENT : error;
	}
	*place = (struct place){ h, h->field_vars[h->n_field_vars++].var };
	return 0;
}

/* Whether the keys of two histograms find the same elements. */
static bool keys_match(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
	if (a->n_keys != b->n_keys)
		return false;
	for (unsigned i = 0; i < a->n_keys; i++)
		if (a->keys[i]->size != b->keys[i]->size ||
		    a->keys[i]->is_signed != b->keys[i]->is_signed ||
		    hist_field_is_string(a->keys[i]) != hist_field_is_string(b->keys[i]))
			return false;
	return true;
}

/* Returns the trigger with the oldest histogram of the file whose keys match h's. */
static struct event_trigger_data *compatible(const struct hist_trigger_data *h,
					     struct trace_event_file *file)
{
	struct event_trigger_data *data;

	list_for_each_entry (data, &file->triggers, list)
		if (data->cmd->type == ETT_EVENT_HIST && keys_match(data->private, h))
			return data;
	return NULL;
}

#define COMMAND_SIZE 512

/* Writes "keys=KEYS:synthetic_FIELD=FIELD[ if FILTER]". */
static int write_command(char *command, const struct event_trigger_data *model, const char *field)
{
	const struct hist_trigger_data *h = model->private;
	int length = scnprintf(command, COMMAND_SIZE, "keys=");

	for (unsigned i = 0; i < h->n_keys; i++) {
		if (!h->keys[i]->field)
			return -EINVAL; /* such as stacktrace: no name of a field */
		length += scnprintf(command + length, (size_t)(COMMAND_SIZE - length), "%s%s",
				    i ? "," : "", h->keys[i]->field->name);
	}
	length += scnprintf(command + length, (size_t)(COMMAND_SIZE - length), ":synthetic_%s=%s",
			    field, field);
	if (model->filter)
		length += scnprintf(command + length, (size_t)(COMMAND_SIZE - length), " if %s",
				    event_filter_text(model->filter));
	return length < COMMAND_SIZE - 1 ? 0 : -EINVAL;
}

/* Adds a histogram to the matched event, for one of its fields. */
static int add_var_hist(struct hist_trigger_data *h, const struct event_trigger_data *model,
			const char *field, struct place *place)
{
	struct trace_event_file *file = model->file;
	struct event_trigger_data *data;
	struct hist_trigger_data *made;
	struct hist_attrs *attrs;
	char *command = kmalloc(COMMAND_SIZE, GFP_KERNEL);
	int error;

	if (!command)
		return -ENOMEM;
	error = write_command(command, model, field);
	attrs = error ? ERR_PTR(error) : hist_parse(file->tr, command);
	kfree(command);
	if (IS_ERR(attrs))
		return PTR_ERR(attrs);
	made = hist_create(file, attrs);
	if (IS_ERR(made))
		return PTR_ERR(made);
	error = hist_add(file, made);
	if (error)
		return error;
	list_for_each_entry (data, &file->triggers, list)
		if (data->private == made && data->cmd->type == ETT_EVENT_HIST)
			h->var_hists[h->n_var_hists++] = data;
	*place = (struct place){ made, made->fields[made->n_vals] };
	return 0;
}

/* Makes a field of the matched event a variable. */
static int matched_field(struct hist_trigger_data *h, const char *system, const char *event,
			 const char *field, struct place *place)
{
	struct trace_event_file *file = find_any_event_file(h->file->tr, system, event);
	struct event_trigger_data *model;
	char name[MAX_EVENT_NAME];
	int error;

	if (!file) {
		hist_err(h->file->tr, HIST_ERR_EVENT_FILE_NOT_FOUND, field);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "synthetic_%s", field);
	list_for_each_entry (model, &file->triggers, list)
		if (model->cmd->type == ETT_EVENT_HIST && keys_match(model->private, h)) {
			*place = (struct place){ model->private,
						 hist_find_own_var(model->private, name) };
			if (place->var)
				return 0;
		}
	model = compatible(h, file);
	if (!model || h->n_var_hists == HIST_PARAMS_MAX) {
		hist_err(h->file->tr, HIST_ERR_HIST_NOT_FOUND, field);
		return -EINVAL;
	}
	error = add_var_hist(h, model, field, place);
	if (error)
		hist_err(h->file->tr, HIST_ERR_HIST_CREATE_FAIL, field);
	return error;
}

static int find_param(struct hist_trigger_data *h, const struct hist_action *action, char *param,
		      struct place *place)
{
	char *copy, *field, *system, *event = NULL;
	int error;

	if (strchr(param, '$'))
		return find_variable(h, action, param, place);
	copy = field = kstrdup(param, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	system = strsep(&field, ".");
	if (field)
		event = strsep(&field, ".");
	if (event && field) {
		error = matched_field(h, system, event, field, place);
	} else {
		error = own_field(h, param, place);
		if (error == -ENOENT && action->handler == HIST_ONMATCH)
			error = matched_field(h, action->match_system, action->match_event, param,
					      place);
		else if (error == -ENOENT)
			error = -EINVAL;
	}
	kfree(copy);
	return error;
}

/* As in Linux, equal type names are enough; else size and sign must agree. */
static bool types_match(const struct synth_field *field, const struct hist_field *var)
{
	if (field->kind == SYNTH_STACK || (var->flags & HIST_FIELD_STACKTRACE))
		return field->kind == SYNTH_STACK && (var->flags & HIST_FIELD_STACKTRACE);
	if (strcmp(field->type, var->type) == 0)
		return true;
	if (field->kind == SYNTH_DYNAMIC_STRING)
		return hist_field_is_string(var);
	return field->kind == SYNTH_INTEGER && !hist_field_is_string(var) &&
	       field->size == var->size && field->is_signed == var->is_signed;
}

int hist_create_trace(struct hist_trigger_data *h, struct hist_action *action)
{
	const struct synth_definition *definition;
	struct trace_array *tr = h->file->tr;
	struct hist_field *ref;
	struct place place;
	int error;

	action->synth_event = synth_event_get(action->name);
	if (!action->synth_event) {
		hist_err(tr, HIST_ERR_SYNTH_EVENT_NOT_FOUND, action->name);
		return -EINVAL;
	}
	definition = &action->synth_event->definition;
	for (unsigned i = 0; i < action->n_params; i++) {
		error = find_param(h, action, action->params[i], &place);
		if (error)
			return error;
		if (i >= definition->nr_fields)
			continue;
		if (!types_match(&definition->fields[i], place.var)) {
			hist_err(tr, HIST_ERR_SYNTH_TYPE_MISMATCH, action->params[i]);
			return -EINVAL;
		}
		ref = hist_make_var_ref(h, place.owner, place.var, action->params[i]);
		if (!ref)
			return -ENOMEM;
		action->var_ref_index[i] = ref->ref_index;
		hist_field_put(ref); /* h->var_refs owns it */
	}
	if (action->n_params != definition->nr_fields) {
		hist_err(tr, HIST_ERR_SYNTH_COUNT_MISMATCH, action->name);
		return -EINVAL;
	}
	return 0;
}

void hist_release_trace(struct hist_action *action)
{
	if (action->synth_event)
		synth_event_put(action->synth_event);
}

void hist_run_trace(const struct hist_action *action, const u64 *refs)
{
	u64 *values = trace_event_scratch_get(action->n_params * sizeof(u64));

	for (unsigned i = 0; values && i < action->n_params; i++)
		values[i] = refs[action->var_ref_index[i]];
	trace_synth(action->synth_event, values);
	if (values)
		trace_event_scratch_put(values);
}
