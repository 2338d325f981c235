/*
 * Counting noise: each kind's hooks, and how the time is shared out. Hooks run on the CPU that they
 * count for, in the context that begins or ends, with interrupts off except in softirqs.
 */
#include "trace/tracers/noise/noise.h"

#include "arch/irq/interrupt.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/irq/irq_events.h"
#include "kernel/sched/sched_events.h"
#include "kernel/time/trace_clock.h"
#include "trace/tracers/noise/osnoise_events.h"

/* An interruption that may run now. */
struct interruption {
	u64 start;  /* 0: none runs */
	u64 stolen; /* ns of start until now that other interruptions took */
};

/*
 * [O] written only by the CPU itself; other fields as they say. A context may interrupt the code
 * that changes [O] fields: it adds to `stolen` and the counts with single instructions.
 */
struct noise_cpu {
	struct interruption running[NR_NOISE_KINDS]; /* [O] */
	struct noise_counts counts;                  /* [O] */
	u64 interruptions;                           /* [O] the sum of the counts */
	u64 nmi_total;                               /* [O] ns */
	bool muted;                                  /* [O] noise_mute() */
	bool sampling;                               /* [T] or the CPU's workload to write */
	struct task_struct *workload;                /* the same */
};
static DEFINE_PER_CPU(struct noise_cpu, noise_cpus);

/* ---- an interruption begins and ends ---- */

static void begin(struct noise_cpu *nc, enum noise_kind kind)
{
	struct interruption *it = &nc->running[kind];
	u32 nmis;

	this_cpu_inc(noise_cpus.counts.of[kind]);
	this_cpu_inc(noise_cpus.interruptions);
	do { /* an NMI in this loop is no part of it */
		nmis = READ_ONCE(nc->counts.of[NOISE_NMI]);
		WRITE_ONCE(it->stolen, 0);
		WRITE_ONCE(it->start, trace_clock_local());
	} while (nmis != READ_ONCE(nc->counts.of[NOISE_NMI]));
}

/*
 * Returns the net duration of an interruption, which ends now. Charges its whole duration to the
 * interruption that it has interrupted.
 */
static u64 end(struct noise_cpu *nc, enum noise_kind kind)
{
	struct interruption *it = &nc->running[kind];
	u64 now, gross, stolen, late;
	u32 nmis;

	do { /* no NMI between the time and what was stolen until then */
		nmis = READ_ONCE(nc->counts.of[NOISE_NMI]);
		now = trace_clock_local();
		stolen = READ_ONCE(it->stolen);
	} while (nmis != READ_ONCE(nc->counts.of[NOISE_NMI]));
	gross = now - it->start;
	WRITE_ONCE(it->start, 0);
	barrier(); /* a later NMI is charged to the next kind */
	late = READ_ONCE(it->stolen) - stolen;
	for (unsigned next = kind + 1; next < NR_NOISE_KINDS; next++) {
		if (nc->running[next].start) {
			this_cpu_add(noise_cpus.running[next].stolen, gross + late);
			break;
		}
	}
	return gross - stolen;
}

/* ---- the hooks ---- */

static void nmi_hook(bool entry)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	u64 start = nc->running[NOISE_NMI].start, duration;

	if (entry) {
		begin(nc, NOISE_NMI);
	} else if (start) {
		duration = end(nc, NOISE_NMI);
		nc->nmi_total += duration;
		if (READ_ONCE(nc->sampling))
			trace_nmi_noise(start, duration);
	}
}

static void irq_hook(unsigned vector, bool entry)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	u64 start = nc->running[NOISE_IRQ].start, duration;
	const char *name;
	int number;

	if (entry) {
		if (READ_ONCE(nc->sampling))
			begin(nc, NOISE_IRQ);
	} else if (start) {
		duration = end(nc, NOISE_IRQ);
		name = interrupt_name(vector, &number);
		trace_irq_noise(number, name, start, duration);
	}
}

static void softirq_entry_probe(void *data __unused, unsigned vec __unused)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	unsigned long flags;

	if (!READ_ONCE(nc->sampling))
		return;
	raw_local_irq_save(flags);
	begin(nc, NOISE_SOFTIRQ);
	raw_local_irq_restore(flags);
}

