/*
 * How an attachment runs a program. Each runs with preemption off, which is a reader of RCU, too.
 *
 * A program must not run inside itself: a probe may be in a function that a helper calls. What is
 * attached to perf events and to fprobes shares one mark for each CPU, bpf_prog_active: one such
 * program excludes all others on its CPU, also those of interrupts and NMIs. Raw tracepoints and
 * tracing programs (tp_btf, fentry, fexit, fmod_ret) have a mark for each program. A run that finds
 * the mark is left out, and counts as missed. Many such programs could run one inside the other
 * until the stack is full: each uses a helper that is traced by the next one. So at most
 * BPF_PROG_NESTING of them run on a CPU; one more is missed, too. All run with preemption off, so a
 * CPU's number is right for the task, and interrupts leave it as it was.
 *
 * Maps set bpf_prog_active, too, while bpf(2) changes one: a probe inside of the map's code does
 * not wait for a lock that its own CPU holds.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/jump_label.h"
#include "trace/bpf/core/prog.h"

struct perf_event;
struct pt_regs;

/* What helpers are told of the attachment whose program runs. Constant while it runs. */
struct bpf_run_ctx {
	u64 cookie;               /* bpf_get_attach_cookie() */
	unsigned long func_ip;    /* bpf_get_func_ip() of KPROBE programs; 0: no function */
	struct perf_event *event; /* of PERF_EVENT programs */
};
/*
 * Of the program that runs on this CPU, if it is one of those with a context; else an old one, or
 * NULL: the helpers of no other program ask.
 */
DECLARE_PER_CPU(const struct bpf_run_ctx *, bpf_run_ctx);

/* Helpers. Only those of programs that run with a context. */
static __always_inline const struct bpf_run_ctx *bpf_current_run_ctx(void)
{
	return this_cpu_read(bpf_run_ctx);
}

/* Programs on perf events and fprobes that run on this CPU, and changes of maps. */
DECLARE_PER_CPU(u32, bpf_prog_active);

/* From here to the other one, no such program runs on this CPU. Preemption is off until then. */
static __always_inline void bpf_disable_instrumentation(void)
{
	preempt_disable();
	this_cpu_inc(bpf_prog_active);
}

static __always_inline void bpf_enable_instrumentation(void)
{
	this_cpu_dec(bpf_prog_active);
	preempt_enable();
}

/* On while someone wants cnt and nsecs: sysctl kernel.bpf_stats_enabled, BPF_ENABLE_STATS. */
DECLARE_STATIC_KEY_FALSE(bpf_stats_enabled_key);
u32 bpf_prog_run_timed(const struct bpf_prog *prog, const void *ctx);

/* Runs the program and counts that. Preemption off. */
static __always_inline u32 bpf_prog_run_counted(const struct bpf_prog *prog, const void *ctx)
{
	if (static_branch_unlikely(&bpf_stats_enabled_key))
		return bpf_prog_run_timed(prog, ctx);
	return bpf_prog_run(prog, ctx);
}

static __always_inline struct bpf_prog_stats *bpf_this_cpu_stats(const struct bpf_prog *prog)
{
	return &prog->stats[smp_processor_id_stable()];
}

void bpf_prog_count_miss(const struct bpf_prog *prog); /* any context, preemption off */

/*
 * The mark of programs on perf events and fprobes. False: another one runs on this CPU, or a map
 * changes; the run is counted as missed. Any context, preemption off until the exit.
 */
static __always_inline bool bpf_event_enter(const struct bpf_prog *prog)
{
	if (unlikely(!this_cpu_is_zero(bpf_prog_active))) {
		bpf_prog_count_miss(prog);
		return false;
	}
	this_cpu_inc(bpf_prog_active);
	return true;
}

static __always_inline void bpf_event_exit(void)
{
	this_cpu_dec(bpf_prog_active);
}

/*
 * Runs a program with that mark, and tells helpers of ctx. The mark excludes all other programs
 * with a context on this CPU, so there is none to be restored. 0, as if the program said so, if it
 * cannot run. Any context, preemption off.
 */
static __always_inline u32 bpf_event_run(const struct bpf_prog *prog, const struct bpf_run_ctx *ctx,
					 const void *program_ctx)
{
	u32 result;

	if (!bpf_event_enter(prog))
		return 0;
	this_cpu_write(bpf_run_ctx, ctx);
	result = bpf_prog_run_counted(prog, program_ctx);
	bpf_event_exit();
	return result;
}

#define BPF_PROG_NESTING 4
/* Raw tracepoint and tracing programs that may still begin on this CPU, inside each other. */
DECLARE_PER_CPU(s32, bpf_prog_room);

/*
 * The mark of a raw tracepoint's or tracing program: a byte of each CPU. Between the two an
 * interrupt may run it again, and finds the mark. False: it is there, or too many programs run.
 * The code of trampolines does the same: it subtracts 1 from a mark, and again adds 1 if it was not
 * 0. So the highest number says that a program runs.
 */
#define BPF_PROG_MARKED 0xff
static __always_inline bool bpf_prog_enter(const struct bpf_prog *prog)
{
	/* Less than 0: an interrupt of generated code that has just found no room. */
	if (unlikely(this_cpu_read(*prog->mark) || this_cpu_read(bpf_prog_room) <= 0)) {
		bpf_prog_count_miss(prog);
		return false;
	}
	this_cpu_dec(bpf_prog_room);
	this_cpu_write(*prog->mark, BPF_PROG_MARKED);
	return true;
}

static __always_inline void bpf_prog_exit(const struct bpf_prog *prog)
{
	this_cpu_write(*prog->mark, 0);
	this_cpu_inc(bpf_prog_room);
}

/*
 * Marks are a part of the per-CPU section, because generated code knows the address of a byte there
 * as a constant. So their number is fixed. When all have been given out, the programs that come
 * then share one, and exclude each other. Task context; put: no CPU runs the program; NULL is fine.
 */
#define BPF_PROG_MARKS 1024
u8 *bpf_prog_mark_get(void);
void bpf_prog_mark_put(u8 *mark);

/* The registers that belong to the context of a TRACEPOINT program. For helpers. perf.c */
const struct pt_regs *bpf_record_regs(void *record);
