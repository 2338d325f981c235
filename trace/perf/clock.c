/*
 * cpu-clock and task-clock. The count is a level: the runtime of the task, or the time of day of a
 * CPU. Samples come from the timer interrupt itself, so that softirqs are sampled, too.
 *
 * The started events of a CPU are in a tree by the time of their next sample (due). Samples must
 * not use up the CPU, however many events a user opens. So each CPU has a budget for each window of
 * 4 ms: perf_cpu_time_max_percent. When it is used up, no sample is taken until the next window.
 * The event that has crossed it says so in its buffer (THROTTLE, UNTHROTTLE); the others only miss
 * samples. An event that takes more samples than perf_event_max_sample_rate allows waits alone.
 *
 * While interrupts are off no sample comes: it comes where they are switched on again.
 *
 * Entry and exit of the interrupt cost time, too, which nothing measures. If they take longer than
 * what is left until the next sample, the interrupted code executes no instruction in between: on a
 * slow machine a user's event without a single sample to take could hang a CPU. Then each interrupt
 * comes late, and the time from when it was asked for is spent (cost()).
 */
#include "trace/perf/software.h"

#include "arch/time/clock.h"
#include "arch/unwind/unwind_event.h"
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/time/timer.h"
#include "trace/perf/records.h"

#define WINDOW_NS     (4 * NSEC_PER_MSEC)
#define MIN_PERIOD_NS 10000ULL
#define PAUSE_NS      2000ULL /* from one run of the handler to the next, at least */
#define SAMPLES_MAX   32U     /* of one run */
/* What a sample counts at most: a host may stop the CPU in the middle of one. */
#define SAMPLE_NS_MAX 200000ULL

/* [O] of its CPU, interrupts off. */
struct perf_clock_cpu {
	struct rb_root_cached tree; /* clock_node, by due */
	u64 window;                 /* the number of the present 4 ms */
	u64 spent;                  /* ns in it that samples have taken */
	u64 started, when;          /* when the timer was started last, and for what time */
};
static DEFINE_PER_CPU(struct perf_clock_cpu, perf_clock_cpus);

/* Of the time of a CPU, for samples of clocks; 0 and 100: no limit. */
static int cpu_time_max_percent = 25;
static u64 budget = WINDOW_NS / 4; /* ns of a window */

static int proc_cpu_time(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int error = proc_dointvec_positive(table, write, buf, size);
	u64 percent = (u64)READ_ONCE(cpu_time_max_percent);

	if (!error && write)
		WRITE_ONCE(budget, percent && percent < 100 ? WINDOW_NS * percent / 100 : ~0ULL);
	return error;
}

SYSCTL(perf_cpu_time, "kernel", "perf_cpu_time_max_percent", 0644, proc_cpu_time,
       .data = &cpu_time_max_percent, .maxlen = sizeof(int), .most = 100);

/* ---- the tree ---- */

static bool is_earlier(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct perf_event, clock_node)->due <
	       rb_entry(b, struct perf_event, clock_node)->due;
}

static void insert(struct perf_clock_cpu *clock, struct perf_event *event)
{
	rb_add_cached(&event->clock_node, &clock->tree, is_earlier);
}

static struct perf_event *first_event(struct perf_clock_cpu *clock)
{
	struct rb_node *node = rb_first_cached(&clock->tree);

	return node ? rb_entry(node, struct perf_event, clock_node) : NULL;
}

static noinline void move(struct perf_clock_cpu *clock, struct perf_event *event, u64 due)
{
	rb_erase_cached(&event->clock_node, &clock->tree);
	event->due = due;
	insert(clock, event);
}

/*
 * The first event of the tree is due at another time. The first node has no left child, so the next
 * one is its right child, which then has no child, or its parent.
 */
static __always_inline void move_first(struct perf_clock_cpu *clock, struct perf_event *event,
				       u64 due)
{
	struct rb_node *node = &event->clock_node;
	struct rb_node *next = node->rb_right ? node->rb_right : rb_parent(node);

	if (unlikely(next && rb_entry(next, struct perf_event, clock_node)->due < due))
		move(clock, event, due);
	else
		event->due = due;
}

/* ---- the budget ---- */

static bool over_budget(const struct perf_clock_cpu *clock)
{
	return clock->spent > READ_ONCE(budget);
}

static void enter_window(struct perf_clock_cpu *clock, u64 now)
{
	if (clock->window == now / WINDOW_NS)
		return;
	clock->window = now / WINDOW_NS;
	clock->spent = 0;
}

static u64 next_window(const struct perf_clock_cpu *clock)
{
	return (clock->window + 1) * WINDOW_NS;
}

/*
 * Starts the timer for the first event. took: ns of the run of the handler that ends now. A sample
 * may take longer than a window, and still counts SAMPLE_NS_MAX only. So a long run is followed by
 * a pause of the same length.
 */
static __always_inline void arm(struct perf_clock_cpu *clock, u64 now, u64 took)
{
	struct perf_event *event = first_event(clock);
	u64 earliest = now + (unlikely(took > SAMPLE_NS_MAX) ? took : PAUSE_NS);

	if (!event)
		return;
	if (unlikely(over_budget(clock)))
		earliest = max(earliest, next_window(clock));
	clock->started = now;
	clock->when = max(event->due, earliest);
	cpu_event_start(CPU_EVENT_PERF, clock->when);
}

