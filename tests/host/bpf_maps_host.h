/*
 * What the maps of eBPF need, on the host: four CPUs, memory that is counted, and workers that run when the
 * test says so.
 */
#pragma once

#include "host_kmalloc.h"
#include "kernel/errno.h"
#include "kernel/irq/irq_work.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"

#define HOST_NR_CPUS 4

__thread unsigned host_cpu;
unsigned nr_cpu_ids = HOST_NR_CPUS;
struct cpumask cpu_possible_mask = { { (1 << HOST_NR_CPUS) - 1 } };

void host_set_capabilities(u64 caps); /* bpf_maps_task.c: of the current task */

void preempt_schedule(void)
{
}

/* ---- memory ---- */

static u64 host_free_memory = 1ULL << 30;

void si_meminfo(struct meminfo *info)
{
	*info = (struct meminfo){ .total = 1ULL << 30, .free = host_free_memory };
}

void *kvzalloc(size_t size, gfp_t gfp)
{
	return __kmalloc(size, gfp | __GFP_ZERO);
}

void kvfree(const void *addr)
{
	kfree(addr);
}

struct page *alloc_pages(gfp_t gfp, unsigned order)
{
	(void)order;
	return __kmalloc(sizeof(struct page), gfp);
}

void free_pages(struct page *page, unsigned order)
{
	(void)order;
	kfree(page);
}

void *vmap(struct page *const *pages, size_t count)
{
	(void)pages;
	return __kmalloc(count * PAGE_SIZE, __GFP_ZERO);
}

void vunmap(const void *addr)
{
	kfree(addr);
}

void get_random_bytes(void *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((u8 *)buf)[i] = (u8)random();
}

/* ---- later ---- */

static struct work_struct *host_work; /* the one that is queued */

void INIT_WORK(struct work_struct *work, work_func_t func)
{
	*work = (struct work_struct){ .func = func };
}

bool schedule_work(struct work_struct *work)
{
	return __atomic_exchange_n(&host_work, work, __ATOMIC_ACQ_REL) != work;
}

bool cancel_work_sync(struct work_struct *work)
{
	struct work_struct *queued = work;

	return __atomic_compare_exchange_n(&host_work, &queued, NULL, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Runs the work that is queued. */
static inline void host_run_work(void)
{
	struct work_struct *work = __atomic_exchange_n(&host_work, NULL, __ATOMIC_ACQ_REL);

	if (work)
		work->func(work);
}

bool irq_work_queue(struct irq_work *work)
{
	work->func(work);
	return true;
}

void irq_work_sync(struct irq_work *work)
{
	(void)work;
}

/* ---- programs ---- */

typedef u64 host_callback_t(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

u64 bpf_call_callback(const void *callback, u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)
{
	return ((host_callback_t *)callback)(r1, r2, r3, r4, r5);
}

/* ---- maps, as bpf(2) makes and uses them ---- */

static inline struct bpf_map *try_map(const union bpf_attr *attr)
{
	const struct bpf_map_ops *ops = bpf_find_map_type(attr->map_type);
	int error = ops->alloc_check ? ops->alloc_check(attr) : 0;

	return error ? ERR_PTR(error) : ops->alloc(attr);
}

static inline struct bpf_map *new_map(u32 type, u32 key_size, u32 value_size, u32 max_entries,
				      u32 flags)
{
	union bpf_attr attr = { .map_type = type, .key_size = key_size, .value_size = value_size,
				.max_entries = max_entries, .map_flags = flags };

	return try_map(&attr);
}

static inline int create(u32 type, u32 key_size, u32 value_size, u32 max_entries, u32 flags)
{
	struct bpf_map *map = new_map(type, key_size, value_size, max_entries, flags);

	if (IS_ERR(map))
		return (int)PTR_ERR(map);
	map->ops->free(map);
	return 0;
}

static inline long update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
	return map->ops->update(map, key, value, flags);
}

static inline void *lookup(struct bpf_map *map, const void *key)
{
	return map->ops->lookup(map, key);
}
