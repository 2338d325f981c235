/*
 * Self-tests of maps in NMIs: CPUs update maps and send NMIs to each other, and the handler updates
 * the same maps. No CPU waits for itself, and each update that did not fail counts.
 */
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/bpf/maps/hash.h"

#define ROUNDS     4000U /* by each CPU */
#define KEYS       16U
#define FIRE_EVERY 8U
#define OWN_KEYS   1000U /* one for each thread */
#define NMI_KEYS   2000U /* one for the NMIs of each CPU */

static struct bpf_map *map;       /* NULL: NMIs do nothing */
static u64 stored[NR_CPUS];       /* what the NMIs of a CPU have stored last */
static atomic64_t added[KEYS];    /* what the map must hold */
static atomic64_t busy, from_nmi; /* updates that failed by -EBUSY; those that NMIs have made */
static atomic64_t failures;       /* with another error */

/* A program that counts: adds 1 to the element, which may come and go. */
static bool count(struct bpf_map *m, u64 key)
{
	u64 zero = 0, *value = m->ops->lookup(m, &key);
	long error;

	if (!value) {
		error = m->ops->update(m, &key, &zero, BPF_NOEXIST);
		if (error == -EBUSY) {
			atomic64_inc(&busy);
			return false;
		}
		if (error && error != -EEXIST)
			atomic64_inc(&failures);
		value = m->ops->lookup(m, &key);
	}
	if (!value) {
		atomic64_inc(&failures);
		return false;
	}
	__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
	atomic64_inc(&added[key]);
	return true;
}

/* Stores the next number under a key of this CPU's NMIs. */
static bool store(struct bpf_map *m, unsigned cpu)
{
	u64 key = NMI_KEYS + cpu, value = stored[cpu] + 1;
	long error = m->ops->update(m, &key, &value, BPF_ANY);

	if (error == -EBUSY)
		atomic64_inc(&busy);
	else if (error)
		atomic64_inc(&failures);
	else
		stored[cpu] = value;
	return !error;
}

static bool count_in_nmi(struct pt_regs *regs __unused)
{
	struct bpf_map *m = READ_ONCE(map);

	if (m && store(m, smp_processor_id()) && count(m, smp_processor_id() % KEYS))
		atomic64_inc(&from_nmi);
	return false;
}
NMI_HANDLER(count_in_nmi);

/* Counts. An element of its own comes and goes, so that NMIs find locks held. */
static void update_and_fire(void *arg __unused, unsigned index)
{
	unsigned other = nth_online_cpu(index + 1);
	u64 own = OWN_KEYS + index, one = 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		rcu_read_lock();
		if (i % FIRE_EVERY == 0)
			arch_send_nmi(i / FIRE_EVERY % 2 ? other : smp_processor_id());
		if (map->ops->update(map, &own, &one, BPF_NOEXIST) || !count(map, i % KEYS) ||
		    map->ops->delete (map, &own))
			atomic64_inc(&failures);
		rcu_read_unlock();
		cond_resched();
	}
}

static u64 sum_of(struct bpf_map *m, u64 key)
{
	u64 sum = 0;

	if (!m->ops->lookup_percpu)
		return *(u64 *)m->ops->lookup(m, &key);
	for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++)
		sum += *(u64 *)m->ops->lookup_percpu(m, &key, cpu);
	return sum;
}

/* Checks what NMIs have stored last: only their CPU has a value, or there is one value. */
static void check_stored(struct selftest *test, struct bpf_map *m)
{
	unsigned cpu;

	for_each_online_cpu (cpu)
		if (stored[cpu])
			EXPECT_EQ(sum_of(m, NMI_KEYS + cpu), stored[cpu]);
}

static void nothing(void *info __unused)
{
}

/* A CPU takes the NMIs that were sent to it before an interrupt that is sent to it now. */
static void end_nmis(void)
{
	WRITE_ONCE(map, NULL);
	on_each_cpu(nothing, NULL, true);
}

/* one_list: all elements are in one bucket, so that an NMI often finds its lock held. */
static void storm(struct selftest *test, u32 type, bool one_list)
{
	/* Twice as many as there are keys: an update under way has a place that it may not need. */
	union bpf_attr attr = { .map_type = type,
				.key_size = 8,
				.value_size = 8,
				.max_entries = 2 * (KEYS + 2 * num_online_cpus()) };
	struct bpf_map *m = bpf_map_alloc(&attr);
	u32 mask;

	ASSERT(!IS_ERR(m));
	mask = to_htab(m)->mask;
	for (unsigned i = 0; i < KEYS; i++)
		atomic64_set(&added[i], 0);
	atomic64_set(&busy, 0);
	atomic64_set(&from_nmi, 0);
	atomic64_set(&failures, 0);
	memset(stored, 0, sizeof(stored));
	if (one_list)
		to_htab(m)->mask = 0;
	WRITE_ONCE(map, m);
	ASSERT(run_threads(num_online_cpus(), EACH_CPU, update_and_fire, NULL));
	end_nmis();
	for (u64 key = 0; key < KEYS; key++)
		EXPECT_EQ(sum_of(m, key), atomic64_read(&added[key]));
	check_stored(test, m);
	EXPECT_EQ(atomic64_read(&failures), 0);
	EXPECT(atomic64_read(&from_nmi) > 0);
	selftest_diag(test, "%ld updates by NMIs, %ld refused", atomic64_read(&from_nmi),
		      atomic64_read(&busy));
	to_htab(m)->mask = mask;
	bpf_map_put(m);
}

SELFTEST(bpf_maps, hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_HASH, false);
	storm(test, BPF_MAP_TYPE_HASH, true);
}

SELFTEST(bpf_maps, per_cpu_hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_PERCPU_HASH, false);
	storm(test, BPF_MAP_TYPE_PERCPU_HASH, true);
}

SELFTEST(bpf_maps, lru_hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_LRU_HASH, false);
	storm(test, BPF_MAP_TYPE_LRU_HASH, true);
}
