/* The text of actions: HANDLER(…).ACTION(…), with the handlers onmatch, onmax and onchange. */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"

static const char *const handler_names[] = {
	[HIST_ONMATCH] = "onmatch",
	[HIST_ONMAX] = "onmax",
	[HIST_ONCHANGE] = "onchange",
};

static int fail(struct hist_trigger_data *h, enum hist_error error, const char *at)
{
	hist_err(h->file->tr, error, at);
	return -EINVAL;
}

static int set_text(char **place, const char *text)
{
	*place = kstrdup(text, GFP_KERNEL);
	return *place ? 0 : -ENOMEM;
}

/* Parameters, separated by commas. The first one of trace() is the synthetic event. */
static int parse_params(struct hist_trigger_data *h, struct hist_action *action, char *rest)
{
	bool is_event = action->trace_keyword;
	int error = 0;

	while (!error && rest) {
		char *param = strim(strsep(&rest, ","));

		if (action->n_params == HIST_PARAMS_MAX)
			return fail(h, HIST_ERR_TOO_MANY_PARAMS, param);
		if (strlen(param) < 2)
			return fail(h, HIST_ERR_INVALID_PARAM, param);
		if (is_event) {
			kfree(action->name);
			error = set_text(&action->name, param);
		} else {
			error = set_text(&action->params[action->n_params], param);
			action->n_params += !error;
		}
		is_event = false;
	}
	return error;
}

/* Parses ".ACTION(PARAMS)". */
static int parse_action(struct hist_trigger_data *h, struct hist_action *action, char *rest)
{
	char *name, *params;
	int error;

	strsep(&rest, ".");
	if (!rest)
		return fail(h, HIST_ERR_ACTION_NOT_FOUND, NULL);
	name = strsep(&rest, "(");
	if (!rest)
		return fail(h, HIST_ERR_ACTION_NOT_FOUND, NULL);
	params = strsep(&rest, ")");
	if (strstarts(name, "save"))
		action->kind = HIST_SAVE;
	else if (strstarts(name, "snapshot"))
		action->kind = HIST_SNAPSHOT;
	if (action->kind == HIST_SNAPSHOT && !rest)
		return fail(h, HIST_ERR_NO_CLOSING_PAREN, params);
	if (action->kind != HIST_TRACE && action->handler == HIST_ONMATCH)
		return fail(h, HIST_ERR_ACTION_MISMATCH, name);
	action->trace_keyword = action->kind == HIST_TRACE && strcmp(name, "trace") == 0;
	error = set_text(&action->name, name);
	if (error || action->kind == HIST_SNAPSHOT)
		return error;
	return parse_params(h, action, params);
}

static int parse_match(struct hist_trigger_data *h, struct hist_action *action, char *text)
{
	char *event = text, *system = strsep(&event, ".");
	int error;

	if (!event)
		return fail(h, HIST_ERR_SUBSYS_NOT_FOUND, system);
	if (!find_any_event_file(h->file->tr, system, event))
		return fail(h, HIST_ERR_INVALID_SUBSYS_EVENT, event);
	error = set_text(&action->match_system, system);
	return error ? error : set_text(&action->match_event, event);
}

static int parse_one(struct hist_trigger_data *h, struct hist_action *action, char *text)
{
	char *rest = text, *handler = strsep(&rest, "("), *inner;
	int error;

	for (unsigned i = 0; i < ARRAY_SIZE(handler_names); i++)
		if (strcmp(handler, handler_names[i]) == 0)
			action->handler = (enum hist_handler)i;
	inner = strsep(&rest, ")");
	if (!rest)
		return fail(h, HIST_ERR_NO_CLOSING_PAREN, inner);
	if (action->handler == HIST_ONMATCH)
		error = parse_match(h, action, inner);
	else
		error = set_text(&action->var_text, inner);
	return error ? error : parse_action(h, action, rest);
}

int hist_parse_actions(struct hist_trigger_data *h)
{
	int error = 0;

	for (unsigned i = 0; !error && i < h->attrs->n_actions; i++) {
		struct hist_action *action = kzalloc(sizeof(*action), GFP_KERNEL);

		if (!action)
			return -ENOMEM;
		h->actions[h->n_actions++] = action;
		error = parse_one(h, action, h->attrs->actions[i]);
	}
	return error;
}

int hist_create_actions(struct hist_trigger_data *h)
{
	int error = 0;

	for (unsigned i = 0; !error && i < h->n_actions; i++) {
		struct hist_action *action = h->actions[i];

		if (action->handler != HIST_ONMATCH)
			error = hist_create_track(h, action);
		if (!error && action->kind == HIST_TRACE)
			error = hist_create_trace(h, action);
		else if (!error && action->kind == HIST_SAVE)
			error = hist_create_save(h, action);
		else if (!error)
			error = hist_create_snapshot(action);
	}
	return error;
}

void hist_actions_puts(struct seq_file *m, const struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_actions; i++) {
		const struct hist_action *action = h->actions[i];

		seq_printf(m, ":%s(", handler_names[action->handler]);
		if (action->handler == HIST_ONMATCH)
			seq_printf(m, "%s.%s", action->match_system, action->match_event);
		else
			seq_puts(m, action->var_text);
		seq_printf(m, ").%s(", action->trace_keyword ? "trace" : action->name);
		if (action->trace_keyword)
			seq_puts(m, action->name);
		for (unsigned j = 0; j < action->n_params; j++)
			seq_printf(m, "%s%s", j || action->trace_keyword ? "," : "",
				   action->params[j]);
		seq_putc(m, ')');
	}
}

void hist_destroy_actions(struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_actions; i++) {
		struct hist_action *action = h->actions[i];

		hist_release_trace(action);
		for (unsigned j = 0; j < action->n_params; j++)
			kfree(action->params[j]);
		kfree(action->match_system);
		kfree(action->match_event);
		kfree(action->var_text);
		kfree(action->name);
		hist_field_put(action->track_ref);
		hist_field_put(action->track_var);
		kfree(action->snapshot);
		kfree(action);
	}
	for (unsigned i = 0; i < h->n_field_vars; i++) {
		hist_field_put(h->field_vars[i].var);
		hist_field_put(h->field_vars[i].val);
	}
	for (unsigned i = 0; i < h->n_save_vars; i++) {
		hist_field_put(h->save_vars[i].var);
		hist_field_put(h->save_vars[i].val);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool action_equal(const struct hist_action *a, const struct hist_action *b)
{
	if (a->handler != b->handler || a->kind != b->kind || a->n_params != b->n_params ||
	    a->trace_keyword != b->trace_keyword || !same_text(a->name, b->name) ||
	    !same_text(a->match_system, b->match_system) ||
	    !same_text(a->match_event, b->match_event) || !same_text(a->var_text, b->var_text))
		return false;
	for (unsigned i = 0; i < a->n_params; i++)
		if (strcmp(a->params[i], b->params[i]) != 0)
			return false;
	return true;
}

bool hist_actions_equal(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
	if (a->n_actions != b->n_actions)
		return false;
	for (unsigned i = 0; i < a->n_actions; i++)
		if (!action_equal(a->actions[i], b->actions[i]))
			return false;
	return true;
}
