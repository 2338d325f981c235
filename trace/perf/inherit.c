/*
 * Events at fork, exec and exit.
 *
 * A child gets a copy of each inherited event of its parent. The copies of all generations are
 * children of the event that a program has opened, the original. At its end a child's values are
 * added to those of its original, in the same step under M in which it leaves the list of children.
 * So a reader counts it once.
 *
 *	fork	copy: under M, one step for the whole context. An original that is closed finds the
 *		copy in its list, or its event no longer in the parent's context.
 *	exec	new_program: after the new memory is in place, before the task has its new name, and
 *		with exec_update_lock held for writing. So an opener that comes at this moment is
 *		checked against the new rights of the task.
 *	exit	exit: PF_EXITING is set. Freezes all events, and takes them out.
 */
#include "trace/perf/records.h"

#include "kernel/bug.h"
#include "kernel/mm/slab.h"
#include "kernel/process/part.h"
#include "kernel/task/clone_flags.h"
#include "kernel/task/part.h"
#include "kernel/vm/mm_types.h"

/* ---- fork ---- */

static bool inherits(const struct perf_event *event, u64 clone_flags)
{
	const struct perf_event_attr *attr = event->attr;

	/* A member whose leader is not inherited is not, either. */
	return attr->inherit && (!attr->inherit_thread || (clone_flags & CLONE_THREAD)) &&
	       (event->leader == event || event->leader->clone);
}

/* 0, -ENOMEM, or -ENOSPC. M held. */
static int inherit_event(struct perf_event *event, struct perf_context *to)
{
	struct perf_event *child = perf_event_alloc_child(event), *original = perf_original(event);
	int error;

	if (!child)
		return -ENOMEM;
	error = perf_context_add(to, child);
	if (error) {
		perf_event_put(child);
		return error;
	}
	if (event->leader != event)
		perf_group_join(child, event->leader->clone);
	list_add_tail(&child->child_node, &original->children);
	WRITE_ONCE(original->nr_children, original->nr_children + 1);
	event->clone = child;
	perf_event_set(child, event->state == PERF_ON);
	return 0;
}

/* A leader is older than its members, so it comes first. M held. */
static int inherit_context(struct perf_context *from, struct perf_context *to, u64 clone_flags)
{
	struct perf_event *event;
	int error = 0;

	list_for_each_entry (event, &from->events, ctx_node) {
		if (!error && inherits(event, clone_flags))
			error = inherit_event(event, to);
	}
	list_for_each_entry (event, &from->events, ctx_node)
		event->clone = NULL;
	return error;
}

static noinline int copy_events(u64 clone_flags, struct task_struct *child)
{
	struct perf_context *from;
	int error = 0;

	mutex_lock(&perf_mutex);
	from = current->perf;
	if (from && from->nr_inherit) {
		child->perf = perf_alloc_context(child);
		error = child->perf ? inherit_context(from, child->perf, clone_flags) : -ENOMEM;
		if (error && child->perf)
			perf_end_context(child);
	}
	mutex_unlock(&perf_mutex);
	return error;
}

static int perf_copy(u64 clone_flags, struct task_struct *child)
{
	/* A kernel task, also one that a program's system call makes, inherits nothing. */
	if (likely(!READ_ONCE(current->perf)) || child->thread_fn)
		return 0;
	return copy_events(clone_flags, child);
}

static void perf_new(struct task_struct *task)
{
	if (unlikely(perf_records(PERF_RECORDS_TASK) || perf_records(PERF_RECORDS_NAMESPACES)))
		perf_record_fork(task);
}

/* ---- exit ---- */

/* From now on poll(2) says POLLHUP, if no other task has the event. M held. */
static void mark_end(struct perf_event *event)
{
	if (event->parent)
		WRITE_ONCE(event->parent->nr_children, event->parent->nr_children - 1);
	WRITE_ONCE(event->state, PERF_EXIT);
}

/* The event, which is frozen and marked, leaves its task for good. M held. */
static void end_event(struct perf_event *event)
{
	struct perf_event *original = event->parent;

	perf_context_remove(event);
	if (original) {
		original->child_count += perf_event_value(event) - event->zero;
		original->child_enabled += event->enabled.sum;
		original->child_running += event->running.sum;
		original->child_lost += READ_ONCE(event->lost);
		list_del(&event->child_node);
		perf_event_put(event);
	} else {
		original = event;
	}
	if (original->state == PERF_EXIT && !original->nr_children)
		wake_up_all(&original->wait);
}

void perf_end_context(struct task_struct *task)
{
	struct perf_context *ctx = task->perf;
	struct perf_event *event, *next;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	list_for_each_entry (event, &ctx->events, ctx_node)
		perf_event_freeze(event);
	if (task == current) { /* else a fork has failed: the task has never run */
		local_irq_disable();
		perf_stop_started();
		local_irq_enable();
		perf_record_exit();
	}
	/* First all are marked: a reader that wakes would poll those that are not in a loop. */
	list_for_each_entry (event, &ctx->events, ctx_node)
		mark_end(event);
	/* An original keeps its group: read(2) gives the final values. */
	list_for_each_entry_safe (event, next, &ctx->events, ctx_node)
		end_event(event);
	perf_put_context(ctx);
}

/* task: current, or one that has never run. */
static void perf_exit(struct task_struct *task)
{
	smp_mb(); /* PF_EXITING is set: see context.c */
	if (likely(!READ_ONCE(task->perf))) {
		if (task == current)
			perf_record_exit(); /* to the events of this CPU */
		return;
	}
	mutex_lock(&perf_mutex);
	if (task->perf)
		perf_end_context(task);
	else if (task == current)
		perf_record_exit(); /* an opener has taken its context away again */
	mutex_unlock(&perf_mutex);
}

static const struct task_part perf_task_part TASK_PART(perf) = {
	.copy = perf_copy,
	.new = perf_new,
	.exit = perf_exit,
};

/* ---- exec ---- */

static void exec_event(struct perf_event *event)
{
	if (event->attr->remove_on_exec) {
		mark_end(event);
		if (event->parent)
			perf_group_leave(event);
		perf_event_update(event); /* and the members of an original */
		end_event(event);
	} else if (event->enable_on_exec) {
		event->enable_on_exec = false;
		if (event->state == PERF_OFF)
			perf_event_set(event, true);
	}
}

/*
 * A program that its caller may not look into takes the events away, because a descriptor of the
 * caller would still sample its stack and registers. Their buffers get an EXIT record, although the
 * task lives: so they do on Linux, whose begin_new_exec() calls perf_event_exit_task() then.
 */
static void perf_new_program(void)
{
	struct perf_event *event, *next;

	if (likely(!READ_ONCE(current->perf)))
		return;
	mutex_lock(&perf_mutex);
	if (!current->mm->dumpable)
		perf_end_context(current);
	else
		list_for_each_entry_safe (event, next, &current->perf->events, ctx_node)
			exec_event(event);
	mutex_unlock(&perf_mutex);
}

static const struct process_part perf_process_part PROCESS_PART(perf) = {
	.new_program = perf_new_program,
};
