/*
 * The life of an event, its states and its values.
 *
 * An event is active while it and the leader of its group are on, and it is in a context. Only hits
 * of an active event count. Its times and the count of a level are kept as one of two numbers:
 *
 *	active		the clock, or the level, minus base
 *	not active	sum, or count
 *
 * Whoever switches the event, under M, writes the number that is to be valid next, and then
 * `active`, with release order. So a hit that reads the value at this moment takes one or the
 * other, and both are right.
 *
 * The count of hits is written only by hits. So RESET does not clear it: it notes where zero is.
 */
#include "trace/perf/records.h"

#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "trace/filter/filter.h"
#include "trace/perf/sample.h"

static struct kmem_cache *perf_event_cachep;
static atomic64_t last_id;

/* ---- life ---- */

static struct perf_event *new_event(void)
{
	struct perf_event *event = kmem_cache_alloc(perf_event_cachep, GFP_KERNEL | __GFP_ZERO);

	if (!event)
		return NULL;
	atomic_set(&event->refs, 1);
	event->id = (u64)atomic64_inc_return(&last_id);
	event->leader = event;
	INIT_LIST_HEAD(&event->siblings);
	INIT_LIST_HEAD(&event->children);
	return event;
}

static bool wants_chains(const struct perf_event_attr *attr)
{
	return attr->sample_period && (attr->sample_type & PERF_SAMPLE_CALLCHAIN);
}

