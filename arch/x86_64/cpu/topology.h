/*
 * How CPUs share cores, dies, packages and caches, as CPUID tells (Intel SDM 3A 9.9.3, AMD64 APM 3
 * E.3 and E.4). Task context.
 */
#pragma once

#include "kernel/cpumask.h"

enum topology_level { TOPOLOGY_CORE, TOPOLOGY_DIE, TOPOLOGY_PACKAGE, NR_TOPOLOGY_LEVELS };

/* Where a CPU is. A core's number is unique in its package, and a die's too. */
struct cpu_topology {
	u32 id[NR_TOPOLOGY_LEVELS];
	struct cpumask cpus[NR_TOPOLOGY_LEVELS]; /* the online CPUs that share it */
};

/* cpu is online. */
void arch_cpu_topology(unsigned cpu, struct cpu_topology *topology);

enum cache_type { CACHE_NONE, CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

struct cache_leaf {
	u32 level;
	enum cache_type type;
	u32 size, line_size; /* bytes */
	u32 ways, sets, partitions;
	u32 id;              /* one number for all CPUs that share the cache */
	struct cpumask cpus; /* the online ones of these */
};

/* Describes the cache number index of an online CPU. Returns false if there is none. */
bool arch_cache_leaf(unsigned cpu, unsigned index, struct cache_leaf *leaf);
