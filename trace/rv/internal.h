/* What the files of trace/rv/ share. */
#pragma once

#include "kernel/sched/mutex.h"
#include "trace/rv/rv.h"

/* V: which monitors are enabled, their epochs and reactors, the switch monitoring_on. */
extern struct mutex rv_interface_lock;

/*
 * Attaches the probes of a monitor, or of all monitors in a container, or removes them: then no
 * handler of the monitor runs on return. 0, also if it was so before; -EBUSY: too many monitors of
 * tasks are enabled; or the error of a tracepoint. Task context, takes V.
 */
int rv_switch_monitor(struct rv_monitor *mon, bool on);
/* Disables all. V held. */
void rv_disable_all(void);
/* Off: no monitor handles an event. On: all begin anew, because they have missed events. V held. */
void rv_set_monitoring(bool on);
bool rv_monitoring(void);

/* The monitor behind mon, the first one for NULL; NULL: none. A container, then what is in it. */
struct rv_monitor *rv_next_monitor(struct rv_monitor *mon);

/* Converts what was written: 0, 1, y, n, on, off. 0 or -EINVAL. */
int rv_get_bool(const char *buf, size_t count, bool *on);

/* reactors.c: an event that is not allowed. Any context. */
void rv_react(const struct rv_monitor *mon, const char *state, const char *event);
/* Creates `available_reactors` and `reacting_on` in dir; `reactors` in mon->dir. 0 or -ENOMEM. */
int rv_create_reactor_files(struct dentry *dir);
int rv_create_monitor_reactors(struct rv_monitor *mon);