struct perf_event *perf_event_alloc(struct perf_event_attr *attr, const struct pmu *pmu, int cpu,
				    bool of_task)
{
	struct perf_event *event = new_event();
	int error;

	if (!event) {
		kfree(attr);
		return ERR_PTR(-ENOMEM);
	}
	event->attr = attr;
	event->pmu = pmu;
	event->cpu = cpu;
	event->of_task = of_task;
	event->may_see_kernel = !perf_allow_kernel();
	/* The one place that decides it. */
	event->shows = PERF_MODE_USER;
	if (event->may_see_kernel && !attr->exclude_kernel)
		event->shows |= PERF_MODE_KERNEL;
	event->enable_on_exec = attr->enable_on_exec;
	event->freq = attr->freq ? attr->sample_freq : 0;
	event->period = event->freq ? 1 : attr->sample_period; /* with freq: adapted at once */
	event->left = event->period;
	event->after = attr->sigtrap ? PERF_AFTER_ALERT : 0;
	if (event->freq)
		event->after |= PERF_AFTER_ADAPT;
	event->sig_data = attr->sig_data;
	init_waitqueue_head(&event->wait);
	error = wants_chains(attr) ? perf_callchain_users(1) : 0;
	if (error)
		goto free;
	/* Only a PMU of a CPU records branches. */
	error = attr->sample_type & PERF_SAMPLE_BRANCH_STACK ? -EOPNOTSUPP : pmu->event_init(event);
	if (error)
		goto chains;
	event->asked_exclude = event->exclude;
	event->records = perf_record_kinds(event);
	error = perf_records_begin(event);
	if (error)
		goto destroy;
	perf_sample_init(event);
	if (of_task && cpu != -1 && (attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		event->flags |= PERF_RUN;
	if (event->flags & PERF_RUN)
		(void)perf_tap_get(&perf_switch_tap);
	return event;
destroy:
	if (pmu->destroy)
		pmu->destroy(event);
chains:
	if (wants_chains(attr))
		perf_callchain_users(-1);
free:
	kfree(event->breakpoint);
	kfree(attr);
	kmem_cache_free(perf_event_cachep, event);
	return ERR_PTR(error);
}

struct perf_event *perf_event_alloc_child(struct perf_event *event)
{
	struct perf_event *original = perf_original(event), *child = new_event();

	if (!child)
		return NULL;
	atomic_inc(&original->refs); /* not 0: event is in the list of its children, or is it */
	child->parent = original;
	child->attr = original->attr;
	child->pmu = original->pmu;
	child->cpu = original->cpu;
	child->of_task = true;
	child->flags = original->flags;
	child->exclude = child->asked_exclude = original->asked_exclude;
	child->after = original->after;
	child->source = original->source;
	/* Of the original, whose task may have called exec: then no child does it again. */
	child->enable_on_exec = original->enable_on_exec;
	child->may_see_kernel = original->may_see_kernel;
	child->shows = original->shows;
	child->records = original->records;
	child->freq = original->freq;
	child->period = READ_ONCE(event->period);
	child->left = child->period;
	child->fixed_size = original->fixed_size;
	child->id_size = original->id_size;
	child->wakeup_events = original->wakeup_events;
	child->clock = original->clock;
	return child;
}

/* No hit uses the event any more. An RCU callback, or as perf_event_put(). */
static void free_event(struct rcu_head *rcu)
{
	struct perf_event *event = container_of(rcu, struct perf_event, rcu);

	if (event->parent) {
		perf_event_put(event->parent);
	} else {
		event_filter_free(event->filter);
		kfree(event->attr);
	}
	kfree(event->breakpoint);
	kmem_cache_free(perf_event_cachep, event);
}

void perf_event_put(struct perf_event *event)
{
	if (!atomic_dec_and_test(&event->refs))
		return;
	if (event->shown)
		call_rcu(&event->rcu, free_event);
	else
		free_event(&event->rcu);
}

/* ---- states ---- */

static bool should_be_active(const struct perf_event *event)
{
	return event->state == PERF_ON && event->leader->state == PERF_ON && event->ctx;
}

static void activate(struct perf_event *event)
{
	struct perf_clocks clocks = perf_read_clocks(event);

	event->enabled.base = clocks.enabled - event->enabled.sum;
	event->running.base = clocks.running - event->running.sum;
	if (event->flags & PERF_LEVEL)
		event->base = event->pmu->read(event, &clocks) - event->count;
	smp_store_release(&event->active, true);
}

static __always_inline void deactivate(struct perf_event *event)
{
	struct perf_clocks clocks = perf_read_clocks(event);

	event->enabled.sum = clocks.enabled - event->enabled.base;
	event->running.sum = clocks.running - event->running.base;
	if (event->flags & PERF_LEVEL)
		event->count = event->pmu->read(event, &clocks) - event->base;
	smp_store_release(&event->active, false);
}

void perf_event_freeze(struct perf_event *event)
{
	if (event->active)
		deactivate(event);
}

/* Whether a CPU has to start or stop it now. */
static bool update_one(struct perf_event *event)
{
	bool active = should_be_active(event);

	if (active == event->active)
		return false;
	if (active)
		activate(event);
	else
		deactivate(event);
	if (event->mmap_count)
		perf_update_user_page(event);
	return event->flags & PERF_ON_CPU;
}

static noinline bool update_members(struct perf_event *leader)
{
	struct perf_event *member;
	bool kick = false;

	list_for_each_entry (member, &leader->siblings, sibling_node)
		kick |= update_one(member);
	return kick;
}

void perf_event_update(struct perf_event *event)
{
	bool kick;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	kick = update_one(event);
	if (!list_empty(&event->siblings))
		kick |= update_members(event);
	if (kick)
		perf_kick(event->ctx);
}

void perf_event_set(struct perf_event *event, bool on)
{
	if (event->state == PERF_EXIT)
		return;
	WRITE_ONCE(event->state, on ? PERF_ON : PERF_OFF);
	perf_event_update(event);
}

void perf_event_set_all(struct perf_event *event, bool on)
{
	struct perf_event *child;

	perf_event_set(event, on);
	list_for_each_entry (child, &event->children, child_node)
		perf_event_set(child, on);
}

void perf_group_join(struct perf_event *event, struct perf_event *leader)
{
	event->shown = leader->shown = true; /* to the samples of the others */
	WRITE_ONCE(event->leader, leader);
	list_add_tail_rcu(&event->sibling_node, &leader->siblings);
	WRITE_ONCE(leader->nr_siblings, leader->nr_siblings + 1);
}

/*
 * A member keeps sibling_node, and a former leader keeps siblings, as they are: readers may be
 * there, and neither is used again.
 */
void perf_group_leave(struct perf_event *event)
{
	struct perf_context *kick = NULL; /* of the members: event may have left it */
	struct perf_event *member, *next;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	if (event->leader != event) {
		list_del_rcu(&event->sibling_node);
		event->leader->nr_siblings--;
		WRITE_ONCE(event->leader, event);
		return;
	}
	list_for_each_entry_safe (member, next, &event->siblings, sibling_node) {
		list_del_rcu(&member->sibling_node);
		WRITE_ONCE(member->leader, member);
		if (update_one(member))
			kick = member->ctx;
	}
	event->nr_siblings = 0;
	if (kick)
		perf_kick(kick);
}

static void close_one(struct perf_event *event)
{
	perf_group_leave(event);
	WRITE_ONCE(event->state, PERF_EXIT);
	perf_event_update(event);
	perf_context_remove(event);
}

/* The children and the event itself leave their contexts, and the buffer. M held. */
static void close_event(struct perf_event *event)
{
	struct perf_event *child, *next;

	list_for_each_entry_safe (child, next, &event->children, child_node) {
		close_one(child);
		list_del(&child->child_node);
		perf_event_put(child);
	}
	WRITE_ONCE(event->nr_children, 0);
	close_one(event);
	perf_detach_buffer(event);
}

static void destroy_event(struct callback_head *work)
{
	struct perf_event *event = container_of(work, struct perf_event, release);

	perf_program_clear(event);
	perf_records_end(event);
	if (wants_chains(event->attr))
		perf_callchain_users(-1);
	if (event->flags & PERF_RUN)
		perf_tap_put(&perf_switch_tap);
	if (event->pmu->destroy)
		event->pmu->destroy(event);
	perf_event_put(event);
}

void perf_event_release(struct perf_event *event)
{
	mutex_lock(&perf_mutex);
	close_event(event);
	mutex_unlock(&perf_mutex);
	event->release.func = destroy_event;
	/* A task that ends, and a kernel task that drops the last reference, hold no lock here. */
	if ((current->flags & PF_KTHREAD) || task_work_add(current, &event->release))
		destroy_event(&event->release);
}

/* ---- values ---- */

static u64 value_at(const struct perf_event *event, const struct perf_clocks *clocks)
{
	if ((event->flags & PERF_LEVEL) && event->active)
		return event->pmu->read(event, clocks) - event->base;
	return READ_ONCE(event->count);
}

u64 perf_event_value(const struct perf_event *event)
{
	struct perf_clocks clocks = { 0 };

	if ((event->flags & PERF_CLOCK) && event->active)
		clocks = perf_read_clocks(event);
	return value_at(event, &clocks);
}

u64 perf_event_value_in_hit(const struct perf_event *event)
{
	struct perf_clocks clocks = { 0 };

	if (!(event->flags & PERF_LEVEL) || !smp_load_acquire(&event->active))
		return READ_ONCE(event->count);
	if (event->flags & PERF_CLOCK)
		clocks = perf_guess_clocks(event);
	return event->pmu->read(event, &clocks) - READ_ONCE(event->base);
}

static void add_values(const struct perf_event *event, bool times, struct perf_values *values)
{
	struct perf_clocks clocks = { 0 };

	values->lost += READ_ONCE(event->lost);
	if (!times) {
		values->count += perf_event_value(event) - event->zero;
		return;
	}
	if (event->active) {
		clocks = perf_read_clocks(event);
		values->enabled += clocks.enabled - event->enabled.base;
		values->running += clocks.running - event->running.base;
	} else {
		values->enabled += event->enabled.sum;
		values->running += event->running.sum;
	}
	values->count += value_at(event, &clocks) - event->zero;
}

void perf_event_read(const struct perf_event *event, bool times, struct perf_values *values)
{
	const struct perf_event *child;

	DEBUG_BUG_ON(!mutex_is_locked(&perf_mutex));
	*values = (struct perf_values){ event->child_count, event->child_enabled,
					event->child_running, event->child_lost };
	add_values(event, times, values);
	list_for_each_entry (child, &event->children, child_node)
		add_values(child, times, values);
}

u64 perf_event_count(const struct perf_event *event)
{
	const struct perf_event *child;
	u64 count;

	mutex_lock(&perf_mutex);
	count = event->child_count + perf_event_value(event) - event->zero;
	list_for_each_entry (child, &event->children, child_node)
		count += perf_event_value(child) - child->zero;
	mutex_unlock(&perf_mutex);
	return count;
}

void perf_event_reset(struct perf_event *event)
{
	struct perf_event *child;

	WRITE_ONCE(event->zero, perf_event_value(event));
	list_for_each_entry (child, &event->children, child_node)
		child->zero = perf_event_value(child);
}

static int __init perf_events_init(void)
{
	perf_event_cachep = kmem_cache_create("perf_event", sizeof(struct perf_event), 0);
	return perf_event_cachep ? 0 : -ENOMEM;
}
early_initcall(perf_events_init);
