/*
 * What stands in the ring buffer: the entries of the tracers, in Linux's binary layout
 * (events/ftrace/NAME/format shows it), because programs that read trace_pipe_raw know it by heart.
 */
#pragma once

#include "kernel/types.h"

/* common_type: the numbers are Linux's. */
enum trace_type {
	TRACE_FN = 1,
	TRACE_CTX = 2,
	TRACE_WAKE = 3,
	TRACE_STACK = 4,
	TRACE_PRINT = 5,
	TRACE_BPRINT = 6,
	TRACE_GRAPH_RET = 10,
	TRACE_GRAPH_ENT = 11,
	TRACE_BPUTS = 14,
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
	u8 preempt_count; /* depth, 15 at most; upper half: 0 (migration is not disabled here) */
	s32 pid;
};

struct ftrace_entry {
	struct trace_entry ent;
	unsigned long ip;
	unsigned long parent_ip;
};

#define FTRACE_STACK_ENTRIES 8 /* that the format file tells of */
struct stack_entry {
	struct trace_entry ent;
	s32 size; /* callers that follow */
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
	u32 buf[]; /* of vbin_printf() */
};

struct bputs_entry {
	struct trace_entry ent;
	unsigned long ip;
	const char *str;
};

/* A call was entered. Packed: 20 bytes, as Linux has it, so that args is not aligned. */
struct ftrace_graph_ent_entry {
	struct trace_entry ent;
	unsigned long func;
	s32 depth;            /* of traced calls of this task: 0, 1, ... */
	unsigned long args[]; /* FTRACE_REGS_MAX_ARGS with the option funcgraph-args, else none */
} __packed;
#define FTRACE_REGS_MAX_ARGS 6

/* It returned. */
struct ftrace_graph_ret_entry {
	struct trace_entry ent;
	unsigned long func;
	s32 depth;
	u32 overrun;            /* calls of this task so far that were too deep to be traced */
	u64 calltime;           /* ns, clock local */
	u64 rettime;            /* ns */
	unsigned long retval[]; /* one with the option funcgraph-retval, else none */
};
