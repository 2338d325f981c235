/*
 * Iterators merge the entries of all CPUs in the order of their time.
 *
 * The current entry is a copy, and the position of its CPU is already after it. So a line can be
 * printed several times, and the time of the following entry is known. A non-consuming reader does
 * not see entries that are written after the open(). Otherwise a reader that is slower than the
 * writers would never reach the end.
 */
#include "trace/core/iterator.h"
#include "trace/core/options.h"
#include "trace/core/trace_persistent.h"
#include "arch/cpu/irqflags.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rcu.h"

/*
 * After all entries of the last boot: the ring buffer keeps no later one. The present time would be
 * too early, because the clock has started again since then.
 */
#define LAST_BOOT_END (1UL << 62)

/* Returns the time at which the trace ends for iter. Usually now, so each reader gets done. */
static u64 end_of_trace(struct trace_iterator *iter)
{
	if (iter->shows_max)
		return iter->max.valid ? iter->max.end : 0;
	return trace_is_of_last_boot(iter->tr) ? LAST_BOOT_END
					       : ring_buffer_time_stamp(iter->buffer);
}

static bool iterates(const struct trace_iterator *iter, unsigned cpu)
{
	if (iter->max.one_cpu && cpu != iter->max.cpu)
		return false;
	return cpumask_test_cpu(cpu, &cpu_possible_mask) &&
	       (iter->cpu_file == RING_BUFFER_ALL_CPUS || iter->cpu_file == (int)cpu);
}

void trace_iterator_open_tracer(struct trace_iterator *iter, const struct tracer *tracer)
{
	if (tracer->open && !iter->any_context && !*trace_iter_private(iter, tracer))
		tracer->open(iter);
}

static void free_copy(struct trace_iterator *iter)
{
	if (iter->copy)
		free_pages_addr(iter->copy, iter->copy_order);
}

/* Frees the data of all tracers in iter. */
static void close_tracers(struct trace_iterator *iter)
{
	for (struct tracer *t = trace_own_types; t; t = t->next)
		if (t->close && *trace_iter_private(iter, t))
			t->close(iter);
}

void trace_iterator_follow_tracer(struct trace_iterator *iter)
{
	struct tracer *old = iter->trace, *now;

	rcu_read_lock();
	now = READ_ONCE(iter->tr->print_trace);
	if (now != old && !try_module_get(now->owner))
		now = &nop_trace;
	rcu_read_unlock();
	if (now == old)
		return;
	close_tracers(iter);
	if (old)
		module_put(old->owner);
	iter->trace = now;
}

static unsigned subbuf_order(const struct trace_iterator *iter)
{
	return ring_buffer_subbuf_order_get(iter->buffer ? iter->buffer
							 : READ_ONCE(iter->tr->buffer));
}

static int fit_copy(struct trace_iterator *iter, unsigned order)
{
	u8 *copy;

	if (iter->copy && order <= iter->copy_order)
		return 0;
	copy = get_free_pages(GFP_KERNEL, order);
	if (!copy)
		return -ENOMEM;
	if (iter->ent) {
		memcpy(copy, iter->copy, iter->ent_size);
		iter->ent = (struct trace_entry *)copy;
	}
	free_copy(iter);
	iter->copy = copy;
	iter->copy_order = order;
	return 0;
}

int trace_iterator_fit(struct trace_iterator *iter)
{
	unsigned most = subbuf_order(iter);

	/*
	 * The size may change during the loop. An entry of each of these iterators must fit into
	 * the copy.
	 */
	for (unsigned cpu = 0; iter->iters && cpu < nr_cpu_ids; cpu++) {
		int order = iter->iters[cpu] ? ring_buffer_iter_fit(iter->iters[cpu]) : 0;

		if (order < 0)
			return order;
		most = max(most, (unsigned)order);
	}
	return fit_copy(iter, most);
}

/*
 * buffer NULL: a consuming iterator over the buffer that writers use. max: the record to show, or
 * NULL.
 */
static struct trace_iterator *alloc_iterator(struct trace_array *tr, struct trace_buffer *buffer,
					     int cpu, const struct trace_max_record *max)
{
	struct trace_iterator *iter = kzalloc(sizeof(*iter), GFP_KERNEL);
	unsigned i;

	if (!iter)
		return NULL;
	iter->tr = tr;
	iter->buffer = buffer;
	iter->shows_max = max;
	if (max)
		iter->max = *max;
	trace_iterator_follow_tracer(iter);
	iter->cpu_file = cpu;
	if (fit_copy(iter, subbuf_order(iter)))
		goto fail;
	trace_seq_init(&iter->seq);
	if (!buffer)
		return iter;
	iter->end = end_of_trace(iter);
	iter->iters = kcalloc(nr_cpu_ids, sizeof(*iter->iters), GFP_KERNEL);
	if (!iter->iters)
		goto fail;
	for_each_possible_cpu (i) {
		if (!iterates(iter, i))
			continue;
		iter->iters[i] = ring_buffer_read_start(buffer, i);
		if (!iter->iters[i])
			goto fail;
	}
	return iter;
fail:
	trace_iterator_free(iter);
	return NULL;
}

struct trace_iterator *trace_iterator_alloc(struct trace_array *tr, int cpu, bool consuming)
{
	return alloc_iterator(tr, consuming ? NULL : READ_ONCE(tr->buffer), cpu, NULL);
}

struct trace_iterator *trace_iterator_alloc_of(struct trace_array *tr, struct trace_buffer *buffer,
					       int cpu)
{
	return alloc_iterator(tr, buffer, cpu, NULL);
}

