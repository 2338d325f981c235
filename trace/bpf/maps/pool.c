/* Pools of elements: pool.h explains them. */
#include "trace/bpf/maps/pool.h"

#include "kernel/errno.h"
#include "kernel/lib/bitops.h"

/* Of a pool that grows: log2 of the elements of a chunk. */
#define MIN_CHUNK_SHIFT 6
#define MAX_CHUNK_SHIFT 12 /* more if there were too many chunks */
#define MAX_CHUNKS      65536

u32 bpf_pool_spares(void)
{
	return 2 * nr_cpu_ids;
}

/* ---- numbers and elements ---- */

static u32 elems_of_chunk(const struct bpf_pool *pool, u32 chunk)
{
	u32 first = chunk << pool->chunk_shift;

	return min(1U << pool->chunk_shift, pool->limit - first);
}

struct bpf_pool_elem *bpf_pool_elem(const struct bpf_pool *pool, u32 number)
{
	u8 *chunk = smp_load_acquire(&pool->chunks[number >> pool->chunk_shift]);
	u64 place = number & ((1U << pool->chunk_shift) - 1);

	return chunk ? (struct bpf_pool_elem *)(chunk + place * pool->elem_size) : NULL;
}

u8 *bpf_pool_percpu(const struct bpf_pool *pool, const struct bpf_pool_elem *elem)
{
	u32 chunk = elem->number >> pool->chunk_shift;
	u64 elems = ALIGN((u64)elems_of_chunk(pool, chunk) * pool->elem_size, BPF_PERCPU_ALIGN);
	u64 place = elem->number & ((1U << pool->chunk_shift) - 1);

	return pool->chunks[chunk] + elems + place * ALIGN((u64)pool->percpu_size, 8);
}

static u64 chunk_bytes(const struct bpf_pool *pool, u32 chunk)
{
	u64 elems = ALIGN((u64)elems_of_chunk(pool, chunk) * pool->elem_size, BPF_PERCPU_ALIGN);

	return elems + nr_cpu_ids * pool->percpu_stride;
}

/* ---- taking and giving ---- */

static void wake_worker(struct irq_work *work)
{
	schedule_work(&container_of(work, struct bpf_pool, irq_work)->work);
}

/* Less than half a chunk is free, and there can be another chunk. */
static inline bool wants_chunk(const struct bpf_pool *pool)
{
	return atomic_read(&pool->nr_free) < (int)(1U << pool->chunk_shift >> 1) &&
	       __atomic_load_n(&pool->nr_chunks, __ATOMIC_RELAXED) < pool->max_chunks;
}

struct bpf_pool_elem *bpf_pool_take(struct bpf_pool *pool)
{
	struct bpf_pool_elem *elem = NULL;
	/* LAB 17: Between the load of top and the cmpxchg, others may take and give back. */
	u64 top = smp_load_acquire(&pool->top), next;

