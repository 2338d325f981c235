/*
 * Self-tests of maps whose use an NMI interrupts: at each instruction, one after the other. The NMI
 * uses the same map. Then the map must hold what the calls that succeeded have put there.
 */
#include "arch/irq/traps.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/preempt.h"
#include "kernel/rcu/rcu.h"
#include "kernel/smp.h"
#include "selftest/lib/each_instruction.h"
#include "selftest/selftest.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/ring.h"
#include "trace/bpf/maps/stack_trace.h"

/* What the task does, or the NMI. */
typedef void (*operation_t)(void);

static struct bpf_map *map;
static operation_t in_nmi; /* NULL: nothing */
static unsigned in_nmi_cpu;

/* The first NMI of the CPU. Others, of the watchdog for example, come at any time, to any CPU. */
static bool run_in_nmi(struct pt_regs *regs __unused)
{
	operation_t operation = READ_ONCE(in_nmi);

	if (operation && in_nmi_cpu == smp_processor_id()) {
		WRITE_ONCE(in_nmi, NULL);
		operation();
	}
	return false;
}
NMI_HANDLER(run_in_nmi);

static void run_in_task(void *operation)
{
	rcu_read_lock();
	((operation_t)operation)();
	rcu_read_unlock();
}

/* Runs `task` and interrupts its n-th instruction by `nmi`. False: it has fewer. */
static bool run_pair(operation_t task, operation_t nmi, unsigned n)
{
	bool interrupted;

	preempt_disable();
	in_nmi_cpu = smp_processor_id();
	WRITE_ONCE(in_nmi, nmi);
	interrupted = interrupt_instruction(BY_NMI, n, run_in_task, task);
	WRITE_ONCE(in_nmi, NULL);
	preempt_enable();
	return interrupted;
}

/* ---- ring buffers ---- */

enum { TASK, NMI, NR_WRITERS };

static u64 written[NR_WRITERS], discarded, refused;

static void count_output(u64 writer)
{
	if (bpf_ringbuf_output((u64)map, (u64)&writer, sizeof(writer), 0, 0))
		refused++;
	else
		written[writer]++;
}

static void *reserve(void)
{
	void *data = (void *)bpf_ringbuf_reserve((u64)map, sizeof(u64), 0, 0, 0);

	if (!data)
		refused++;
	return data;
}

static void count_submit(u64 writer)
{
	u64 *data = reserve();

	if (!data)
		return;
	*data = writer;
	bpf_ringbuf_submit((u64)data, 0, 0, 0, 0);
	written[writer]++;
}

static void task_outputs(void)
{
	count_output(TASK);
}

static void task_submits(void)
{
	count_submit(TASK);
}

static void nmi_outputs(void)
{
	count_output(NMI);
}

static void nmi_submits(void)
{
	count_submit(NMI);
}

static void discards(void)
{
	void *data = reserve();

	if (!data)
		return;
	bpf_ringbuf_discard((u64)data, 0, 0, 0, 0);
	discarded++;
}

/* A page of the map, as user space sees it: the reader's position, the writers', the data. */
static void *ring_page(unsigned long number)
{
	return page_address(map->ops->mmap_page(map, number));
}

/* Takes all records out, and subtracts them from the counts. False: a record is not complete. */
static bool read_ring(void)
{
	u64 *reader = ring_page(0), at = *reader, end = *(u64 *)ring_page(1);
	const u8 *data = ring_page(2);

	for (; at < end; at += 16) {
		const u64 *record = (const u64 *)(data + at % PAGE_SIZE);
		u32 len = *(const u32 *)record;

		if (len == (sizeof(u64) | BPF_RINGBUF_DISCARD_BIT))
			discarded--;
		else if (len == sizeof(u64) && record[1] < NR_WRITERS)
			written[record[1]]--;
		else
			return false;
	}
	*reader = at;
	return at == end;
}

static void check_ring(struct selftest *test, operation_t task, operation_t nmi)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_RINGBUF, .max_entries = PAGE_SIZE };
	unsigned n = 0;
	bool interrupted;

	map = bpf_map_alloc(&attr);
	ASSERT(!IS_ERR(map));
	refused = 0;
	do {
		interrupted = run_pair(task, nmi, n++);
		EXPECT(read_ring());
		if (written[TASK] || written[NMI] || discarded)
			break;
	} while (interrupted);
	EXPECT(!interrupted); /* else a record was lost or is there twice: at instruction n */
	EXPECT(refused > 0 && refused < n);
	selftest_diag(test, "%u instructions, %lu refused", n, refused);
	bpf_map_put(map);
}