/* Nobody exchanges the buffers: M is held for that, and tracing is stopped afterwards. */
struct trace_iterator *trace_iterator_alloc_max(struct trace_array *tr, int cpu)
{
	struct trace_max_record record;
	struct trace_buffer *buffer;
	unsigned long flags;

	trace_max_lock(tr, &flags);
	record = tr->max.record;
	buffer = READ_ONCE(tr->snapshot);
	trace_max_unlock(tr, flags);
	return alloc_iterator(tr, buffer, cpu, &record);
}

void trace_iterator_free(struct trace_iterator *iter)
{
	close_tracers(iter);
	if (iter->trace)
		module_put(iter->trace->owner);
	if (iter->iters) {
		for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
			if (iter->iters[cpu])
				ring_buffer_read_finish(iter->iters[cpu]);
		kfree(iter->iters);
	}
	free_copy(iter);
	kfree(iter);
}

void trace_iterator_reset(struct trace_iterator *iter)
{
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (iter->iters[cpu])
			ring_buffer_iter_reset(iter->iters[cpu]);
	cpumask_clear(&iter->started);
	iter->skipped = false;
	iter->end = end_of_trace(iter);
	iter->ent = NULL;
	iter->idx = 0;
}

/* Returns a CPU's next entry with its time, or NULL. */
static struct ring_buffer_event *peek_entry(struct trace_iterator *iter, unsigned cpu, u64 *ts)
{
	struct ring_buffer_event *event;
	u64 lost;

	if (!iter->iters)
		return ring_buffer_peek(iter->tr->buffer, cpu, ts, &lost);
	event = ring_buffer_iter_peek(iter->iters[cpu], ts, &lost);
	while (iter->shows_max && event && (s64)(*ts - iter->max.start) < 0) {
		iter->skipped = true;
		ring_buffer_iter_advance(iter->iters[cpu]);
		event = ring_buffer_iter_peek(iter->iters[cpu], ts, &lost);
	}
	return event && (s64)(*ts - iter->end) > 0 ? NULL : event;
}

/* Returns the CPU with the oldest entry, or nr_cpu_ids: no CPU has an entry. */
static unsigned oldest_entry(struct trace_iterator *iter, u64 *ts)
{
	unsigned cpu, oldest = nr_cpu_ids;

	for_each_possible_cpu (cpu) {
		struct ring_buffer_event *event;
		u64 cpu_ts;

		if (!iterates(iter, cpu))
			continue;
		event = peek_entry(iter, cpu, &cpu_ts);
		if (event && (oldest == nr_cpu_ids || cpu_ts < *ts)) {
			oldest = cpu;
			*ts = cpu_ts;
		}
	}
	return oldest;
}

bool trace_empty(struct trace_iterator *iter)
{
	u64 ts;

	return oldest_entry(iter, &ts) == nr_cpu_ids;
}

/* Copies the oldest entry of a CPU and moves after it. False: another reader has consumed it. */
static bool take_entry(struct trace_iterator *iter, unsigned cpu)
{
	size_t room = PAGE_SIZE << iter->copy_order;

	if (iter->iters) {
		struct ring_buffer_event *event =
			ring_buffer_iter_peek(iter->iters[cpu], &iter->ts, &iter->lost_events);

		if (!event)
			return false;
		iter->ent_size = min(ring_buffer_event_length(event), room);
		memcpy(iter->copy, ring_buffer_event_data(event), iter->ent_size);
		ring_buffer_iter_advance(iter->iters[cpu]);
	} else {
		long length = ring_buffer_consume(iter->tr->buffer, cpu, iter->copy, room,
						  &iter->ts, &iter->lost_events);

		if (length < 0)
			return false;
		iter->ent_size = (size_t)length;
	}
	iter->cpu = cpu;
	iter->ent = (struct trace_entry *)iter->copy;
	return true;
}

/* Merges the CPUs by time. Tries again if the entry was taken by another consuming reader. */
bool trace_find_next_entry(struct trace_iterator *iter)
{
	unsigned cpu;
	u64 ts;

	if (iter->ent)
		iter->idx++;
	do {
		cpu = oldest_entry(iter, &ts);
		if (cpu == nr_cpu_ids) {
			iter->ent = NULL;
			return false;
		}
	} while (!take_entry(iter, cpu));
	iter->next_ts = 0;
	if (iter->iters && (trace_iter_flags(iter) & TRACE_ITER_LATENCY_FMT) &&
	    oldest_entry(iter, &ts) != nr_cpu_ids)
		iter->next_ts = ts;
	return true;
}

static bool take_following(struct trace_iterator *iter, ring_buffer_wanted_t wanted, void *data)
{
	struct ring_buffer_iter *it = iter->iters ? iter->iters[iter->cpu] : NULL;
	struct ring_buffer_event *event;
	u64 ts, lost;

	if (!it)
		return ring_buffer_consume_if(READ_ONCE(iter->tr->buffer), iter->cpu, wanted, data);
	event = ring_buffer_iter_peek(it, &ts, &lost);
	if (!event || lost || (s64)(ts - iter->end) > 0 ||
	    !wanted(ring_buffer_event_data(event), ring_buffer_event_length(event), data))
		return false;
	ring_buffer_iter_advance(it);
	return true;
}

bool trace_take_following(struct trace_iterator *iter, ring_buffer_wanted_t wanted, void *data)
{
	bool taken;

	if (iter->iters)
		return take_following(iter, wanted, data);
	mutex_lock(&iter->tr->pipe_lock);
	taken = take_following(iter, wanted, data);
	mutex_unlock(&iter->tr->pipe_lock);
	return taken;
}
