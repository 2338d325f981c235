/*
 * Self-tests of thousands of NMIs. CPUs send NMIs to themselves and to each other while they write
 * events, and while sites are patched. The NMI handler is traced, so it writes events, too.
 *
 * Each event has a number and a checksum. It must be read intact and in order, or be counted as
 * lost.
 */
#include "arch/irq/ipi.h"
#include "arch/patch/text_patch.h"
#include "kernel/irq/irq.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "trace/ftrace/internal.h"
#include "trace/ring_buffer/ring_buffer.h"
#include "kernel/time/trace_clock.h"
#include "trace/ftrace/recursion.h"

#define BUFFER_SIZE (8 * RB_PAGE_SIZE)     /* small: most events are overwritten, and counted so */
#define WRITES      4000U                  /* by each CPU */
#define NMIS        selftest_rounds(5000U) /* at least, while sites are patched */
#define FIRE_EVERY  32U /* calls: with more NMIs the CPUs would do nothing else */
#define PAUSE_EVERY 1024U
#define TOGGLES     5U /* at least, while NMIs arrive */
#define LEVELS      TRACE_RECURSION_BITS

struct payload {
	u32 level; /* the context that wrote it */
	u32 words;
	u64 number; /* counts the events of this level on its CPU */
	u64 check;
	u32 filler[16];
};

/* The account of one CPU. Only the context of a level writes the elements of that level. */
struct account {
	u64 written[LEVELS], refused[LEVELS];
	bool writing;    /* the task is between reserve and commit */
	bool armed;      /* the clock must send an NMI to its own CPU */
	u64 nested_nmis; /* events that an NMI wrote while writing was set */
	/* written by the reader */
	u64 next[LEVELS], gaps, lost, read, unsound, last_ts;
};

static struct trace_buffer *buffer;
static struct account *accounts; /* nr_cpu_ids elements */
static atomic_t writers;
static bool stop;

static u64 checksum(const struct payload *p)
{
	u64 sum = p->level * 0x9e3779b97f4a7c15ULL + p->number * 31 + p->words;

	for (u32 i = 0; i < p->words; i++)
		sum = sum * 131 + p->filler[i];
	return sum;
}

/* A writer reads the clock after it has found space and before it has reserved that space. */
static u64 firing_clock(void)
{
	struct account *a = &accounts[smp_processor_id()];

	if (a->armed) {
		a->armed = false;
		arch_send_nmi(smp_processor_id());
	}
	return trace_clock_local();
}

/* When a writer sends an NMI to its own CPU. */
enum fire { NEVER, CLAIMING, WRITING };

/* Writes one event from the current context. */
static void write_event(enum fire fire)
{
	int bit = ftrace_test_recursion_trylock(0, 0);
	struct ring_buffer_event *event;
	struct payload p;
	struct account *a;
	size_t length;
	u32 level;

	if (bit < 0)
		return;
	a = &accounts[smp_processor_id()];
	level = (u32)__builtin_ctz((u32)bit);
	p.level = level;
	p.number = a->written[level];
	p.words = (u32)(p.number * 7 % 17);
	length = offsetof(struct payload, filler) + p.words * 4;
	if (fire != NEVER)
		WRITE_ONCE(a->writing, true);
	if (fire == CLAIMING)
		WRITE_ONCE(a->armed, true);
	event = ring_buffer_lock_reserve(buffer, length);
	if (!event) {
		a->refused[level]++;
		goto out;
	}
	if (fire == WRITING)
		arch_send_nmi(smp_processor_id());
	for (u32 i = 0; i < p.words; i++)
		p.filler[i] = (u32)p.number * 2654435761U + i;
	p.check = checksum(&p);
	memcpy(ring_buffer_event_data(event), &p, length);
	if (bit == TRACE_RECURSION_NMI && READ_ONCE(a->writing))
		a->nested_nmis++;
	a->written[level]++;
	ring_buffer_unlock_commit(buffer);
out:
	if (fire != NEVER)
		WRITE_ONCE(a->writing, false);
	ftrace_test_recursion_unlock(bit);
}

static void write_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	write_event(NEVER);
}

static struct ftrace_ops ops = { .func = write_call };

/* Consumes one event of a CPU and checks it. Returns false if no event is left. */
static bool consume_one(unsigned cpu)
{
	struct account *a = &accounts[cpu];
	struct payload p;
	u64 ts, lost;
	long length = ring_buffer_consume(buffer, cpu, &p, sizeof(p), &ts, &lost);

	if (length < 0)
		return false;
	a->read++;
	a->lost += lost;
	if (p.level >= LEVELS || p.words > ARRAY_SIZE(p.filler) ||
	    (size_t)length != ALIGN(offsetof(struct payload, filler) + p.words * 4, 4) ||
	    p.check != checksum(&p) || p.number < a->next[p.level] || ts < a->last_ts) {
		a->unsound++;
		return true;
	}
	a->gaps += p.number - a->next[p.level];
	a->next[p.level] = p.number + 1;
	a->last_ts = ts;
	return true;
}

/* Reads while writers run, then reads the rest. */
static void consume_all(void)
{
	bool last, more;
	unsigned cpu;

	do {
		last = atomic_read(&writers) == 0;
		more = false;
		for_each_possible_cpu (cpu)
			for (unsigned i = 0; i < 100 && consume_one(cpu); i++)
				more = true;
		cond_resched();
	} while (!last || more);
}

