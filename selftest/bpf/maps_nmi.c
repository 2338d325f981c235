/*
 * Self-tests of maps in NMIs: CPUs update maps and send NMIs to each other, and the handler updates
 * the same maps. No CPU waits for itself, and each update that did not fail counts.
 */
#include "arch/irq/ipi.h"
#include "arch/irq/traps.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/bpf/maps/hash.h"

#define ROUNDS     4000U /* by each CPU */
#define KEYS       16U
#define FIRE_EVERY 8U

static struct bpf_map *map;       /* NULL: NMIs do nothing */
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

static bool count_in_nmi(struct pt_regs *regs __unused)
{
	struct bpf_map *m = READ_ONCE(map);

	if (m && count(m, smp_processor_id() % KEYS))
		atomic64_inc(&from_nmi);
	return false;
}
NMI_HANDLER(count_in_nmi);

/* Counts, and makes locked sections for the NMIs to fall into: an element of its own comes and goes. */
static void update_and_fire(void *arg __unused, unsigned index)
{
	unsigned other = nth_online_cpu(index + 1);
	u64 own = 1000 + index, one = 1;

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

static u64 sum_of(u64 key)
{
	u64 sum = 0;

	if (!map->ops->lookup_percpu)
		return *(u64 *)map->ops->lookup(map, &key);
	for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++)
		sum += *(u64 *)map->ops->lookup_percpu(map, &key, cpu);
	return sum;
}

static void storm(struct selftest *test, u32 type)
{
	union bpf_attr attr = { .map_type = type,
				.key_size = 8,
				.value_size = 8,
				.max_entries = KEYS + num_online_cpus() };
	struct bpf_map *m = bpf_map_alloc(&attr);

	ASSERT(!IS_ERR(m));
	for (unsigned i = 0; i < KEYS; i++)
		atomic64_set(&added[i], 0);
	atomic64_set(&busy, 0);
	atomic64_set(&from_nmi, 0);
	atomic64_set(&failures, 0);
	WRITE_ONCE(map, m);
	ASSERT(run_threads(num_online_cpus(), EACH_CPU, update_and_fire, NULL));
	for (u64 key = 0; key < KEYS; key++)
		EXPECT_EQ(sum_of(key), atomic64_read(&added[key]));
	EXPECT_EQ(atomic_read(&to_htab(m)->count), KEYS);
	EXPECT_EQ(atomic64_read(&failures), 0);
	EXPECT(atomic64_read(&from_nmi) > 0);
	selftest_diag(test, "%ld updates by NMIs, %ld refused", atomic64_read(&from_nmi),
		      atomic64_read(&busy));
	WRITE_ONCE(map, NULL);
	bpf_map_put(m);
}

SELFTEST(bpf_maps, hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_HASH);
}

SELFTEST(bpf_maps, per_cpu_hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_PERCPU_HASH);
}

SELFTEST(bpf_maps, lru_hashes_count_in_nmis)
{
	storm(test, BPF_MAP_TYPE_LRU_HASH);
}
