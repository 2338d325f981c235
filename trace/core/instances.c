/*
 * Instances: mkdir(2) in instances/ makes a trace_array with a buffer, a tracer, filters, options
 * and files of its own; rmdir(2) removes it (Documentation/trace/ftrace.rst, "Instances").
 *
 * A trace_array is freed with the last inode of its files. A task that has looked up a file just
 * before rmdir(2) cannot open it any more, because its owner is dead (fs/file/file_owner.c), but it
 * does not use freed memory.
 */
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/core/cmdlines.h"
#include "trace/core/files.h"
#include "trace/core/options.h"

static struct dentry *instances_dir; /* constant */

/* Frees the trace_array after its last file. */
static void instance_release(struct file_owner *owner)
{
	struct trace_array *tr = container_of(owner, struct trace_array, owner);

	trace_array_exit(tr);
	kfree(tr->name);
	kfree(tr);
}

struct trace_array *trace_array_find(const char *name)
{
	struct trace_array *tr;

	for_each_trace_array (tr)
		if (tr->name && strcmp(tr->name, name) == 0)
			return tr;
	return NULL;
}

/* Allocates an instance with the options of the top level. NULL: no memory. */
static struct trace_array *alloc_instance(const char *name, struct trace_persistent *persistent)
{
	struct trace_array *tr = kzalloc(sizeof(*tr), GFP_KERNEL);

	if (!tr)
		return NULL;
	tr->name = kstrdup(name, GFP_KERNEL);
	tr->persistent = persistent;
	tr->trace_flags = global_trace.trace_flags & ~(u64)ZEROED_TRACE_FLAGS;
	/* The files of dynamic events, which trace_array_init() adds, are counted in the owner. */
	file_owner_init(&tr->owner, NULL, instance_release);
	if (!tr->name || trace_array_init(tr)) {
		kfree(tr->name);
		kfree(tr);
		return NULL;
	}
	return tr;
}

/*
 * Removes an instance after its files can no longer be opened. No lock held: waits for grace
 * periods. The name stays in trace_arrays until the directory is gone, so that mkdir(2) cannot
 * reuse it.
 */
static void remove_instance(struct trace_array *tr)
{
	tracing_set_tracer(tr, nop_trace.name);
	mutex_lock(&trace_types_lock);
	set_tracer_flag(tr, TRACE_ITER_TRACE_PRINTK, false);
	mutex_unlock(&trace_types_lock);
	/* Tracers first: their function probes use events. */
	for (struct tracer *t = trace_own_types; t; t = t->next)
		if (t->detach && tracer_fits(t, tr))
			t->detach(tr);
	for (struct trace_array_part *part = trace_array_parts; part; part = part->next)
		if (part->detach)
			part->detach(tr);
	tracefs_remove(tr->dir);
	mutex_lock(&trace_types_lock);
	list_del_rcu(&tr->list);
	trace_update_recorded_tasks();
	mutex_unlock(&trace_types_lock);
	synchronize_rcu(); /* for_each_trace_array() may still be at tr */
	file_owner_put(&tr->owner);
}

static int create_instance(const char *name, struct trace_persistent *persistent)
{
	struct trace_array *tr;
	int error = -EEXIST;
	bool remove;

	mutex_lock(&event_mutex);
	mutex_lock(&trace_types_lock);
	if (trace_array_find(name))
		goto out;
	error = -ENOMEM;
	tr = alloc_instance(name, persistent);
	if (!tr)
		goto out;
	tr->dir = tracefs_create_dir(name, instances_dir);
	if (IS_ERR_OR_NULL(tr->dir)) {
		instance_release(&tr->owner); /* no other code has its address yet */
		goto out;
	}
	tr->dir->d_inode->i_owner = file_owner_get(&tr->owner);
	error = trace_create_files(tr);
	list_add_tail_rcu(&tr->list, &trace_arrays);
	/*
	 * If a task has already opened a file, the incomplete instance stays until rmdir(2). After
	 * the unlock rmdir(2) may free tr, unless this call has killed its owner.
	 */
	remove = error && file_owner_kill(&tr->owner) == 0;
	mutex_unlock(&trace_types_lock);
	mutex_unlock(&event_mutex);
	if (remove)
		remove_instance(tr);
	return error;
out:
	mutex_unlock(&trace_types_lock);
	mutex_unlock(&event_mutex);
	return error;
}

static int instance_mkdir(const char *name)
{
	return create_instance(name, NULL);
}

/* As in Linux an instance with its own memory stays. */
static int instance_rmdir(const char *name)
{
	struct trace_array *tr;
	int error = -ENOENT;

	mutex_lock(&trace_types_lock);
	tr = trace_array_find(name);
	if (tr)
		error = tr->persistent ? -EBUSY : file_owner_kill(&tr->owner);
	mutex_unlock(&trace_types_lock);
	if (!error)
		remove_instance(tr);
	return error;
}

int trace_instance_create(const char *name, struct trace_persistent *persistent,
			  struct trace_array **tr)
{
	int error = create_instance(name, persistent);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	*tr = trace_array_find(name);
	mutex_unlock(&trace_types_lock);
	return *tr ? 0 : -ENOENT;
}

static int __init trace_instances_init(void)
{
	instances_dir =
		tracefs_create_instance_dir("instances", NULL, instance_mkdir, instance_rmdir);
	return IS_ERR_OR_NULL(instances_dir) ? -ENOMEM : 0;
}
device_initcall(trace_instances_init);
