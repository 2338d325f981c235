/*
 * Triggers that switch something of another event: enable_event, disable_event, and the two of
 * histograms. Their lines name the event: "COMMAND:SYSTEM:EVENT[:COUNT] [if FILTER]". The functions
 * are for struct event_command, with param_required.
 */
#pragma once

#include "trace/trigger/trigger.h"

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

/* Adds such a command (EVENT_COMMAND()): its place, its name, its type, and the trigger. */
#define EVENT_ENABLE_COMMAND(object, place, name_, type_, trigger_, ...)                           \
	EVENT_COMMAND(object, place) = { .name = name_,                                            \
					 .type = type_,                                            \
					 .parse = event_trigger_parse,                             \
					 .trigger = trigger_,                                      \
					 .print = event_enable_print,                              \
					 .free = event_enable_free,                                \
					 .param_required = true,                                   \
					 .parse_param = event_enable_parse_param,                  \
					 .same = event_enable_same,                                \
					 .init = event_enable_init,                                \
					 ##__VA_ARGS__ }
