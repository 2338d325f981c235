/* Shared by the files of lab05_frames: the machine, the calls that are made in it, and how a rule that is broken is reported. */
#pragma once

#include <stdlib.h>
#include <string.h>

/* The kernel has its own. */
#undef SIGIO
#undef SIGRTMIN
#undef _NSIG
#undef SI_USER
#undef SI_KERNEL

#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"

#define CALLS       16
#define HANDLER     ((unsigned long)return_to_handler)
#define HANDLER_END ((unsigned long)return_to_handler_end)

/* A call of traced(). */
struct call {
	unsigned long func, ret, *slot; /* func: what names the function, and is its result */
	unsigned unwanted;              /* bit i: the user with idx i does not want the return */
	bool data, tail;                /* tail: it jumps to one more traced function at its end */
	void (*body)(void);
	unsigned entries, returns, expected_returns;
	struct fgraph_frame *frame;
	int depth;
};

/* What checked_call() finds in the registers after the call. */
struct registers {
	u64 rax, rdx, rbx, rbp, r12, r13, r14, r15, rsp_before, rsp;
};

/* ---- lab05_frames.c ---- */

extern const char *mode, *what, *where;
extern bool frames;       /* the mode is about frames; else it is about registers */
extern char interrupted_at[80];
extern unsigned long context_rip, context_rsp; /* of the code that is interrupted or watched */
extern unsigned context_calls;                 /* active_count then */
extern unsigned long step, steps_max;          /* steps_max: the trap only counts instructions, up to these */

void broken(const char *format, ...) __attribute__((noreturn));
bool is_mode(const char *name);
void begin(const char *name);

/* ---- lab05_calls.c ---- */

/* The machine: one CPU, one task. */
extern struct task_struct the_task;
extern struct fgraph_stack *stack; /* between pages that nobody may read */

extern struct call *active[CALLS]; /* calls that have not returned, the innermost one at the end */
extern unsigned active_count;
extern volatile unsigned tested; /* in the functions of fgraph, */
extern volatile unsigned masked; /* but in code of the test: no interrupts */
extern unsigned switches, expected_switches;
extern struct fgraph_ops user, other;
extern struct registers after;
extern unsigned long rsps[CALLS], *saved_rsps;
extern char traced[], traced_end[];

void add_user(struct fgraph_ops *added);
void make_call(struct call *call);

static inline void mask(void)
{
	masked++;
	barrier();
}

static inline void unmask(void)
{
	barrier();
	masked--;
}

/* ---- lab05_unwind.c ---- */

void find_callers(void);
void check_rbp(unsigned long rbp);
void search_cases(void);

static inline bool in_handler(unsigned long rip)
{
	return rip >= HANDLER && rip < HANDLER_END;
}
