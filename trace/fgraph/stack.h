/*
 * The shadow stack of a task: one frame for each call that has not returned and that fgraph traces.
 * Read trace/fgraph/fgraph.c first. trace/fgraph/fgraph.h includes this file, so that the callbacks
 * of a tracer get their data without a call.
 *
 *	words                        top               limit                     end
 *	| bottom | frame, data | ... | frame, data     | free                    |
 *
 * A frame is complete before top points to it. So code that follows the frames from top down
 * through prev sees only complete frames, also an NMI at any instruction of a push or a pop. A push
 * raises limit before it fills the frame in; a pop lowers limit after the frame is gone. Interrupts
 * in between put their frames above limit, and remove them before they return.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/sched.h"

#define FGRAPH_STACK_ORDER 2 /* of the pages, so the stack is aligned to its size */
#define FGRAPH_STACK_SIZE  (PAGE_SIZE << FGRAPH_STACK_ORDER)

struct fgraph_frame {
	unsigned long ret;   /* the true return address */
	unsigned long *slot; /* the place of the return address on the task's stack */
	s32 func;            /* the traced function: the kernel's image is at -2 GiB */
	u32 epoch;     /* fgraph_epoch at the entry: users with a later epoch did not see it */
	u16 users;     /* bit i: the user with idx i wants the return */
	u16 depth;     /* count of frames from this one down, without the bottom */
	u16 prev;      /* offset of the frame below this one in the stack; 0 for the bottom */
	u8 data_idx;   /* idx of the user with data at data[0], or FGRAPH_NO_DATA */
	u8 data_words; /* size of that data in words */
	u64 data[];    /* then for each further user: a word with idx and size, and its data */
};
BUILD_BUG_ON(sizeof(struct fgraph_frame) != 32);

#define FGRAPH_NO_DATA 0xff

/* Only its task writes to it, with preemption off, and interrupts that interrupt the task. */
struct fgraph_stack {
	struct fgraph_frame *top;  /* the innermost frame, or the bottom */
	u64 *limit;                /* the next frame goes here */
	u64 sleep_time;            /* ns that the task was switched out */
	u64 switched_out;          /* time of the last switch away, 0 before */
	u32 overrun;               /* calls without room for a frame */
	struct fgraph_stack *next; /* in a list of stacks without a task (trace/fgraph/tasks.c) */
	u64 words[];
};

static __always_inline u64 *fgraph_stack_end(struct fgraph_stack *stack)
{
	return (u64 *)((u8 *)stack + FGRAPH_STACK_SIZE);
}

/* The bottom is a frame without a call. With it, top always points to a frame. */
static __always_inline struct fgraph_frame *fgraph_bottom(struct fgraph_stack *stack)
{
	return (struct fgraph_frame *)stack->words;
}

static __always_inline struct fgraph_frame *fgraph_below(struct fgraph_frame *frame)
{
	return (struct fgraph_frame *)(((unsigned long)frame & ~(FGRAPH_STACK_SIZE - 1)) |
				       frame->prev);
}

#ifdef MODULE
/* The frame is a copy, because callbacks in modules may have frames themselves: guarded_entry() */
static inline void *fgraph_call_reserve(const struct ftrace_graph_ent *trace,
					const struct fgraph_ops *gops, int size)
{
	struct fgraph_frame *frame = trace->frame;

	if (size <= 0 || size > FGRAPH_MAX_DATA_SIZE)
		return NULL;
	frame->data_idx = (u8)gops->idx;
	frame->data_words = (u8)((unsigned)(size + 7) / 8);
	return frame->data;
}

static inline void *fgraph_call_data(const struct ftrace_graph_ret *trace,
				     const struct fgraph_ops *gops)
{
	struct fgraph_frame *frame = trace->frame;

	return frame->data_idx == gops->idx ? frame->data : NULL;
}
#else
/* Slow parts of the next two functions. */
void *fgraph_reserve_more(struct fgraph_stack *stack, int idx, unsigned words);
void *fgraph_find_data(struct fgraph_frame *frame, u64 *end, int idx, int *size);

static __always_inline void *fgraph_reserve_data(int idx, int size)
{
	struct fgraph_stack *stack = current_stable->trace;
	struct fgraph_frame *frame = stack->top;
	unsigned words = (unsigned)(size + 7) / 8;

	if (unlikely(size <= 0 || size > FGRAPH_MAX_DATA_SIZE))
		return NULL;
	if (unlikely(frame->data_idx != FGRAPH_NO_DATA ||
		     frame->data + words > fgraph_stack_end(stack)))
		return fgraph_reserve_more(stack, idx, words);
	WRITE_ONCE(stack->limit, frame->data + words);
	frame->data_idx = (u8)idx;
	frame->data_words = (u8)words;
	return frame->data;
}

static __always_inline void *fgraph_retrieve_data(int idx, int *size)
{
	struct fgraph_stack *stack = current_stable->trace;
	struct fgraph_frame *frame = stack->top;

	if (unlikely(frame->data_idx != idx))
		return fgraph_find_data(frame, stack->limit, idx, size);
	if (size)
		*size = frame->data_words * 8;
	return frame->data;
}

static __always_inline void *fgraph_call_reserve(const struct ftrace_graph_ent *trace,
						 const struct fgraph_ops *gops, int size)
{
	struct fgraph_frame *frame = trace->frame;
	unsigned words = (unsigned)(size + 7) / 8;

	/* A new frame always has room for FGRAPH_MAX_DATA_SIZE. */
	if (unlikely(!frame || size > FGRAPH_MAX_DATA_SIZE))
		return fgraph_reserve_data(gops->idx, size);
	WRITE_ONCE(trace->stack->limit, frame->data + words);
	frame->data_idx = (u8)gops->idx;
	frame->data_words = (u8)words;
	return frame->data;
}

static __always_inline void *fgraph_call_reserve_first(const struct ftrace_graph_ent *trace,
						       const struct fgraph_ops *gops, int size,
						       u64 first)
{
	struct fgraph_frame *frame = trace->frame;
	unsigned words = (unsigned)(size + 7) / 8;

	if (unlikely(!frame || size > FGRAPH_MAX_DATA_SIZE)) {
		u64 *data = fgraph_reserve_data(gops->idx, size);

		/* fgraph_join_frame() has not set the user's bit yet, so no lookup finds it. */
		if (data)
			*data = first;
		return data;
	}
	WRITE_ONCE(trace->stack->limit, frame->data + words);
	barrier(); /* interrupts put their frames above the data */
	frame->data[0] = first;
	frame->data_words = (u8)words;
	barrier(); /* interrupts find the data from here on */
	frame->data_idx = (u8)gops->idx;
	return frame->data;
}

static __always_inline void *fgraph_call_data(const struct ftrace_graph_ret *trace,
					      const struct fgraph_ops *gops)
{
	struct fgraph_frame *frame = trace->frame;

	if (likely(frame->data_idx == gops->idx))
		return frame->data;
	return fgraph_retrieve_data(gops->idx, NULL);
}
#endif

static __always_inline u64 fgraph_sleep_time(void)
{
	return ((const struct fgraph_stack *)current_stable->trace)->sleep_time;
}
