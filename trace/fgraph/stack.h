/*
 * The shadow stack of a task: for each call of which it has not returned and whose return is
 * traced, one frame. Read trace/fgraph/fgraph.c first. trace/fgraph/fgraph.h includes this, so that
 *a tracer's callbacks need no call for their data.
 *
 *	words                        top               limit                     end
 *	| bottom | frame, data | ... | frame, data     | free                    |
 *
 * A frame is there from the moment that top points to it, and complete by then: whoever follows
 * frames from top down through prev, be it from an NMI at any instruction of a push or a pop, sees
 * only complete ones. limit is set before a frame is filled in, and after it has gone; interrupts
 * in between put theirs above it, and take them away before they return.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/sched.h"

#define FGRAPH_STACK_ORDER 2 /* of the pages: so it is aligned to its size */
#define FGRAPH_STACK_SIZE  (PAGE_SIZE << FGRAPH_STACK_ORDER)

struct fgraph_frame {
	unsigned long ret;   /* where the call returns to */
	unsigned long *slot; /* where that address stood on the stack */
	s32 func;            /* the traced function: the kernel's image is at -2 GiB */
	u32 epoch;           /* who registered later did not see the entry */
	u16 users;           /* bit i: the user with idx i wants the return */
	u16 depth;           /* frames down to the bottom, with it but without that */
	u16 prev;            /* bytes from the stack to the frame below it, 0 for the bottom */
	u8 data_idx;         /* whose data is at data[0], FGRAPH_NO_DATA: nobody's */
	u8 data_words;       /* how many words that are */
	u64 data[];          /* then, for each further user: a word with its idx and size, data */
};
BUILD_BUG_ON(sizeof(struct fgraph_frame) != 32);

#define FGRAPH_NO_DATA 0xff

/* Written by its own task only, with preemption off, and by interrupts in it. */
struct fgraph_stack {
	struct fgraph_frame *top;  /* the innermost frame, or the bottom */
	u64 *limit;                /* the next frame goes here */
	u64 sleep_time;            /* ns that the task was switched out */
	u64 switched_out;          /* time of the last switch away, 0 before */
	u32 overrun;               /* calls that found no room */
	struct fgraph_stack *next; /* [G] to be freed (trace/fgraph/tasks.c) */
	u64 words[];
};

static __always_inline u64 *fgraph_stack_end(struct fgraph_stack *stack)
{
	return (u64 *)((u8 *)stack + FGRAPH_STACK_SIZE);
}

/* Not a call's: it spares everybody the question whether there is a frame. */
static __always_inline struct fgraph_frame *fgraph_bottom(struct fgraph_stack *stack)
{
	return (struct fgraph_frame *)stack->words;
}

static __always_inline struct fgraph_frame *fgraph_below(struct fgraph_frame *frame)
{
	return (struct fgraph_frame *)(((unsigned long)frame & ~(FGRAPH_STACK_SIZE - 1)) |
				       frame->prev);
}

/* Slow parts of the next two. */
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

	/* A new frame: there is room for the most that one may ask for. */
	if (unlikely(!frame || size > FGRAPH_MAX_DATA_SIZE))
		return fgraph_reserve_data(gops->idx, size);
	WRITE_ONCE(trace->stack->limit, frame->data + words);
	frame->data_idx = (u8)gops->idx;
	frame->data_words = (u8)words;
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

static __always_inline u64 fgraph_sleep_time(void)
{
	return ((const struct fgraph_stack *)current_stable->trace)->sleep_time;
}
