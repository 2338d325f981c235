/* The report of a worst case: its entries become the snapshot. See trace/core/max_latency.h. */
#include "trace/core/max_latency.h"

#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "trace/core/snapshot.h"
#include "trace/core/trace_array.h"

bool trace_max_exceeded(const struct trace_array *tr, u64 latency)
{
	u64 thresh = READ_ONCE(tracing_thresh);

	return thresh ? latency >= thresh : latency > READ_ONCE(tr->max.latency);
}

bool trace_max_begin(struct trace_array *tr, u64 latency, u32 clock)
{
	raw_ticket_lock(&tr->max.lock);
	/* In this order: tracing is stopped while the clock changes. */
	if (trace_max_exceeded(tr, latency) && !smp_load_acquire(&tr->stop_count) &&
	    clock == READ_ONCE(tr->max.clock))
		return true;
	raw_ticket_unlock(&tr->max.lock);
	return false;
}

void trace_max_end(struct trace_array *tr, struct trace_max_record *record)
{
	record->end = ring_buffer_time_stamp(tr->buffer);
	record->valid = true;
	if (!record->one_cpu)
		tracing_swap_buffers_tr(tr);
	else if (!ring_buffer_swap_this_cpu(tr->buffer, tr->snapshot))
		goto out; /* the next one of this length is reported */
	WRITE_ONCE(tr->max.latency, record->latency);
	tr->max.record = *record;
out:
	raw_ticket_unlock(&tr->max.lock);
}

void trace_max_set_task(struct trace_max_record *record, const struct task_struct *task)
{
	memcpy(record->comm, task->comm, sizeof(record->comm));
	record->pid = task->pid;
	record->uid = task->cred->uid;
	record->nice = task->nice;
	record->policy = task->policy;
	record->rt_priority = task->rt_priority;
}
