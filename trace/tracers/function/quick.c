/*
 * The quick path of the function tracer: the callback at every traced call, and nothing else. A
 * kernel without the feature `quick` has the one of call.c instead: read that one first.
 *
 * Only the usual case is here: the default clock, room in the sub-buffer of the tail, a task
 * without a pending switch, no other write on this CPU at the same time, nobody who waits for
 * events. Each other case leaves to a function of this file that does the rest of the write by the
 * readable way (trace/ring_buffer/write.h, trace/core/write.h). It is complete there: none of them
 * comes back.
 *
 * That is right in an NMI, too, and for an NMI between any two instructions. Until the
 * compare-and-exchange of rb_reserve_quick() the quick path has only counted itself in cb->nest,
 * as each writer does. If somebody has written since the tail was read, the exchange fails, and the
 * slow way begins anew. Afterwards the room belongs to this call. rb_end_write_quick() publishes if
 * this is the only writer, and its last instruction is the exchange that fails when another one has
 * written meanwhile; rb_end_write() then publishes for both.
 *
 * The function keeps all registers, so that the trampoline need not save what is not used. So what
 * it calls must keep them as well: then the compiler saves registers only on the slow way.
 */
#include "trace/core/cmdlines.h"
#include "trace/core/write.h"
#include "trace/tracers/function/internal.h"
#include "kernel/sched/sched.h"
#include "trace/ring_buffer/write.h"

#define FUNCTION_SIZE rb_data_size(sizeof(struct ftrace_entry))
BUILD_BUG_ON(sizeof(struct ftrace_entry) + 4 > RB_SHORT_SIZE);

/* ctx: tracing_gen_ctx() of the traced function. */
static __always_inline void fill(struct ring_buffer_event *event, unsigned long ip,
				 unsigned long parent_ip, u32 ctx)
{
	/* A short event has no length word before its data. */
	struct ftrace_entry *entry = (struct ftrace_entry *)&event->array[0];

	tracing_entry_init(&entry->ent, TRACE_FN, ctx, current_stable->pid);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	this_cpu_write(trace_taskinfo_save, true); /* the next task switch saves the names */
}

/*
 * ---- what the quick path leaves to the readable one, each to the end of the callback ----
 *
 * All have the arguments of the callback in the same registers, so that the quick path need not
 * move or save them.
 */

/* Preemption comes on, and a switch to another task is due. */
static __keeps_registers noinline void preempt(void)
{
	preempt_schedule();
}

/* Somebody waits for events. */
static __keeps_registers noinline void
wake(unsigned long ip __unused, unsigned long parent_ip __unused, struct ring_buffer_per_cpu *cb)
{
	rb_wake(cb);
	preempt_enable_notrace();
}

/* Not the only writer, or the first event of a sub-buffer has been written before. */
static __keeps_registers noinline void
end(unsigned long ip __unused, unsigned long parent_ip __unused, struct ring_buffer_per_cpu *cb)
{
	rb_end_write(cb);
	preempt_enable_notrace();
}

/* Not in a task, or a switch is due, or preemption is off many times. */
static __keeps_registers noinline void fill_and_end(unsigned long ip, unsigned long parent_ip,
						    struct ring_buffer_per_cpu *cb,
						    struct ring_buffer_event *event)
{
	fill(event, ip, parent_ip, tracing_gen_ctx_dec(1));
	rb_unlock_commit(cb);
	preempt_enable_notrace();
}

/* After rb_begin_write(): no room, another clock, recording disabled, a long pause, or a race. */
static __keeps_registers noinline void write_begun(unsigned long ip, unsigned long parent_ip,
						   struct ring_buffer_per_cpu *cb)
{
	struct ring_buffer_event *event =
		rb_reserve_begun(READ_ONCE(cb->buffer), cb, FUNCTION_SIZE, false, 0);

	if (event) {
		fill(event, ip, parent_ip, tracing_gen_ctx_dec(1));
		rb_unlock_commit(cb);
	}
	preempt_enable_notrace();
}

/*
 * The callback. Preemption is off while the entry is written, so that the task stays on the CPU
 * whose buffer it writes to. The entry shows the depth of preemption of the traced function: 1
 * less.
 */
__keeps_registers void function_callback(unsigned long ip, unsigned long parent_ip,
					 struct ftrace_ops *op)
{
	const struct trace_array *tr = op->private;
	struct ring_buffer_event *event;
	struct ring_buffer_per_cpu *cb;
	struct trace_buffer *buffer;
	u32 count;

	preempt_disable_notrace();
	buffer = READ_ONCE(tr->buffer);
	cb = buffer->cpus[smp_processor_id_stable()];
	if (likely(rb_begin_write(buffer, cb))) {
		event = rb_reserve_quick(buffer, cb, FUNCTION_SIZE, false, 0);
		if (unlikely(!event)) {
			write_begun(ip, parent_ip, cb);
			return;
		}
		count = tracing_ctx_count(1);
		if (unlikely(!tracing_ctx_is_simple(count))) {
			fill_and_end(ip, parent_ip, cb, event);
			return;
		}
		fill(event, ip, parent_ip, tracing_ctx_irqs() | count << 24);
		local_add(&cb->written, 1);
		if (unlikely(!rb_end_write_quick(cb))) {
			end(ip, parent_ip, cb);
			return;
		}
		if (unlikely(rb_has_waiting(cb))) {
			wake(ip, parent_ip, cb);
			return;
		}
	}
	if (unlikely(preempt_enable_no_resched_notrace()))
		preempt();
}
