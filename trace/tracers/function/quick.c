/*
 * The quick path of the function tracer: the callback at every traced call, and nothing else. A
 * kernel without the feature `quick` has the one of call.c instead: read that one first.
 *
 * Only the usual case is here: the default clock, room in the sub-buffer of the tail, a task
 * without a pending switch, no other write on this CPU at the same time, nobody who waits for
 * events. Each other case leaves to a function of this file that does what is left of the write by
 * the readable way (trace/ring_buffer/write.h, trace/core/write.h). It is complete there: none of
 * them comes back.
 *
 * That is right in an NMI, too, and for an NMI between any two instructions. Until the
 * compare-and-exchange of rb_reserve_quick() the quick path has only counted itself in cb->nest,
 * as each writer does. If somebody has written since, the tail is not at commit any more: the
 * exchange fails, and the slow way begins anew. Afterwards the room belongs to this call.
 * rb_end_write_quick() publishes this event alone, which is complete, and its last instruction
 * tells whether another one has come behind it; rb_end_quick() then publishes that one.
 *
 * A slow function is the last thing that the callback does, so no register has to be saved for it.
 */
#include "trace/core/cmdlines.h"
#include "trace/core/write.h"
#include "trace/tracers/function/internal.h"
#include "kernel/sched/sched.h"
#include "trace/ring_buffer/write.h"

#define FUNCTION_SIZE rb_data_size(sizeof(struct ftrace_entry))
BUILD_BUG_ON(sizeof(struct ftrace_entry) + 4 > RB_SHORT_SIZE);

/* A short event has no length word before its data. */
static __always_inline struct ftrace_entry *entry_of(struct ring_buffer_event *event)
{
	return (struct ftrace_entry *)&event->array[0];
}

/* Fills in what is behind the head. */
static __always_inline void fill(struct ftrace_entry *entry, unsigned long ip,
				 unsigned long parent_ip)
{
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	this_cpu_write(trace_taskinfo_save, true); /* the next task switch saves the names */
}

/* The same with the head, whose flags it finds out in the readable way. */
static __always_inline void fill_with_flags(struct ftrace_entry *entry, unsigned long ip,
					    unsigned long parent_ip)
{
	tracing_entry_init(&entry->ent, TRACE_FN, tracing_gen_ctx_dec(1), current_stable->pid);
	fill(entry, ip, parent_ip);
}

/*
 * ---- what the quick path leaves to the readable one, each to the end of the callback ----
 *
 * All have the arguments of the callback in the same registers, so that the quick path need not
 * move or save them.
 */

/* Somebody waits for events. */
static noinline void wake(unsigned long ip __unused, unsigned long parent_ip __unused,
			  struct ring_buffer_per_cpu *cb)
{
	rb_wake(cb);
	preempt_enable_notrace();
}

/* An interrupt has written meanwhile. */
static noinline void end_quick(unsigned long ip __unused, unsigned long parent_ip __unused,
			       struct ring_buffer_per_cpu *cb)
{
	rb_end_quick(cb);
	preempt_enable_notrace();
}

/* Publishes the entry. The last thing that the callback does. */
static __always_inline void end_write(unsigned long ip, unsigned long parent_ip,
				      struct ring_buffer_per_cpu *cb, u64 place)
{
	local_add(&cb->written, 1);
	if (unlikely(!rb_end_write_quick(cb, place)))
		end_quick(ip, parent_ip, cb);
	else if (unlikely(rb_has_waiting(cb)))
		wake(ip, parent_ip, cb);
	else
		preempt_enable_notrace();
}

/*
 * Not in a task, or a switch is due, or preemption is off many times: only the flags need the
 * readable way.
 */
static noinline void fill_and_end(unsigned long ip, unsigned long parent_ip,
				  struct ring_buffer_per_cpu *cb, struct ring_buffer_event *event,
				  u64 place)
{
	fill_with_flags(entry_of(event), ip, parent_ip);
	end_write(ip, parent_ip, cb, place);
}

/*
 * After rb_begin_write(): another write, no room, another clock, recording disabled, a long pause,
 * or a race.
 */
static noinline void write_begun(unsigned long ip, unsigned long parent_ip,
				 struct ring_buffer_per_cpu *cb)
{
	struct ring_buffer_event *event =
		rb_reserve_begun(READ_ONCE(cb->buffer), cb, FUNCTION_SIZE, false, 0);

	if (event) {
		fill_with_flags(entry_of(event), ip, parent_ip);
		rb_unlock_commit(cb);
	}
	preempt_enable_notrace();
}

/*
 * The callback. Preemption is off while the entry is written, so that the task stays on the CPU
 * whose buffer it writes to. The entry shows the depth of preemption of the traced function: 1
 * less.
 */
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs __unused)
{
	const struct trace_array *tr = op->private;
	struct ring_buffer_event *event;
	struct ring_buffer_per_cpu *cb;
	struct trace_buffer *buffer;
	u32 count;
	u64 place;

	preempt_disable_notrace();
	buffer = READ_ONCE(tr->buffer);
	cb = buffer->cpus[smp_processor_id_stable()];
	if (unlikely(!rb_begin_write(buffer, cb))) {
		preempt_enable_notrace();
		return;
	}
	event = rb_reserve_quick(cb, FUNCTION_SIZE, false, 0, &place);
	if (unlikely(!event)) {
		write_begun(ip, parent_ip, cb);
		return;
	}
	count = tracing_ctx_count(1);
	if (unlikely(!tracing_ctx_is_simple(count))) {
		fill_and_end(ip, parent_ip, cb, event, place);
		return;
	}
	tracing_entry_init_simple(&entry_of(event)->ent, TRACE_FN, count, current_stable->pid);
	fill(entry_of(event), ip, parent_ip);
	end_write(ip, parent_ip, cb, place);
}
