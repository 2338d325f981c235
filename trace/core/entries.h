/*
 * Entries of the ring buffer that the core writes, and the head that all entries share. The layout
 * is Linux's (events/ftrace/NAME/format shows it), because programs that read trace_pipe_raw know
 * it. The entries of a tracer are in the tracer's folder.
 */
#pragma once

#include "kernel/types.h"

/* common_type of the core's entries. All numbers, those of tracers too, are Linux's. */
enum trace_type {
	TRACE_STACK = 4,
	TRACE_PRINT = 5,
	TRACE_BPRINT = 6,
	TRACE_USER_STACK = 12,
	TRACE_BPUTS = 14,
	TRACE_RAW_DATA = 18,
	TRACE_FUNC_REPEATS = 19,
	TRACE_TYPE_FIRST_DYNAMIC = 20, /* numbers from here on are given out in order */
};

/* common_flags. */
#define TRACE_FLAG_IRQS_OFF        0x01
#define TRACE_FLAG_NEED_RESCHED    0x04
#define TRACE_FLAG_HARDIRQ         0x08
#define TRACE_FLAG_SOFTIRQ         0x10
#define TRACE_FLAG_PREEMPT_RESCHED 0x20
#define TRACE_FLAG_NMI             0x40
#define TRACE_FLAG_BH_OFF          0x80

struct trace_entry {
	u16 type;
	u8 flags;
	/* Lower half: depth, at most 15. Upper half: 0, because migration is never disabled. */
	u8 preempt_count;
	s32 pid;
};

#define FTRACE_STACK_ENTRIES 8 /* callers that the format file describes */
struct stack_entry {
	struct trace_entry ent;
	s32 size; /* number of callers */
	unsigned long caller[];
};

struct print_entry {
	struct trace_entry ent;
	unsigned long ip;
	char buf[];
};

struct bprint_entry {
	struct trace_entry ent;
	unsigned long ip;
	const char *fmt;
	u32 buf[]; /* arguments, packed by vbin_printf() */
};

struct bputs_entry {
	struct trace_entry ent;
	unsigned long ip;
	const char *str;
};

struct user_stack_entry {
	struct trace_entry ent;
	u32 tgid;
	unsigned long caller[FTRACE_STACK_ENTRIES]; /* a 0 ends a shorter stack */
};

struct raw_data_entry {
	struct trace_entry ent;
	u32 id;
	char buf[];
};
