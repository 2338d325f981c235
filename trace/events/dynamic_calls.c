/*
 * Events made at run time: a trace_event_call is added to all trace_arrays, and removed again.
 *
 * A file of such an event must not be used after the event is freed. So the event's directory has
 * an owner (fs/file/file_owner.h) in each trace_array, and the event is removed only while none of
 * its files is open. An event with release() goes from the directories at once: its open files keep
 * it, and can change nothing any more. The directory events/SYSTEM goes with its last event, and
 * has an owner as well. In an instance the parent of these owners is the instance.
 *
 * E protects all of this. T is held while all trace_arrays are visited.
 */
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/rcu/rculist.h"
#include "kernel/lib/string.h"
#include "trace/events/event.h"
#include "trace/events/files.h"

static struct trace_event_file *find_file(struct trace_array *tr,
					  const struct trace_event_call *call)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (file->call == call)
			return file;
	return NULL;
}

struct trace_event_call *trace_find_event_call(const char *system, const char *name)
{
	struct trace_event_call *call;

	list_for_each_entry (call, &trace_event_calls, list)
		if (strcmp(trace_event_name(call), name) == 0 &&
		    strcmp(trace_event_system(call), system) == 0)
			return call;
	return NULL;
}

/* ---- owners ---- */

static void free_file_rcu(struct rcu_head *head)
{
	trace_event_file_free(container_of(head, struct trace_event_file, rcu));
}

/* After the last inode of a dynamic event's directory. */
static void file_release(struct file_owner *owner)
{
	call_rcu(&container_of(owner, struct trace_event_file, owner)->rcu, free_file_rcu);
}

void trace_event_file_init_owner(struct trace_event_file *file)
{
	file_owner_init(&file->owner, trace_array_owner(file->tr), file_release);
	file->owner.module = file->call->mod;
}

/* Frees a file that is out of all lists, after a grace period and the last inode. */
static void put_file(struct trace_event_file *file)
{
	struct dentry *dir = file->dir;

	if (dir) {
		tracefs_remove(dir);
		file_owner_put(&file->owner);
	} else {
		call_rcu(&file->rcu, free_file_rcu);
	}
}

/* Returns the event's system if the directory of the system goes with this event, or NULL. */
static struct event_system *last_of_system(struct trace_event_file *file)
{
	const char *name = trace_event_system(file->call);
	struct event_system *system = trace_event_dynamic_system(file->tr, name);
	struct trace_event_file *other;

	if (!system)
		return NULL;
	list_for_each_entry (other, &trace_events_of(file->tr)->files, list)
		if (other != file && strcmp(trace_event_system(other->call), name) == 0)
			return NULL;
	return system;
}

/* Prevents that a file of the event is opened. 0, or -EBUSY: one is open. */
static int close_doors(struct trace_event_file *file)
{
	struct event_system *system = last_of_system(file);

	if (file_owner_kill(&file->owner))
		return -EBUSY;
	if (!system || file_owner_kill(&system->owner) == 0)
		return 0;
	file_owner_revive(&file->owner);
	return -EBUSY;
}

static void open_doors(struct trace_event_file *file)
{
	struct event_system *system = last_of_system(file);

	file_owner_revive(&file->owner);
	if (system)
		file_owner_revive(&system->owner);
}

/* Does close_doors() in all trace_arrays or in none. E and T held. */
static int close_all_doors(const struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr, *busy = NULL;

	for_each_trace_array (tr) {
		file = find_file(tr, call);
		if (file && close_doors(file)) {
			busy = tr;
			break;
		}
	}
	if (!busy)
		return 0;
	for_each_trace_array (tr) {
		if (tr == busy)
			break;
		file = find_file(tr, call);
		if (file)
			open_doors(file);
	}
	return -EBUSY;
}

/* ---- adding and removing ---- */

static int add_to(struct trace_array *tr, struct trace_event_call *call)
{
	struct trace_event_file *file;

	if (trace_events_of(tr)->detached)
		return 0;
	file = trace_event_file_create(tr, call);
	if (!file)
		return -ENOMEM;
	return trace_events_of(tr)->dir ? trace_event_create_dir(file) : 0;
}