static void softirq_exit_probe(void *data __unused, unsigned vec)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	unsigned long flags;
	u64 start, duration;

	raw_local_irq_save(flags);
	start = nc->running[NOISE_SOFTIRQ].start;
	if (start) {
		duration = end(nc, NOISE_SOFTIRQ);
		if (!nc->muted)
			trace_softirq_noise((int)vec, start, duration);
	}
	raw_local_irq_restore(flags);
}

static void switch_probe(void *data __unused, bool preempt __unused, struct task_struct *prev,
			 struct task_struct *next, unsigned prev_state __unused)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	const struct task_struct *workload = READ_ONCE(nc->workload);
	u64 start = nc->running[NOISE_THREAD].start, duration;

	if (prev != workload && start) {
		duration = end(nc, NOISE_THREAD);
		if (!nc->muted)
			trace_thread_noise(prev, start, duration);
	}
	if (next != workload && READ_ONCE(nc->sampling))
		begin(nc, NOISE_THREAD);
}

/* ---- attaching the hooks ---- */

int noise_nmi_start(void)
{
	return static_branch_inc(&interrupt_hooks_key);
}

void noise_nmi_stop(void)
{
	static_branch_dec(&interrupt_hooks_key);
}

static void unregister_probes(void)
{
	tracepoint_batch_begin();
	unregister_trace_softirq_entry(softirq_entry_probe, NULL);
	unregister_trace_softirq_exit(softirq_exit_probe, NULL);
	unregister_trace_sched_switch(switch_probe, NULL);
	tracepoint_batch_end();
}

static int register_probes(void)
{
	int error, end_error;

	tracepoint_batch_begin();
	error = register_trace_softirq_entry(softirq_entry_probe, NULL);
	if (!error)
		error = register_trace_softirq_exit(softirq_exit_probe, NULL);
	if (!error)
		error = register_trace_sched_switch(switch_probe, NULL);
	end_error = tracepoint_batch_end();
	return error ? error : end_error;
}

/* Nothing counts now, but an NMI may run: it is left alone. */
static void forget(struct noise_cpu *nc)
{
	for (unsigned kind = NOISE_IRQ; kind < NR_NOISE_KINDS; kind++)
		nc->running[kind] = (struct interruption){ 0 };
	nc->muted = false;
	nc->workload = NULL;
}

int noise_start(void)
{
	unsigned cpu;
	int error;

	for_each_possible_cpu (cpu)
		forget(per_cpu_ptr(&noise_cpus, cpu));
	error = noise_nmi_start();
	if (error)
		return error;
	error = register_probes();
	if (error)
		noise_stop();
	return error;
}

void noise_stop(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		noise_set_sampling(cpu, false);
	noise_nmi_stop();
	unregister_probes(); /* waits for a grace period: no CPU is in a hook that samples */
}

/* ---- for the workload ---- */

void noise_set_workload(unsigned cpu, struct task_struct *task)
{
	WRITE_ONCE(per_cpu_ptr(&noise_cpus, cpu)->workload, task);
}

void noise_set_sampling(unsigned cpu, bool on)
{
	WRITE_ONCE(per_cpu_ptr(&noise_cpus, cpu)->sampling, on);
}

void noise_mute(void)
{
	this_cpu_write(noise_cpus.muted, true);
}

void noise_wake_up(void)
{
	struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	const struct interruption *irq = &nc->running[NOISE_IRQ];

	nc->muted = false;
	for (unsigned kind = NOISE_SOFTIRQ; kind < NR_NOISE_KINDS; kind++)
		if (nc->running[kind].start)
			nc->running[kind] = (struct interruption){ .start = irq->start };
}

struct noise_counts noise_counts(void)
{
	return this_cpu_ptr(&noise_cpus)->counts;
}

u64 noise_clock(u64 *interruptions)
{
	const struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);
	u64 now;

	do {
		*interruptions = READ_ONCE(nc->interruptions);
		now = trace_clock_local();
	} while (*interruptions != READ_ONCE(nc->interruptions));
	return now;
}

void noise_nmi_read(u32 *count, u64 *total_ns)
{
	const struct noise_cpu *nc = this_cpu_ptr(&noise_cpus);

	do {
		*count = READ_ONCE(nc->counts.of[NOISE_NMI]);
		*total_ns = READ_ONCE(nc->nmi_total);
	} while (*count != READ_ONCE(nc->counts.of[NOISE_NMI]));
}

static int __init init_noise(void)
{
	interrupt_hooks = (struct interrupt_hooks){ .irq = irq_hook, .nmi = nmi_hook };
	return 0;
}
core_initcall(init_noise);