SELFTEST(bpf_maps, an_nmi_at_any_instruction_leaves_a_ring_buffer_whole)
{
	static const operation_t tasks[] = { task_outputs, task_submits, discards },
				 nmis[] = { nmi_outputs, nmi_submits, discards };

	for (unsigned i = 0; i < ARRAY_SIZE(tasks) * ARRAY_SIZE(nmis); i++)
		check_ring(test, tasks[i % ARRAY_SIZE(tasks)], nmis[i / ARRAY_SIZE(tasks)]);
}

/* ---- stacks ---- */

#define FRAMES     4U
#define NR_STACKS  4U
#define NR_BUCKETS 2U /* two stacks for each */

static u64 stacks[NR_STACKS][FRAMES]; /* those of bucket 0 first */
static u64 frames_read[FRAMES];
static const u32 first_bucket;

static s64 add(unsigned stack, u64 flags)
{
	return bpf_stack_map_add(map, stacks[stack], FRAMES, flags);
}

static void add_first(void)
{
	(void)add(0, BPF_F_REUSE_STACKID);
}

static void add_second(void)
{
	(void)add(1, BPF_F_REUSE_STACKID);
}

static void remove(void)
{
	(void)map->ops->delete (map, &first_bucket);
}

static void read(void)
{
	(void)map->ops->read_user(map, &first_bucket, frames_read, 0);
}

/* Finds two stacks for each bucket. */
static bool choose_stacks(void)
{
	unsigned found[NR_BUCKETS] = { 0 };

	for (u64 i = 1; i < 1000; i++) {
		u64 ips[FRAMES] = { i, i, i, i };
		s64 id = bpf_stack_map_add(map, ips, FRAMES, BPF_F_REUSE_STACKID);

		if (id >= 0 && found[id] < 2)
			memcpy(stacks[2 * id + found[id]++], ips, sizeof(ips));
		if (id >= 0)
			map->ops->delete (map, &(u32){ (u32)id });
	}
	return found[0] == 2 && found[1] == 2;
}

static bool holds(u32 id, unsigned one, unsigned other)
{
	u64 value[FRAMES];

	return map->ops->read_user(map, &id, value, 0) == 0 &&
	       (!memcmp(value, stacks[one], sizeof(value)) ||
		!memcmp(value, stacks[other], sizeof(value)));
}

/* The map has two elements: none is lost, none is there twice, and each is one of the stacks. */
static bool has_two_elements(void)
{
	u32 second_bucket = 1;
	bool right;

	if (holds(0, 0, 1))
		remove();
	right = map->ops->delete (map, &first_bucket) == -ENOENT &&
		add(0, BPF_F_REUSE_STACKID) == 0 && add(2, BPF_F_REUSE_STACKID) == 1 &&
		add(1, BPF_F_REUSE_STACKID) == -ENOMEM && holds(0, 0, 0) && holds(1, 2, 2);
	remove();
	map->ops->delete (map, &second_bucket);
	return right;
}

static void check_stacks(struct selftest *test, operation_t task, operation_t nmi)
{
	unsigned n = 0;
	bool interrupted;

	do {
		add_first();
		interrupted = run_pair(task, nmi, n++);
		if (!has_two_elements())
			break;
	} while (interrupted);
	EXPECT(!interrupted); /* else an element was lost or is there twice: at instruction n */
	selftest_diag(test, "%u instructions", n);
}

SELFTEST(bpf_maps, an_nmi_at_any_instruction_leaves_a_map_of_stacks_whole)
{
	static const operation_t tasks[] = { add_first, add_second, remove, read },
				 nmis[] = { add_first, add_second, remove };
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_STACK_TRACE,
				.key_size = 4,
				.value_size = sizeof(frames_read),
				.max_entries = NR_BUCKETS };

	map = bpf_map_alloc(&attr);
	ASSERT(!IS_ERR(map));
	EXPECT(choose_stacks());
	for (unsigned i = 0; i < ARRAY_SIZE(tasks) * ARRAY_SIZE(nmis); i++)
		check_stacks(test, tasks[i % ARRAY_SIZE(tasks)], nmis[i / ARRAY_SIZE(tasks)]);
	bpf_map_put(map);
}
