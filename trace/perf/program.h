/*
 * Programs that the hits of an event run: trace/bpf makes them, and perf knows only this.
 *
 * An event has at most one. What it is for depends on the event:
 *
 *	probe		Each hit runs it, in all tasks and on all CPUs, whether the event is on or
 *			not, before anything is counted. context: the struct pt_regs of the place;
 *			of a return, those behind it.
 *	tracepoint	The same. The events of one event of tracefs run theirs one after the other.
 *			context: the record. Its first 8 bytes are the address of a struct
 *			perf_program_hit meanwhile. Of an event that was made by kprobe_events or
 *			uprobe_events: the same as of a probe.
 *	sample		Each sample of the event, of its children, too, runs it, before the sample
 *			is written. context: a struct perf_program_hit.
 *
 * Result 0 of the program, or of one of a tracepoint's programs, drops the hit: nothing of it is
 * counted or recorded. For a sample: it is not written; the count stays.
 */
#pragma once

#include "kernel/jump_label.h"
#include "kernel/lib/list.h"
#include "kernel/rcu/rcu.h"
#include "kernel/types.h"

struct file;
struct kprobe;
struct kretprobe_instance;
struct perf_event;
struct perf_event_query_bpf;
struct perf_sample_data;
struct perf_values;
struct pt_regs;

enum perf_program_kind {
	PERF_PROGRAM_NONE, /* of an event that runs none */
	PERF_PROGRAM_KPROBE,
	PERF_PROGRAM_UPROBE,
	PERF_PROGRAM_TRACEPOINT,
	PERF_PROGRAM_SAMPLE,
};

struct perf_program_hit {
	const struct pt_regs *regs; /* NULL: only ip and frame are known, of the kernel */
	unsigned long ip, frame;    /* frame 0: not known */
	/* Of a tracepoint: sets regs, once they are wanted, then itself to NULL: regs is set. */
	void (*complete)(struct perf_program_hit *hit);
	struct perf_event *event; /* of a sample: the original; with the next two */
	u64 period, addr;
};

struct perf_program {
	/* Any context, preemption off. */
	u32 (*run)(struct perf_program *program, void *context);
	/* No CPU runs it any more. Task context, in an RCU callback. */
	void (*free)(struct perf_program *program);
	/*
	 * Of a kprobe: it reads only ip, sp and the registers of arguments; at a return ip, sp and
	 * ax. That makes a hit faster.
	 */
	bool args_only;
	/*
	 * Of a tracepoint: it reads its record. A tracepoint whose programs all do not runs them
	 * before it builds one, and with NULL as the context.
	 */
	bool reads_record;
	/*
	 * Of the PMU `kprobe`: the handlers of its probe while it has the program, instead of run:
	 * all in one function, which saves registers once. perf_kprobe_program() and
	 * perf_kretprobe_program() give them the program. If it lets the hit pass, they call
	 * perf_kprobe_count() or perf_kretprobe_count().
	 */
	int (*kprobe)(struct kprobe *p, struct pt_regs *regs);
	int (*kretprobe)(struct kretprobe_instance *ri, struct pt_regs *regs);
	/* Of perf. */
	struct list_head node; /* [E] of a tracepoint; RCU */
	struct rcu_head rcu;
};

/* At most so many on one tracepoint, as in Linux. */
#define PERF_PROGRAMS_MAX 64

/* The event of an open file, or NULL: another kind of file. */
struct perf_event *perf_file_event(struct file *file);
enum perf_program_kind perf_program_kind(const struct perf_event *event);
/* Of a tracepoint's records: the offset behind the last field. Of others: 0. */
u32 perf_program_record_size(const struct perf_event *event);
/*
 * Gives the event its program, which belongs to perf if that works: 0; -EEXIST: it has one;
 * -EINVAL: it runs none; or the errno of attaching. Task context, sleeps, no lock held.
 */
int perf_program_set(struct perf_event *event, struct perf_program *program);
/* Takes it away again; it is freed after a grace period. No program: does nothing. Same context. */
void perf_program_clear(struct perf_event *event);
typedef void perf_program_fn(struct perf_program *program, void *data);
/* Calls fn for the program of the event, if it has one, while it cannot change. Same context. */
void perf_program_call(struct perf_event *event, perf_program_fn *fn, void *data);
/* The same for the programs of all events that have the tracepoint of this one. */
void perf_program_for_each(struct perf_event *event, perf_program_fn *fn, void *data);

/* What a probe's or tracepoint's event hits, for BPF_TASK_FD_QUERY. */
struct perf_program_place {
	const char *name; /* of the event, of the function or the file; NULL: an address alone.
			     It stays while the event does */
	bool is_return;
	bool of_tracefs; /* name is that of an event of tracefs; the other members are not set */
	u64 offset, addr;
};
void perf_program_place(const struct perf_event *event, struct perf_program_place *place);

/* Set at the boot by trace/bpf: PERF_EVENT_IOC_SET_BPF, and QUERY_BPF of a tracepoint. */
struct perf_program_ops {
	int (*set)(struct perf_event *event, int fd);
	/* Writes the ids of the programs behind arg, at most room of them. */
	int (*query)(struct perf_event *event, struct perf_event_query_bpf __user *arg, u32 room);
};
extern const struct perf_program_ops *perf_program_ops; /* NULL: there are no programs */

/* On while an event has a program: until then, samples and records do not ask for theirs. */
DECLARE_STATIC_KEY_FALSE(perf_programs_key);

/* For hits. Whether the hit of a probe is to be counted: the program, if there is one, wants it. */
static __always_inline bool perf_program_passes(struct perf_program *const *slot, void *context)
{
	struct perf_program *program = rcu_dereference(*slot);

	return likely(!program) || program->run(program, context);
}

/* ---- events that a program writes into, or reads: sample.c ---- */

/*
 * Writes a sample with these bytes into an event of PERF_COUNT_SW_BPF_OUTPUT of this CPU. regs: of
 * what the program has interrupted or probed; NULL: the sample tells ip. -EINVAL: another kind of
 * event; -EOPNOTSUPP: of another CPU, or off; -E2BIG; -ENOSPC: no room; -EBUSY. Preemption off, any
 * context.
 */
int perf_output_raw(struct perf_event *event, const void *raw, u32 size, const struct pt_regs *regs,
		    u64 ip);
/* The event of this CPU or the current task without its children. -EINVAL. As perf_output_raw(). */
int perf_read_local(const struct perf_event *event, struct perf_values *values);

/* program.c. Of perf: whether the program of samples, if there is one, wants this one written. */
bool perf_program_wants_sample(struct perf_event *event, const struct perf_sample_data *data);
