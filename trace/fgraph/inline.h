/*
 * The code of fgraph at the entry and at the return of a traced call; trace/fgraph/fgraph.c
 * explains it. It is inline, so that a fast tracer compiles it and its own callbacks into one
 * function:
 *
 *	DEFINE_FGRAPH_STUBS(my, my_entry, my_return)
 *	static struct fgraph_ops my_ops = {
 *		.entryfunc = my_entry, .retfunc = my_return, FGRAPH_STUBS(my)
 *	};
 */
#pragma once

#include "trace/fgraph/internal.h"

#define DEFINE_FGRAPH_ENTRY_STUB(stub, entryfunc)                                                  \
	static void stub(unsigned long ip, unsigned long parent_ip __unused,                       \
			 struct ftrace_ops *op, struct ftrace_regs *fregs)                         \
	{                                                                                          \
		fgraph_handle_entry(ip, op, fregs, entryfunc);                                     \
	}
#define DEFINE_FGRAPH_RETURN_STUB(stub, retfunc)                                                   \
	static void stub(struct ftrace_regs *fregs)                                                \
	{                                                                                          \
		fgraph_handle_return(fregs, retfunc);                                              \
	}
#define DEFINE_FGRAPH_STUBS(name, entryfunc, retfunc)                                              \
	DEFINE_FGRAPH_ENTRY_STUB(name##_entry_stub, entryfunc)                                     \
	DEFINE_FGRAPH_RETURN_STUB(name##_return_stub, retfunc)
#define FGRAPH_STUBS(name) .entry_stub = name##_entry_stub, .return_stub = name##_return_stub

static __always_inline unsigned long fgraph_frame_func(const struct fgraph_frame *frame)
{
	return (unsigned long)(long)frame->func;
}

/*
 * Makes a frame for the call, calls entryfunc, and replaces the return address, which is in slot.
 * Preemption off.
 */
static __always_inline void fgraph_enter_call(unsigned long ip, struct ftrace_ops *op,
					      struct ftrace_regs *fregs, unsigned long *slot,
					      trace_func_graph_ent_t entryfunc)
{
	struct fgraph_ops *gops = container_of(op, struct fgraph_ops, ops);
	struct fgraph_stack *stack = current_stable->trace;
	struct fgraph_frame *frame, *top;
	struct ftrace_graph_ent trace;

	if (unlikely(!stack)) {
		fgraph_no_frame(stack, gops, ip);
		return;
	}
	if (unlikely(*slot == (unsigned long)return_to_handler) &&
	    fgraph_join_frame(stack, slot, gops, ip, fregs))
		return;
	frame = (struct fgraph_frame *)stack->limit;
	if (unlikely((u8 *)(frame + 1) + FGRAPH_MAX_DATA_SIZE > (u8 *)fgraph_stack_end(stack))) {
		fgraph_no_frame(stack, gops, ip);
		return;
	}
	/*
	 * LAB 5: An interrupt may push and pop frames of its own between any two of these stores.
	 * Starts as: (void)top, (void)trace, (void)entryfunc;
	 */
	WRITE_ONCE(stack->limit, frame->data);
	barrier(); /* from here on, interrupts put their frames above this one */
	top = stack->top;
	trace.func = ip;
	trace.depth = top->depth;
	trace.stack = stack;
	trace.frame = frame;
	frame->ret = *slot;
	frame->slot = slot;
	frame->func = (s32)ip;
	frame->epoch = READ_ONCE(fgraph_epoch);
	frame->users = gops->bit;
	frame->depth = (u16)(trace.depth + 1);
	frame->prev = (u16)((unsigned long)top & (FGRAPH_STACK_SIZE - 1));
	frame->data_idx = FGRAPH_NO_DATA;
	barrier();
	WRITE_ONCE(stack->top, frame);
	barrier();
	if (likely(entryfunc(&trace, gops, fregs))) {
		WRITE_ONCE(*slot, (unsigned long)return_to_handler);
		return;
	}
	WRITE_ONCE(stack->top, top);
	barrier();
	WRITE_ONCE(stack->limit, (u64 *)frame);
	/* END LAB 5 */
}

/* The callback of a user's ftrace_ops, with the user's entryfunc. Any context. */
static __always_inline void fgraph_handle_entry(unsigned long ip, struct ftrace_ops *op,
						struct ftrace_regs *fregs,
						trace_func_graph_ent_t entryfunc)
{
	preempt_disable_notrace();
	fgraph_enter_call(ip, op, fregs, ftrace_regs_return_slot(fregs), entryfunc);
	preempt_enable_notrace();
}

static __always_inline void fgraph_fill_return(struct ftrace_graph_ret *trace,
					       const struct fgraph_stack *stack,
					       struct fgraph_frame *frame,
					       const struct ftrace_regs *fregs)
{
	trace->func = fgraph_frame_func(frame);
	trace->retval = fregs->regs.ax;
	trace->depth = frame->depth - 1;
	trace->overrun = stack->overrun;
	trace->frame = frame;
}

/*
 * Handles a return: calls the users, and writes the true return address to slot. return_to_handler
 * calls it, and has written its own address to slot before. retfunc: the callback of the user with
 * this stub, or NULL. If the frame has other users, all callbacks are called through pointers.
 */
static __always_inline void fgraph_handle_return(struct ftrace_regs *fregs,
						 trace_func_graph_ret_t retfunc)
{
	/*
	 * LAB 5: Find the frame of this slot, call its users, then remove it in the opposite order.
	 * Starts as: (void)fregs, (void)retfunc;
	 */
	struct fgraph_stack *stack = current_stable->trace;
	struct fgraph_frame *frame = stack->top;
	unsigned long *slot = fgraph_return_slot(fregs);
	struct fgraph_ops *gops;

	if (unlikely(frame->slot != slot))
		frame = fgraph_unwind_to(stack, slot);
	gops = READ_ONCE(fgraph_array[__builtin_ctz(frame->users)]);
	if (retfunc && likely(gops->retfunc == retfunc && gops->bit == frame->users &&
			      (s32)(frame->epoch - gops->epoch) >= 0)) {
		struct ftrace_graph_ret trace;

		fgraph_fill_return(&trace, stack, frame, fregs);
		retfunc(&trace, gops, fregs);
	} else {
		fgraph_call_users(stack, frame, fregs);
	}
	WRITE_ONCE(*slot, frame->ret);
	barrier(); /* an unwinder needs the frame until slot is written */
	WRITE_ONCE(stack->top, fgraph_below(frame));
	barrier(); /* the frame's memory is free only when top is below it */
	WRITE_ONCE(stack->limit, (u64 *)frame);
	/* END LAB 5 */
}
