/* Taps: what all events of a kind share, and is on while one of them needs it. See tap.c. */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/types.h"

struct delayed_work;

struct perf_tap {
	int (*set)(bool on); /* task context, sleeps. 0 or an errno; that of off is ignored */
	/* Internal. */
	struct list_head node;
	unsigned users;
	bool on;
};
/*
 * One more event needs the tap: it is on when this returns. 0 or the errno of set(). The other:
 * one event less. Both sleep. M not held.
 */
int perf_tap_get(struct perf_tap *tap);
void perf_tap_put(struct perf_tap *tap);
/* Switches the taps off that no event needs. */
extern struct delayed_work perf_taps_off;

extern struct perf_tap perf_switch_tap; /* at a task switch. To get it never fails */
