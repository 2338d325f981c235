/* Events at any instruction of a file: what uprobe_events.c offers to uprobe_files.c. */
#pragma once

#include "trace/events/dynamic_events.h"

extern const struct dyn_event_file uprobe_event_file;
extern const struct dyn_event_file uprobe_profile_file; /* the file, the name of the event, hits */
