/*
 * Triggers that switch something of another event: enable_event, disable_event, and the two of
 * histograms. Their lines name the event: "COMMAND:SYSTEM:EVENT[:COUNT] [if FILTER]". The functions
 * are for struct event_command, with param_required.
 */
#pragma once

#include "trace/events/trigger.h"

/* The file of the event that the trigger switches. */
static inline struct trace_event_file *event_trigger_target(const struct event_trigger_data *data)
{
	return data->private;
}

int event_enable_parse_param(struct event_trigger_data *data, char **param);
/* There is one such trigger for each event that they switch. */
bool event_enable_same(const struct event_trigger_data *a, const struct event_trigger_data *b);
/* The other event runs in soft mode while the trigger exists. */
int event_enable_init(struct event_trigger_data *data);
void event_enable_free(struct event_trigger_data *data);
void event_enable_print(struct seq_file *m, struct event_trigger_data *data);
