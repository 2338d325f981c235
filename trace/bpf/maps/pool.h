/*
 * A pool of elements of one size, for maps: taken and given back in any context, without a lock.
 *
 * The free elements are a list whose first one is in `top`. A CPU takes it by one cmpxchg. Between
 * its load and its cmpxchg another CPU may take that element and the next one, and give the first
 * one back: then top holds the same number, but a next element that is not free. So top also counts
 * how often it has changed, and the cmpxchg fails (the ABA problem).
 *
 * Elements are reused at once, not after a grace period: readers of a map may find another element
 * than they looked for. Their memory is given back with the map, not before.
 *
 * Elements come in chunks of one size. A map with BPF_F_NO_PREALLOC has one chunk at first. More
 * are made when few elements are left: by a system call before it updates (bpf_pool_prepare()), or
 * by a worker, which a program wakes by an irq_work, because a program cannot allocate memory.
 */
#pragma once

#include "kernel/irq/irq_work.h"
#include "kernel/sched/mutex.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/bpf/maps/types.h"

#define BPF_POOL_MAX (1U << 30) /* elements, so that numbers plus 1 have 32 bits */

/* The first member of each element. */
struct bpf_pool_elem {
	u32 number;    /* [C] from 0 */
	u32 next_free; /* [A] the number of the next free element plus 1; 0: none */
};

/* Legend: [C] constant; [A] atomic; [G] grow_lock to write, atomic to read. */
struct bpf_pool {
	u64 top;          /* [A] changes << 32 | number of the first free element plus 1; 0: none */
	atomic_t nr_free; /* [A] about */
	u32 elem_size;    /* [C] bytes, a multiple of 8 */
	u32 percpu_size;  /* [C] bytes of the value that each CPU has; 0: none */
	u64 percpu_stride; /* [C] bytes from one CPU's value to the next one's */
	u32 limit;         /* [C] elements at most */
	u32 chunk_shift;   /* [C] log2 of the elements of a chunk; the last one may have fewer */
	u32 nr_chunks;     /* [G] */
	u32 max_chunks;    /* [C] */
	u8 **chunks;       /* [G] [max_chunks]: elements, and behind them the values of the CPUs */
	struct bpf_map *map; /* [C] pays */
	struct mutex grow_lock;
	struct irq_work irq_work;
	struct work_struct work;
};

struct bpf_pool_layout {
	struct bpf_map *map;
	u32 limit; /* elements, 1 to BPF_POOL_MAX */
	u32 elem_size, percpu_size;
	bool grows; /* false: all elements now */
};

/* 0 or -ENOMEM: then there is nothing to destroy. Task context. */
int bpf_pool_init(struct bpf_pool *pool, const struct bpf_pool_layout *layout);
/* No CPU uses the pool. Task context. */
void bpf_pool_destroy(struct bpf_pool *pool);
/* Tries to have some free elements, if the pool grows. Task context. */
void bpf_pool_prepare(struct bpf_pool *pool);

/* NULL: none is free now. Any context. */
struct bpf_pool_elem *bpf_pool_take(struct bpf_pool *pool);
/* No new reader can find the element. Any context. */
void bpf_pool_give(struct bpf_pool *pool, struct bpf_pool_elem *elem);
/* The element of a number below limit; NULL: not allocated yet. Any context. */
struct bpf_pool_elem *bpf_pool_elem(const struct bpf_pool *pool, u32 number);
/* Elements that may be taken for a moment, beyond those of the map: two for each CPU. */
u32 bpf_pool_spares(void);
/* The value of CPU 0 of an element. */
u8 *bpf_pool_percpu(const struct bpf_pool *pool, const struct bpf_pool_elem *elem);
