/*
 * A self-test of perf's buffer: writers that interrupt each other in the middle of a record.
 *
 * A task begins a record. Before it ends it, an interrupt comes, and a softirq behind it, and in
 * each of these three records an NMI, whose record is a sample of a tracepoint.
 */
#include "arch/cpu/irqflags.h"
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "fs/file/file.h"
#include "kernel/irq/irq_work.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched_events.h"
#include "kernel/smp.h"
#include "selftest/perf/reader.h"
#include "selftest/selftest.h"
#include "trace/events/event.h"
#include "trace/perf/output.h"

enum { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };

#define ROUNDS 200U

/* A sample with attr.sample_type PERF_SAMPLE_RAW of the event that the NMI hits. */
struct sample {
	struct perf_event_header header;
	u32 raw_size;
	u8 common[8];
	u32 value; /* the context, and in the lower 24 bits a number */
};

/* Written on one CPU only; each context writes its own number. */
static struct {
	unsigned cpu;
	struct perf_event *event;
	bool nmi;                /* the test has sent the NMI that comes */
	unsigned hits[CONTEXTS]; /* records so far, also those that were lost */
} nested;

static u32 next_value(unsigned context)
{
	unsigned number = nested.hits[context];

	WRITE_ONCE(nested.hits[context], number + 1);
	return context << 24 | number;
}

static bool nested_nmi(struct pt_regs *regs __unused)
{
	if (!READ_ONCE(nested.nmi) || smp_processor_id() != nested.cpu)
		return false;
	WRITE_ONCE(nested.nmi, false);
	trace_sched_kthread_stop_ret((int)next_value(NMI));
	return true;
}
NMI_HANDLER(nested_nmi);

static void wait_for(unsigned context, unsigned hits)
{
	while (READ_ONCE(nested.hits[context]) == hits)
		cpu_relax();
}

/* A record that others interrupt. Preemption off. */
static void write_record(unsigned context, struct irq_work *interrupt)
{
	const struct sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		.raw_size = sizeof(sample) - offsetof(struct sample, common),
		.value = next_value(context),
	};
	unsigned softirqs = nested.hits[SOFTIRQ], nmis;
	struct perf_handle handle;
	bool room = perf_output_begin(&handle, nested.event, sizeof(sample));

	if (interrupt) {
		irq_work_queue(interrupt);
		wait_for(SOFTIRQ, softirqs);
	}
	nmis = nested.hits[NMI];
	WRITE_ONCE(nested.nmi, true);
	arch_send_nmi(nested.cpu);
	wait_for(NMI, nmis);
	if (room) {
		memcpy(handle.record, &sample, sizeof(sample));
		perf_output_end(&handle, 0);
	}
}

static void softirq_writes(void)
{
	write_record(SOFTIRQ, NULL);
}

static void hardirq_writes(struct irq_work *work __unused)
{
	write_record(HARDIRQ, NULL);
	raise_softirq(TASKLET_SOFTIRQ);
}

static int number_of_the_event(void)
{
	const struct trace_event_call *call;
	int number;

	mutex_lock(&event_mutex);
	call = trace_find_event_call("sched", "sched_kthread_stop_ret");
	number = call ? (int)call->event.type : -1;
	mutex_unlock(&event_mutex);
	return number;
}

struct sums {
	unsigned samples[CONTEXTS], next[CONTEXTS];
	u64 told; /* records that LOST records tell */
	bool in_order;
};

static void read_all(struct perf_reader *r, struct sums *sums)
{
	union {
		struct perf_event_header header;
		struct sample sample;
		struct {
			struct perf_event_header header;
			u64 id, lost;
		} lost;
	} record;

	while (perf_reader_next(r, &record, sizeof(record))) {
		unsigned context = record.sample.value >> 24;
		unsigned number = record.sample.value & 0xffffff;

		if (record.header.type == PERF_RECORD_LOST) {
			sums->told += record.lost.lost;
		} else if (record.header.type == PERF_RECORD_SAMPLE && context < CONTEXTS) {
			if (number < sums->next[context])
				sums->in_order = false;
			sums->next[context] = number + 1;
			sums->samples[context]++;
		} else {
			sums->in_order = false;
		}
	}
}

static void write_and_read(struct perf_reader *r, struct sums *sums, unsigned rounds_for_a_read)
{
	struct irq_work work = { .func = hardirq_writes };

	for (unsigned i = 1; i <= ROUNDS; i++) {
		preempt_disable();
		write_record(TASK, &work);
		preempt_enable();
		irq_work_sync(&work);
		if (i % rounds_for_a_read == 0)
			read_all(r, sums);
	}
	read_all(r, sums);
}

/* The sums of a buffer of that many pages. */
static void check(struct selftest *test, unsigned long pages, unsigned rounds_for_a_read, bool lost)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					      .size = sizeof(attr),
					      .config = (u64)(u32)number_of_the_event(),
					      .sample_period = 1,
					      .sample_type = PERF_SAMPLE_RAW,
					      .read_format = PERF_FORMAT_LOST };
	struct sums sums = { .in_order = true };
	u64 counts[2] = { 0, 0 };
	unsigned hits = 0, samples = 0;
	struct perf_reader r;
	struct file *file;

	memset(&nested, 0, sizeof(nested));
	nested.cpu = smp_processor_id();
	if (perf_reader_begin(&r, &attr, (int)nested.cpu, pages)) {
		file = fget((unsigned)r.fd);
		nested.event = perf_file_event(file);
		write_and_read(&r, &sums, rounds_for_a_read);
		EXPECT(perf_reader_counts(&r, counts, 2));
		fput(file);
	} else {
		EXPECT(!"no event");
	}
	EXPECT_EQ(perf_reader_end(&r), 0);
	for (unsigned i = 0; i < CONTEXTS; i++) {
		hits += nested.hits[i];
		samples += sums.samples[i];
		EXPECT(sums.samples[i]);
	}
	EXPECT_EQ(nested.hits[TASK], ROUNDS);
	EXPECT_EQ(nested.hits[HARDIRQ], ROUNDS);
	EXPECT_EQ(nested.hits[SOFTIRQ], ROUNDS);
	EXPECT_EQ(nested.hits[NMI], 3 * ROUNDS);
	EXPECT_EQ(counts[0], nested.hits[NMI]);
	EXPECT_EQ(samples + counts[1], hits);
	EXPECT(sums.in_order);
	EXPECT(sums.told <= counts[1]);
	EXPECT_EQ(sums.told != 0, lost);
	EXPECT_EQ(counts[1] != 0, lost);
}

SELFTEST(perf, writers_that_interrupt_each_other_in_a_record_lose_nothing_silently)
{
	struct cpumask here = { { 0 } };

	cpumask_set_cpu(smp_processor_id(), &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	open_softirq(TASKLET_SOFTIRQ, softirq_writes);
	check(test, 64, 50, false);
	check(test, 1, ROUNDS / 4, true);
	set_cpus_allowed(current, &cpu_possible_mask);
}
