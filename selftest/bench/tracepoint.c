/*
 * Benchmark of tracepoints and static branches: the file /sys/kernel/debug/tracepoint_bench.
 * Reading it makes the measurements, in TSC ticks (selftest/bench/kernel.c).
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "selftest/bench/preemptirq_sites.h"
#include "selftest/kernel/selftest_events.h"

TRACEPOINT_DEFINE(bench_0, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE(bench_1, TP_PROTO(unsigned long number), TP_ARGS(number))
TRACEPOINT_DEFINE(bench_2, TP_PROTO(unsigned long number), TP_ARGS(number))

#define ROUNDS 20000U

/* Both have the same frame: they differ in one tracepoint. */
static noinline void call_two(void)
{
	trace_bench_0(0);
	trace_bench_1(1);
}

static noinline void call_three(void)
{
	trace_bench_0(0);
	trace_bench_1(1);
	trace_bench_2(2);
}

static u64 measure(void (*fn)(void))
{
	u64 start = arch_cycles();

	for (unsigned i = 0; i < ROUNDS; i++)
		fn();
	return arch_cycles() - start;
}

/* A probe for any tracepoint: it uses no argument. */
static void empty_probe(void)
{
}

static void count_tracepoint(struct tracepoint *tp __unused, void *count)
{
	++*(unsigned *)count;
}

static void attach(struct tracepoint *tp, void *errors)
{
	if (tracepoint_probe_register(tp, (void *)empty_probe, errors, 0))
		++*(unsigned *)errors;
}

static void detach(struct tracepoint *tp, void *errors)
{
	if (tracepoint_probe_unregister(tp, (void *)empty_probe, errors))
		++*(unsigned *)errors;
}

/* Calls fn for all tracepoints in a batch. Returns the ticks that it took. */
static u64 change_all(void (*fn)(struct tracepoint *tp, void *errors), unsigned *errors)
{
	u64 start = arch_cycles();

	tracepoint_batch_begin();
	for_each_kernel_tracepoint(fn, errors);
	if (tracepoint_batch_end())
		++*errors;
	return arch_cycles() - start;
}

/* 32 keys with two sites each. */
static struct static_key_false keys[32];
#define SITES_OF_KEY(n)                                                                            \
	(static_branch_unlikely(&keys[n]) + static_branch_unlikely(&keys[(n) + 1]) +               \
	 static_branch_likely(&keys[n]) + static_branch_likely(&keys[(n) + 1]))
#define SITES_OF_8_KEYS(n)                                                                         \
	(SITES_OF_KEY(n) + SITES_OF_KEY((n) + 2) + SITES_OF_KEY((n) + 4) + SITES_OF_KEY((n) + 6))

int bench_static_branches(void);

/* Only its sites matter. */
noinline int bench_static_branches(void)
{
	return SITES_OF_8_KEYS(0) + SITES_OF_8_KEYS(8) + SITES_OF_8_KEYS(16) + SITES_OF_8_KEYS(24);
}

static u64 set_keys(size_t count, bool on)
{
	u64 start = arch_cycles();

	static_key_batch_begin();
	for (size_t i = 0; i < count; i++)
		static_key_batch_set(&keys[i].key, on);
	static_key_batch_end();
	return arch_cycles() - start;
}

static int tracepoint_bench_show(struct seq_file *m, void *unused __unused)
{
	unsigned count = 0, errors = 0;
	u64 off, one, all, on_all, off_all;

	measure(call_two);
	measure(call_three);
	off = measure(call_two);
	seq_printf(m, "one tracepoint more, off: %llu ticks\n",
		   (unsigned long long)((measure(call_three) - off) / ROUNDS));
	if (register_trace_bench_0((void *)empty_probe, NULL))
		return -EINVAL;
	measure(call_two);
	one = measure(call_two);
	unregister_trace_bench_0((void *)empty_probe, NULL);
	seq_printf(m, "on, with an empty probe: %llu ticks\n",
		   (unsigned long long)((one - off) / ROUNDS));

	for_each_kernel_tracepoint(count_tracepoint, &count);
	count += preemptirq_sites();
	change_all(attach, &errors);
	change_all(detach, &errors);
	on_all = change_all(attach, &errors);
	off_all = change_all(detach, &errors);
	seq_printf(m, "%u tracepoints, %u errors: on %llu, off %llu ticks each\n", count, errors,
		   (unsigned long long)(on_all / count), (unsigned long long)(off_all / count));

	set_keys(ARRAY_SIZE(keys), true);
	all = set_keys(ARRAY_SIZE(keys), false);
	set_keys(1, true);
	one = set_keys(1, false);
	seq_printf(m, "one key: %llu ticks; %zu keys more: %llu ticks for a site\n",
		   (unsigned long long)one, ARRAY_SIZE(keys) - 1,
		   (unsigned long long)((all - one) / (2 * ARRAY_SIZE(keys) - 2)));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tracepoint_bench);

static int __init tracepoint_bench_init(void)
{
	debugfs_create_file("tracepoint_bench", 0444, NULL, NULL, &tracepoint_bench_fops);
	return 0;
}
device_initcall(tracepoint_bench_init);
