/* Parsing the lines of simple triggers: "COMMAND[:PARAM][:COUNT] [if FILTER]". */
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/filter/filter.h"
#include "trace/trigger/trigger.h"

#define WHITE_SPACE " \t"

int event_trigger_split(char *params, bool param_required, char **param, char **filter)
{
	static char none[1];

	*param = *filter = none;
	if (params)
		params = skip_spaces(params);
	if (!params || !*params)
		return param_required ? -EINVAL : 0;
	if (!param_required && !isdigit(*params)) {
		*filter = params;
		return 0;
	}
	*param = strsep(&params, WHITE_SPACE);
	if (params)
		*filter = skip_spaces(params);
	return 0;
}

int event_trigger_set_filter(struct event_trigger_data *data, const char *filter)
{
	if (!*filter)
		return 0;
	/* "if", one white space, and the filter. */
	if (strncmp(filter, "if", 2) != 0 || !filter[2] || !strchr(WHITE_SPACE, filter[2]))
		return -EINVAL;
	filter += 3;
	if (!*filter)
		return -EINVAL;
	/* No trace_array: as in Linux, error_log does not tell about the filters of triggers. */
	return event_filter_create(NULL, data->file->call, filter, &data->filter);
}

/* Returns the trigger of the file whose place data wants, or NULL. */
static struct event_trigger_data *find_same(const struct event_trigger_data *data)
{
	const struct event_command *cmd = data->cmd;
	struct event_trigger_data *other;

	for_each_event_trigger (other, data->file)
		if (other->cmd->type == cmd->type && (!cmd->same || cmd->same(other, data)))
			return other;
	return NULL;
}

/*
 * Registers the trigger, and lets it run when init() has succeeded. In this order a registration
 * that fails has nothing to give back, such as the buffer of a snapshot, which others may use by
 * then.
 */
static int start(struct event_trigger_data *data)
{
	int error;

	data->paused = true;
	error = event_trigger_register(data);
	if (error)
		return error;
	if (data->cmd->init)
		error = data->cmd->init(data);
	if (error)
		event_trigger_detach(data);
	else
		smp_store_release(&data->paused, false);
	return error;
}

static int add(struct event_trigger_data *data, char *param, const char *filter)
{
	int error = 0;

	if (param)
		param = strsep(&param, ":");
	if (param && *param)
		error = kstrtoul(param, 0, &data->count);
	if (!error)
		error = event_trigger_set_filter(data, filter);
	if (!error && find_same(data))
		error = -EEXIST;
	return error ? error : start(data);
}

int event_trigger_parse(const struct event_command *cmd, struct trace_event_file *file,
			const struct event_trigger_line *line)
{
	struct event_trigger_data *data, *old;
	char *param, *filter;
	int error = event_trigger_split(line->params, cmd->param_required, &param, &filter);

	if (error)
		return error;
	data = event_trigger_alloc(cmd, file);
	if (!data)
		return -ENOMEM;
	if (cmd->parse_param)
		error = cmd->parse_param(data, &param);
	if (!error && !line->remove) {
		error = add(data, param, filter);
		if (!error)
			return 0;
	} else if (!error) {
		old = find_same(data);
		if (old)
			event_trigger_unregister(old);
	}
	event_trigger_free(data);
	return error;
}