/* The event takes no samples until the next window; or takes them again. */
static void set_throttled(struct perf_event *event, bool on)
{
	struct {
		struct perf_event_header header;
		u64 time, id, stream_id;
	} record = {
		.header = { .type = on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
			    .size = sizeof(record) },
		.time = event->clock(),
		.id = perf_known_id(event),
		.stream_id = event->id,
	};

	event->throttled = on;
	perf_put_record(event, &record.header, NULL, current_stable);
}

/* Whether the event has had its samples of this window. */
static bool over_rate(struct perf_event *event, const struct perf_clock_cpu *clock)
{
	u64 most = (u64)READ_ONCE(sysctl_perf_event_sample_rate);

	if (event->window != (u32)clock->window) {
		event->window = (u32)clock->window;
		event->in_window = 0;
	}
	return ++event->in_window > 1 && event->in_window * (NSEC_PER_SEC / WINDOW_NS) > most;
}

/* ---- samples ---- */

static __always_inline void sample(struct perf_event *event)
{
	const struct pt_regs *regs = stack_trace_handler_regs();
	struct task_struct *task = current; /* not kept in a register over the samples of a loop */
	struct perf_sample_data data;

	data.task = task;
	data.mode = user_mode(regs) ? PERF_MODE_USER : PERF_MODE_KERNEL;
	data.ip = regs->ip;
	data.regs = regs;
	data.addr = data.frame = 0;
	data.raw = NULL;
	data.raw_size = 0;
	if (!task->pid)
		data.mode |= PERF_MODE_IDLE;
	if (!(event->exclude & data.mode) && READ_ONCE(event->active))
		perf_overflow(event, &data);
}

/*
 * What the sample from now to end costs. asked: the time for which the timer was started, if this
 * is the first sample since then, else now. Interrupts that are off, or a busy host, make that time
 * earlier, but do not cost much, so it counts only if the CPU had even less time before.
 */
static __always_inline u64 cost(const struct perf_clock_cpu *clock, u64 asked, u64 now, u64 end)
{
	u64 from = unlikely(end - asked > asked - clock->started) ? asked : now;

	return min(end - from, SAMPLE_NS_MAX);
}

/*
 * The event is due: takes its sample, if it may, and goes to its next place in the tree. Returns
 * the time. asked: as cost().
 */
static u64 expire(struct perf_clock_cpu *clock, struct perf_event *event, u64 now, u64 asked)
{
	u64 period = READ_ONCE(event->period), end;

	if (unlikely(event->throttled))
		set_throttled(event, false);
	if (unlikely(over_rate(event, clock)))
		set_throttled(event, true);
	else
		sample(event);
	end = (u64)arch_ktime();
	clock->spent += cost(clock, asked, now, end);
	if (unlikely(over_budget(clock)) && !event->throttled) {
		set_throttled(event, true);
		end = (u64)arch_ktime();
	}
	if (unlikely(event->throttled))
		move_first(clock, event, next_window(clock));
	else /* some may be missed */
		move_first(clock, event, event->due + period * ((now - event->due) / period + 1));
	return end;
}

/* CPU_EVENT_PERF. Hardirq, interrupts off. */
static void clock_interrupt(ktime_t when)
{
	struct perf_clock_cpu *clock = this_cpu_ptr(&perf_clock_cpus);
	struct perf_event *event = first_event(clock);
	u64 now = (u64)when, asked = clock->when;

	enter_window(clock, now);
	for (unsigned n = 0; n < SAMPLES_MAX && event && event->due <= now && !over_budget(clock);
	     n++) {
		asked = now = expire(clock, event, now, asked);
		event = first_event(clock);
	}
	arm(clock, now, now - (u64)when);
}

/* ---- struct pmu ---- */

void perf_clock_start(struct perf_event *event)
{
	struct perf_clock_cpu *clock = this_cpu_ptr(&perf_clock_cpus);
	u64 now = arch_ktime();

	event->due = now + event->left;
	insert(clock, event);
	if (first_event(clock) == event)
		arm(clock, now, 0);
}

/* What is left of the period goes with the task to its next CPU: the period is its own time. */
void perf_clock_stop(struct perf_event *event)
{
	u64 now = arch_ktime();

	rb_erase_cached(&event->clock_node, &this_cpu_ptr(&perf_clock_cpus)->tree);
	event->left = event->due > now ? event->due - now : 1;
}

void perf_clock_set_period(struct perf_event *event)
{
	if (event->freq)
		event->period = NSEC_PER_SEC / event->freq;
	event->period = max(event->period, MIN_PERIOD_NS);
	event->left = event->period;
}

int perf_clock_init(struct perf_event *event)
{
	bool run = event->of_task && event->cpu != -1;

	event->flags =
		PERF_LEVEL | PERF_CLOCK | (event->period ? PERF_ON_CPU : 0) | (run ? PERF_RUN : 0);
	event->after &= (u8)~PERF_AFTER_ADAPT; /* its period is a time */
	if (event->period)
		perf_clock_set_period(event);
	return event->of_task && event->period ? perf_tap_get(&perf_switch_tap) : 0;
}

void perf_clock_destroy(struct perf_event *event)
{
	if (event->of_task && (event->flags & PERF_ON_CPU))
		perf_tap_put(&perf_switch_tap);
}

static int __init perf_clock_setup(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		per_cpu(perf_clock_cpus, cpu).tree = RB_ROOT_CACHED;
	cpu_event_setup(CPU_EVENT_PERF, clock_interrupt);
	return 0;
}
early_initcall(perf_clock_setup);
