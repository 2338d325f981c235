/* Sets of CPUs. */
#pragma once

#include "kernel/atomic.h"

#define NR_CPUS 256 /* 255 usable: APIC ID 255 is broadcast in xAPIC mode */

struct cpumask {
	unsigned long bits[NR_CPUS / 64];
};

extern struct cpumask cpu_possible_mask; /* all CPUs of the MADT, up to NR_CPUS */
extern struct cpumask cpu_online_mask;   /* CPUs that run; grows only during the boot */
extern unsigned nr_cpu_ids;              /* highest possible CPU number + 1 */

static inline bool cpumask_test_cpu(unsigned cpu, const struct cpumask *m)
{
	return test_bit(cpu, m->bits);
}

static inline void cpumask_set_cpu(unsigned cpu, struct cpumask *m)
{
	set_bit(cpu, m->bits);
}

static inline void cpumask_clear_cpu(unsigned cpu, struct cpumask *m)
{
	clear_bit(cpu, m->bits);
}

static inline void cpumask_clear(struct cpumask *m)
{
	*m = (struct cpumask){ { 0 } };
}

static inline void cpumask_setall(struct cpumask *m)
{
	for (unsigned i = 0; i < ARRAY_SIZE(m->bits); i++)
		m->bits[i] = ~0UL;
}

static inline unsigned cpumask_weight(const struct cpumask *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(m->bits); i++)
		for (unsigned long w = READ_ONCE(m->bits[i]); w; w &= w - 1)
			n++;
	return n;
}

static inline bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	for (unsigned i = 0; i < ARRAY_SIZE(a->bits); i++)
		if (a->bits[i] != b->bits[i])
			return false;
	return true;
}

/* The first set CPU at or after cpu, or NR_CPUS. */
static inline unsigned cpumask_next_from(unsigned cpu, const struct cpumask *m)
{
	while (cpu < NR_CPUS) {
		unsigned long w = READ_ONCE(m->bits[cpu / 64]) >> (cpu % 64);

		if (w)
			return cpu + (unsigned)__builtin_ctzl(w);
		cpu = ALIGN_DOWN(cpu, 64) + 64;
	}
	return NR_CPUS;
}

#define cpumask_first(m) cpumask_next_from(0, m)
#define cpumask_empty(m) (cpumask_first(m) >= NR_CPUS)
#define for_each_cpu(cpu, m)                                                                       \
	for ((cpu) = cpumask_first(m); (cpu) < NR_CPUS; (cpu) = cpumask_next_from((cpu) + 1, m))
#define for_each_online_cpu(cpu)   for_each_cpu (cpu, &cpu_online_mask)
#define for_each_possible_cpu(cpu) for_each_cpu (cpu, &cpu_possible_mask)
#define cpu_online(cpu)            cpumask_test_cpu(cpu, &cpu_online_mask)
#define num_online_cpus()          cpumask_weight(&cpu_online_mask)
