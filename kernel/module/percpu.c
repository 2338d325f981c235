/*
 * The per-CPU variables of modules. The kernel's per-CPU section ends with a part that no variable
 * of the kernel uses; the variables of a module get addresses there. So they are reached like those
 * of the kernel (arch/cpu/percpu.h), and each CPU has its copy already.
 */
#include "arch/cpu/percpu.h"
#include "kernel/compiler.h"
#include "kernel/lib/string.h"
#include "kernel/module/internal.h"
#include "kernel/sched/mutex.h"
#include "kernel/sections.h"

#define UNIT      PERCPU_ALIGN
#define MAX_UNITS 512

static DEFINE_MUTEX(percpu_mutex); /* a leaf */
static bool used[MAX_UNITS];       /* [percpu_mutex] units of the reserve */

static unsigned nr_units(void)
{
	return min((unsigned)((__per_cpu_end - __per_cpu_reserve) / UNIT), (unsigned)MAX_UNITS);
}

/* Returns the first of count free units, or nr_units(). [percpu_mutex] */
static unsigned find_free(unsigned count)
{
	unsigned run = 0;

	for (unsigned i = 0; i < nr_units(); i++) {
		run = used[i] ? 0 : run + 1;
		if (run == count)
			return i + 1 - count;
	}
	return nr_units();
}

unsigned long module_percpu_alloc(size_t size)
{
	size_t count = DIV_ROUND_UP(size, UNIT);
	unsigned first;

	if (count > nr_units())
		return 0;
	mutex_lock(&percpu_mutex);
	first = find_free((unsigned)count);
	if (first < nr_units())
		memset(&used[first], true, count);
	mutex_unlock(&percpu_mutex);
	return first < nr_units() ? (unsigned long)__per_cpu_reserve + first * UNIT : 0;
}

void module_percpu_free(struct module_memory *percpu)
{
	if (!percpu->base)
		return;
	mutex_lock(&percpu_mutex);
	memset(&used[(percpu->base - (unsigned long)__per_cpu_reserve) / UNIT], false,
	       DIV_ROUND_UP(percpu->size, UNIT));
	mutex_unlock(&percpu_mutex);
	percpu->base = percpu->size = 0;
}

void module_percpu_set(const struct module_memory *percpu, const u8 *image)
{
	unsigned cpu;

	if (!percpu->base)
		return;
	for_each_possible_cpu (cpu)
		memcpy((void *)per_cpu_ptr(percpu->base, cpu), image, percpu->size);
}
