/* Events at any instruction of a file: what uprobe_events.c offers to uprobe_files.c. */
#pragma once

#include "trace/events/dynamic_events.h"

extern const struct dyn_event_operations *const uprobe_event_ops;
/* Runs "p:…" or "r:…". 0, an errno, or -ECANCELED: it is no such command. dyn_event_mutex held. */
int uprobe_event_create(const char *line);
/* Prints the line of uprobe_profile: the file, the name of the event, hits. E held. */
void uprobe_event_show_profile(struct seq_file *m, const struct dyn_event *dyn);
