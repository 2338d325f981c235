/* The entries of the function graph tracer, in Linux's binary layout. */
#pragma once

#include "trace/core/entries.h"

/* common_type. */
#define TRACE_GRAPH_RET 10
#define TRACE_GRAPH_ENT 11
/* Linux 6.1, which all other numbers are from, does not have it; there 13 is blktrace's. */
#define TRACE_GRAPH_RETADDR_ENT 13

/* A call. Packed, so that args is not aligned: 20 bytes without args, as in Linux. */
struct ftrace_graph_ent_entry {
	struct trace_entry ent;
	unsigned long func;
	s32 depth;            /* number of open traced calls of this task */
	unsigned long args[]; /* FTRACE_REGS_MAX_ARGS with the option funcgraph-args, else none */
} __packed;

/* A call with the option funcgraph-retaddr: with the address to which it will return. */
struct fgraph_retaddr_ent_entry {
	struct trace_entry ent;
	unsigned long func;
	s32 depth;
	unsigned long retaddr;
	unsigned long args[]; /* as above */
} __packed;

/* The return of a call. */
struct ftrace_graph_ret_entry {
	struct trace_entry ent;
	unsigned long func;
	s32 depth;
	u32 overrun;            /* calls of this task so far that were too deep for the tracer */
	u64 calltime;           /* ns, clock local */
	u64 rettime;            /* ns */
	unsigned long retval[]; /* one with the option funcgraph-retval, else none */
};