/*
 * The event is out of the list, and its system stays. If the event was the last one of the module
 * that the system's files keep, the files keep no module from now on: the module may go.
 */
static void forget_module(const struct trace_event_file *file)
{
	const char *name = trace_event_system(file->call);
	struct event_system *system = trace_event_dynamic_system(file->tr, name);
	struct trace_event_file *other;

	if (!system || system->owner.module != file->call->mod)
		return;
	list_for_each_entry (other, &trace_events_of(file->tr)->files, list)
		if (other->call->mod == file->call->mod &&
		    strcmp(trace_event_system(other->call), name) == 0)
			return;
	WRITE_ONCE(system->owner.module, NULL);
}

static void remove_file(struct trace_event_file *file)
{
	struct event_system *system = last_of_system(file);

	list_del_rcu(&file->list);
	__atomic_fetch_or(&file->flags, EVENT_FILE_FL_REMOVED, __ATOMIC_SEQ_CST);
	if (file->flags & EVENT_FILE_FL_WAS_ENABLED) {
		/*
		 * The number of the event may mean another event later. A snapshot may exchange
		 * the buffers at any time, so both are reset, whichever is the snapshot's.
		 */
		tracing_stop_tr(file->tr); /* now no latency tracer exchanges their parts */
		tracing_reset_online_cpus(file->tr);
		ring_buffer_reset(file->tr->buffers[0]);
		ring_buffer_reset(file->tr->buffers[1]);
		tracing_start_tr(file->tr);
	}
	if (!system)
		forget_module(file);
	put_file(file); /* may free it */
	if (system)
		trace_event_remove_system(system);
}

/* E held, T not. */
static void remove_call(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	mutex_lock(&trace_types_lock);
	for_each_trace_array (tr) {
		file = find_file(tr, call);
		if (file)
			remove_file(file);
	}
	mutex_unlock(&trace_types_lock);
	list_del(&call->list);
	unregister_trace_event(&call->event);
}

int trace_add_event_call(struct trace_event_call *call)
{
	struct trace_array *tr;
	int error;

	call->flags |= TRACE_EVENT_FL_DYNAMIC;
	error = register_trace_event(&call->event);
	if (error)
		return error;
	list_add_tail(&call->list, &trace_event_calls);
	mutex_lock(&trace_types_lock);
	for_each_trace_array (tr) {
		error = add_to(tr, call);
		if (error)
			break;
	}
	mutex_unlock(&trace_types_lock);
	if (error)
		remove_call(call);
	return error;
}

static bool file_busy(const struct trace_event_file *file)
{
	return file->flags & EVENT_FILE_FL_ENABLED || file->sm_ref || file->tm_ref ||
	       !list_empty(&file->triggers);
}

/* E and T held. */
static bool busy_in_any(const struct trace_event_call *call)
{
	const struct trace_event_file *file;
	struct trace_array *tr;

	for_each_trace_array (tr) {
		file = find_file(tr, call);
		if (file && file_busy(file))
			return true;
	}
	return false;
}

bool trace_event_call_busy(const struct trace_event_call *call, bool probes_too)
{
	bool busy;

	mutex_lock(&trace_types_lock);
	busy = call->users || (probes_too && call->eprobes) || busy_in_any(call);
	mutex_unlock(&trace_types_lock);
	return busy;
}

int trace_remove_event_call(struct trace_event_call *call)
{
	int error = -EBUSY;

	mutex_lock(&trace_types_lock);
	if (!call->users && !call->eprobes && !busy_in_any(call))
		error = call->release ? 0 : close_all_doors(call);
	mutex_unlock(&trace_types_lock);
	if (!error)
		remove_call(call);
	return error;
}

void trace_detach_dynamic_events(struct trace_array *tr)
{
	struct trace_array_events *events = trace_events_of(tr);
	struct trace_event_file *file, *next_file;
	struct event_system *system, *next_system;

	events->detached = true;
	list_for_each_entry_safe (file, next_file, &events->files, list) {
		if (file->call->flags & TRACE_EVENT_FL_DYNAMIC) {
			list_del_rcu(&file->list);
			put_file(file);
		}
	}
	list_for_each_entry_safe (system, next_system, &events->systems, list)
		if (system->dynamic)
			trace_event_remove_system(system);
}
