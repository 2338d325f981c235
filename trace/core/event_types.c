/* The types of entries: from common_type to struct trace_event. */
#include "trace/core/entries.h"
#include "trace/core/events.h"
#include "kernel/errno.h"
#include "kernel/rcu/rculist.h"

#define EVENT_HASH_SIZE 128
#define TRACE_TYPE_MAX  0xffffU /* trace_entry.type has 16 bits */

DEFINE_MUTEX(trace_event_mutex);
LIST_HEAD(trace_events);
static struct trace_event *event_hash[EVENT_HASH_SIZE]; /* [X] to write, RCU to read */
static unsigned next_type = TRACE_TYPE_FIRST_DYNAMIC;   /* [X] */

struct trace_event *ftrace_find_event(unsigned type)
{
	struct trace_event *event = rcu_dereference(event_hash[type % EVENT_HASH_SIZE]);

	while (event && event->type != type)
		event = rcu_dereference(event->hash_next);
	return event;
}

/*
 * Returns a number that no type has, or 0. Each number is used again as late as possible. X held.
 */
static unsigned free_type(void)
{
	for (unsigned tried = 0; tried <= TRACE_TYPE_MAX; tried++) {
		unsigned type = next_type;

		next_type = type == TRACE_TYPE_MAX ? TRACE_TYPE_FIRST_DYNAMIC : type + 1;
		if (!ftrace_find_event(type))
			return type;
	}
	return 0;
}

int register_trace_event(struct trace_event *event)
{
	struct trace_event **head;
	int error = 0;

	mutex_lock(&trace_event_mutex);
	if (!event->type)
		event->type = free_type();
	if (event->type) {
		head = &event_hash[event->type % EVENT_HASH_SIZE];
		event->hash_next = *head;
		rcu_assign_pointer(*head, event);
		list_add_tail(&event->list, &trace_events);
	} else {
		error = -ENOSPC;
	}
	mutex_unlock(&trace_event_mutex);
	return error;
}

void unregister_trace_event(struct trace_event *event)
{
	struct trace_event **link = &event_hash[event->type % EVENT_HASH_SIZE];

	mutex_lock(&trace_event_mutex);
	while (*link != event)
		link = &(*link)->hash_next;
	rcu_assign_pointer(*link, event->hash_next);
	list_del(&event->list);
	mutex_unlock(&trace_event_mutex);
}