	do {
		elem = NULL;
		if (!(u32)top)
			break;
		elem = bpf_pool_elem(pool, (u32)top - 1);
		next = ((top >> 32) + 1) << 32 |
		       __atomic_load_n(&elem->next_free, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(&pool->top, &top, next, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	/* END LAB 17 */
	if (elem)
		atomic_dec(&pool->nr_free);
	if (unlikely(wants_chunk(pool)))
		irq_work_queue(&pool->irq_work);
	return elem;
}

/* Puts a chain of n elements in front of the list. */
static void give_chain(struct bpf_pool *pool, struct bpf_pool_elem *first,
		       struct bpf_pool_elem *last, u32 n)
{
	/*
	 * LAB 17: The last element of the chain leads to the one that was first. Starts as:
	 * (void)first, (void)last;
	 */
	u64 top = __atomic_load_n(&pool->top, __ATOMIC_RELAXED), new;

	do {
		__atomic_store_n(&last->next_free, (u32)top, __ATOMIC_RELAXED);
		new = ((top >> 32) + 1) << 32 | (first->number + 1);
	} while (!__atomic_compare_exchange_n(&pool->top, &top, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	/* END LAB 17 */
	atomic_add((int)n, &pool->nr_free);
}

void bpf_pool_give(struct bpf_pool *pool, struct bpf_pool_elem *elem)
{
	give_chain(pool, elem, elem, 1);
}

/* ---- growing ---- */

/* Makes the next chunk. 0 or -ENOMEM. G held. */
static int add_chunk(struct bpf_pool *pool)
{
	u32 chunk = pool->nr_chunks, first = chunk << pool->chunk_shift,
	    n = elems_of_chunk(pool, chunk);
	u8 *memory = bpf_map_area_alloc(pool->map, chunk_bytes(pool, chunk));

	if (!memory)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		struct bpf_pool_elem *elem =
			(struct bpf_pool_elem *)(memory + (u64)i * pool->elem_size);

		elem->number = first + i;
		elem->next_free = first + i + 2; /* give_chain() sets that of the last one */
	}
	smp_store_release(&pool->chunks[chunk], memory);
	__atomic_store_n(&pool->nr_chunks, chunk + 1, __ATOMIC_RELAXED);
	give_chain(pool, bpf_pool_elem(pool, first), bpf_pool_elem(pool, first + n - 1), n);
	return 0;
}

/* Without memory it does nothing: the update that finds no element fails. */
void bpf_pool_prepare(struct bpf_pool *pool)
{
	if (!wants_chunk(pool))
		return;
	mutex_lock(&pool->grow_lock);
	if (wants_chunk(pool))
		(void)add_chunk(pool);
	mutex_unlock(&pool->grow_lock);
}

static void grow(struct work_struct *work)
{
	bpf_pool_prepare(container_of(work, struct bpf_pool, work));
}

/* ---- making and destroying ---- */

/* A sixteenth of all elements, within limits; of a pool that does not grow: all. */
static u32 choose_chunk_shift(const struct bpf_pool_layout *layout)
{
	u32 all = fls64(layout->limit - 1), shift = fls64(layout->limit / 16);

	if (!layout->grows)
		return all;
	shift = min(max(shift, (u32)MIN_CHUNK_SHIFT), (u32)MAX_CHUNK_SHIFT);
	return min(all, max(shift, (u32)fls64(layout->limit / MAX_CHUNKS)));
}

int bpf_pool_init(struct bpf_pool *pool, const struct bpf_pool_layout *layout)
{
	*pool = (struct bpf_pool){
		.elem_size = layout->elem_size,
		.percpu_size = layout->percpu_size,
		.limit = layout->limit,
		.chunk_shift = choose_chunk_shift(layout),
		.map = layout->map,
	};
	pool->max_chunks = ((layout->limit - 1) >> pool->chunk_shift) + 1;
	pool->percpu_stride =
		bpf_percpu_stride(min(1U << pool->chunk_shift, layout->limit), layout->percpu_size);
	mutex_init(&pool->grow_lock);
	init_irq_work(&pool->irq_work, wake_worker);
	INIT_WORK(&pool->work, grow);
	pool->chunks = bpf_map_area_alloc(pool->map, pool->max_chunks * sizeof(*pool->chunks));
	if (!pool->chunks)
		return -ENOMEM;
	if (add_chunk(pool)) {
		bpf_pool_destroy(pool);
		return -ENOMEM;
	}
	return 0;
}

void bpf_pool_destroy(struct bpf_pool *pool)
{
	irq_work_sync(&pool->irq_work);
	cancel_work_sync(&pool->work);
	for (u32 i = 0; i < pool->nr_chunks; i++)
		bpf_map_area_free(pool->map, pool->chunks[i], chunk_bytes(pool, i));
	bpf_map_area_free(pool->map, pool->chunks, pool->max_chunks * sizeof(*pool->chunks));
}