static u64 nmis(void)
{
	unsigned cpu;
	u64 count = 0;

	for_each_online_cpu (cpu)
		count += irq_stat_read(IRQ_STAT_NMI, cpu);
	return count;
}

static bool begin(const char *functions, unsigned threads)
{
	buffer = ring_buffer_alloc(BUFFER_SIZE, RB_FL_OVERWRITE);
	accounts = kcalloc(nr_cpu_ids, sizeof(*accounts), GFP_KERNEL);
	stop = false;
	atomic_set(&writers, (int)threads);
	if (!buffer || !accounts)
		return false;
	ring_buffer_set_clock(buffer, firing_clock);
	return ftrace_set_filter(&ops, functions, strlen(functions), true) == 0;
}

/* Checks the accounts after the last write. Returns the number of events written. */
static u64 check_accounts(struct selftest *test, u64 *nested)
{
	u64 events = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct account *a = &accounts[cpu];
		u64 written = 0, refused = 0, tail = 0;
		struct ring_buffer_stats stats;

		for (unsigned level = 0; level < LEVELS; level++) {
			written += a->written[level];
			refused += a->refused[level];
			tail += a->written[level] - a->next[level];
		}
		ring_buffer_cpu_stats(buffer, cpu, &stats);
		EXPECT_EQ(a->unsound, 0);
		EXPECT_EQ(a->gaps + tail, a->lost);
		EXPECT_EQ(a->read + a->lost, written);
		EXPECT_EQ(stats.written, written);
		EXPECT_EQ(stats.overrun, a->lost);
		EXPECT_EQ(stats.read_events, a->read);
		EXPECT_EQ(stats.entries, 0);
		EXPECT_EQ(stats.commit_overrun + stats.dropped_events, refused);
		events += written;
		*nested += a->nested_nmis;
	}
	ring_buffer_free(buffer);
	kfree(accounts);
	return events;
}

/* Writes events. The writer sends itself an NMI during two of three events. */
static void write_and_fire(void *arg __unused, unsigned index)
{
	unsigned other = nth_online_cpu(index + 1);

	for (unsigned i = 0; i < WRITES; i++) {
		preempt_disable();
		write_event(i % 3);
		if (i % 3 == 0)
			arch_send_nmi(other);
		preempt_enable();
		cond_resched();
	}
	atomic_dec(&writers);
}

SELFTEST(trace_nmi, nmis_in_the_middle_of_writes_lose_nothing_uncounted)
{
	u64 before = nmis(), events, nested = 0;
	struct test_group group;

	ASSERT(begin("smp_handle_nmi", num_online_cpus()));
	ASSERT(register_ftrace_function(&ops) == 0);
	ASSERT(test_group_start(&group, num_online_cpus(), EACH_CPU, write_and_fire, NULL));
	consume_all();
	test_group_wait(&group);
	EXPECT(unregister_ftrace_function(&ops) == 0);
	consume_all();
	events = check_accounts(test, &nested);
	selftest_diag(test, "%lu events, %lu NMIs, %lu of them within a write", events,
		      nmis() - before, nested);
	EXPECT(nested >= WRITES / 2 * num_online_cpus());
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

static void fire(void *arg __unused, unsigned index)
{
	unsigned other = nth_online_cpu(index + 1);

	for (unsigned i = 0; !READ_ONCE(stop); i++) {
		preempt_disable();
		if (i % FIRE_EVERY == 0)
			arch_send_nmi(i / FIRE_EVERY % 2 ? other : smp_processor_id());
		preempt_enable();
		ftrace_target_add(i, 1);
		ftrace_target_other();
		if (i % PAUSE_EVERY == 0)
			msleep(1); /* so that the patching task can run */
	}
	atomic_dec(&writers);
}

static int read_all(void *done __unused)
{
	consume_all();
	return 0;
}

SELFTEST(trace_nmi, nmis_while_sites_are_patched_lose_nothing_uncounted)
{
	struct text_patch_stats patch_before, patch_after;
	u64 before = nmis(), events, nested = 0;
	struct test_group group;
	struct task_struct *reader;
	/*
	 * One CPU patches and reads. With more than three senders the CPUs would only handle NMIs.
	 */
	unsigned toggles, threads = min(max(num_online_cpus() - 1, 1U), 3U);

	ASSERT(begin("", threads));
	reader = test_task_start(read_all, NULL, "nmi_reader");
	ASSERT(reader);
	text_patch_stats_read(&patch_before);
	ASSERT(test_group_start(&group, threads, EACH_CPU, fire, NULL));
	for (toggles = 0; toggles < TOGGLES || nmis() - before < NMIS; toggles++) {
		ASSERT(register_ftrace_function(&ops) == 0);
		ASSERT(unregister_ftrace_function(&ops) == 0);
	}
	WRITE_ONCE(stop, true);
	test_group_wait(&group);
	test_task_end(reader);
	consume_all();
	text_patch_stats_read(&patch_after);
	events = check_accounts(test, &nested);
	selftest_diag(test, "%lu events, %lu NMIs, %u times on and off, %lu breakpoints", events,
		      nmis() - before, toggles, patch_after.breakpoints - patch_before.breakpoints);
	EXPECT(events > 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	for (unsigned i = 0; i < ftrace_record_count(); i++)
		EXPECT_EQ(ftrace_record(i)->flags & ~FTRACE_FL_HISTORY, 0);
}
