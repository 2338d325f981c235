/*
 * Management of the ring buffer: allocation, reset, resize, recording switches and statistics. Read
 * trace/ring_buffer/internal.h first.
 */
#include "kernel/errno.h"
#include "trace/ring_buffer/internal.h"

void rb_set_shape(struct ring_buffer_per_cpu *cb, u32 nr_slots, u32 order)
{
	u32 last_index = (1U << RB_INDEX_BITS) - 1;

	cb->nr_slots = nr_slots;
	cb->seq_limit = RB_SEQ_NUMBERS / nr_slots * nr_slots;
	__atomic_store_n(&cb->order, order, __ATOMIC_RELAXED);
	cb->offset_mask = (RB_PAGE_SIZE << order) - 1;
	cb->pages_mask = last_index >> order << order << RB_PAGE_STRUCT_SHIFT;
	cb->data_size = (RB_PAGE_SIZE << order) - RB_PAGE_HEADER;
}

/* Returns the index of the n-th page. */
static u32 rb_nth_index(const struct ring_buffer_per_cpu *cb, u32 n)
{
	return n << cb->order;
}

static struct buffer_page *rb_nth_page(const struct ring_buffer_per_cpu *cb, u32 n)
{
	return &cb->pages[rb_nth_index(cb, n)];
}

/* Gives the CPU the pages and slots of another ring, and what follows from their number. */
static void rb_set_ring(struct ring_buffer_per_cpu *cb, const struct ring_buffer_per_cpu *ring)
{
	rb_set_shape(cb, ring->nr_slots, ring->order);
	cb->pages = ring->pages;
	cb->slots = ring->slots;
	cb->quick_end = 0;
}

/* Frees the data of a ring. Its pages may be missing. */
static void rb_free_data(struct ring_buffer_per_cpu *cb)
{
	for (u32 i = 0; cb->pages && i <= cb->nr_slots; i++)
		if (rb_nth_page(cb, i)->data)
			rb_free_ring_pages(rb_nth_page(cb, i)->data, cb->order);
}

/* Frees the ring. Its pages and slots may be missing. */
static void rb_free_ring(struct ring_buffer_per_cpu *cb)
{
	const void *arrays[] = { cb->pages, cb->slots };

	rb_free_data(cb);
	rb_free_arrays(arrays, ARRAY_SIZE(arrays));
}

/* Allocates a ring for the CPU. The caller frees the old ring, if any. Returns 0 or -ENOMEM. */
static int rb_alloc_ring(struct ring_buffer_per_cpu *cb, u32 nr_slots, u32 order)
{
	struct ring_buffer_per_cpu ring = { 0 };

	rb_set_shape(&ring, nr_slots, order);
	ring.pages = rb_alloc_array((nr_slots + 1UL) << order, sizeof(*ring.pages));
	ring.slots = rb_alloc_array(nr_slots, sizeof(*ring.slots));
	if (!ring.pages || !ring.slots)
		goto fail;
	for (u32 i = 0; i <= nr_slots; i++) {
		rb_nth_page(&ring, i)->data = rb_alloc_ring_pages(order);
		if (!rb_nth_page(&ring, i)->data)
			goto fail;
	}
	rb_set_ring(cb, &ring);
	return 0;

fail:
	rb_free_ring(&ring);
	return -ENOMEM;
}

/* Returns the position before sub-buffer 0, which is on page 0. */
static struct rb_position rb_position_before_first(const struct ring_buffer_per_cpu *cb)
{
	return (struct rb_position){ rb_seq_sub(cb, 0, 1), cb->pages[0].first };
}

/* Returns the word of slot i with the i-th page as a spare. */
static u64 rb_spare_slot(const struct ring_buffer_per_cpu *cb, u32 i)
{
	return rb_place(rb_seq_sub(cb, i, cb->nr_slots), rb_nth_index(cb, i), 0) | RB_SLOT_SPARE;
}

/*
 * Makes the ring empty: the tail is sub-buffer 0, and all other slots hold spare pages with the
 * numbers before 0. No writer runs. [M]
 */
void rb_init_ring(struct ring_buffer_per_cpu *cb)
{
	for (u32 i = 0; i < cb->nr_slots; i++)
		cb->slots[i] = rb_spare_slot(cb, i);
	cb->slots[0] = rb_place(0, 0, 0);
	for (u32 i = 0; i <= cb->nr_slots; i++) {
		struct buffer_page *page = rb_nth_page(cb, i);

		page->entries = 0;
		page->first = 0;
		page->final = 0;
	}
	cb->tail = (struct local_pair){ 0, 0 };
	cb->quick_end = 0;
	__atomic_store_n(&cb->commit, 0, __ATOMIC_RELEASE);
	cb->overrun = cb->commit_overrun = cb->dropped_events = cb->written = 0;
	cb->reader_index = rb_nth_index(cb, cb->nr_slots);
	cb->reader_active = false;
	cb->reader_pos = rb_position_before_first(cb);
	cb->read = 0;
	cb->read_stamp = cb->read_entries = cb->expected = cb->lost = 0;
	cb->read_events = cb->read_bytes = 0;
}

void rb_quiesce(struct ring_buffer_per_cpu *cb, u32 why)
{
	__atomic_fetch_add(&cb->record_disabled, why, __ATOMIC_SEQ_CST);
	rb_sync_cpu(cb->cpu);
	/* A writer has preemption off, so it leaves soon. The acquire pairs with its last store. */
	while (__atomic_load_n(&cb->nest, __ATOMIC_ACQUIRE))
		rb_relax();
}

void rb_resume(struct ring_buffer_per_cpu *cb, u32 why)
{
	__atomic_fetch_sub(&cb->record_disabled, why, __ATOMIC_SEQ_CST);
}

static u32 rb_slots_for(size_t size, u32 order)
{
	size_t slots = DIV_ROUND_UP(size, RB_PAGE_SIZE << order);

	return (u32)min_t(size_t, max_t(size_t, slots, 2), (RB_MAX_SLOTS + 2) / (1U << order) - 2);
}

struct trace_buffer *rb_alloc_buffer(u32 flags)
{
	unsigned nr_cpus = rb_nr_cpus();
	struct trace_buffer *buffer = rb_alloc(sizeof(*buffer) + nr_cpus * sizeof(buffer->cpus[0]));

	if (!buffer)
		return NULL;
	buffer->flags = flags;
	buffer->nr_cpus = nr_cpus;
	buffer->clock = rb_default_clock;
	rb_wait_queue_init(&buffer->waiters);
	rb_mutex_init(&buffer->map_lock);
	return buffer;
}

void rb_init_cpu(struct ring_buffer_per_cpu *cb, struct trace_buffer *buffer, unsigned cpu)
{
	buffer->cpus[cpu] = cb;
	cb->buffer = buffer;
	cb->cpu = cpu;
	rb_lock_init(&cb->reader_lock);
	rb_waker_init(&cb->waker, &buffer->waiters);
}

struct trace_buffer *ring_buffer_alloc(size_t size, u32 flags)
{
	struct trace_buffer *buffer = rb_alloc_buffer(flags);

	if (!buffer)
		return NULL;
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		struct ring_buffer_per_cpu *cb;

		if (!rb_cpu_present(cpu))
			continue;
		cb = rb_alloc_aligned(sizeof(*cb));
		if (!cb)
			goto fail;
		rb_init_cpu(cb, buffer, cpu);
		if (rb_alloc_ring(cb, rb_slots_for(size, 0), 0))
			goto fail;
		rb_init_ring(cb);
	}
	return buffer;

fail:
	ring_buffer_free(buffer);
	return NULL;
}

/* The part is freed before its partner. */
static void rb_leave_partner(struct ring_buffer_per_cpu *cb)
{
	struct ring_buffer_per_cpu *partner = cb->partner;

	if (!partner)
		return;
	partner->partner = NULL;
	rb_waker_join(&partner->waker, NULL);
	rb_waker_sync(&partner->waker);
}

void ring_buffer_free(struct trace_buffer *buffer)
{
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];

		if (!cb)
			continue;
		rb_leave_partner(cb);
		rb_waker_destroy(&cb->waker);
		if (buffer->flags & RB_FL_PERSISTENT)
			continue; /* all of it is in the area */
		rb_free_ring(cb);
		rb_free(cb);
	}
	rb_free(buffer);
}

/* Returns the slot's word of the sub-buffer that comes n before seq. */
static u64 rb_slot_before(const struct ring_buffer_per_cpu *cb, u32 seq, u32 n)
{
	return cb->slots[rb_seq_sub(cb, seq, n) % cb->nr_slots];
}

/* Exchanges the data pages of two buffer pages, and copies the counts. */
static void rb_move_page(struct buffer_page *to, struct buffer_page *from)
{
	struct buffer_data_page *data = to->data;

	*to = *from;
	from->data = data;
}

/* Empties the ring and clears the counts. No writer runs. [M] */
static void rb_reset_ring(struct ring_buffer_per_cpu *cb)
{
	rb_init_ring(cb);
	cb->resets++;
	if (cb->was_reset)
		cb->was_reset(cb);
}

/*
 * Moves the reader's page, and as many of the newest sub-buffers as fit, from the old ring to the
 * new one. The new ring numbers the sub-buffers from 0. No writer runs. [M]
 */
static void rb_move_ring(struct ring_buffer_per_cpu *cb, struct ring_buffer_per_cpu *old)
{
	u32 tail_seq = rb_seq(old->tail.lo);
	bool tail_is_readers = rb_commit_in_reader_page(old, old->tail.lo);
	s64 unread = rb_position_diff(old, rb_position(old, old->tail.lo), rb_reader_next(old)) + 1;
	u32 count = (u32)min(unread, (s64)old->nr_slots), kept;

	for (; count > cb->nr_slots; count--) {
		u64 word = rb_slot_before(old, tail_seq, count - 1);
		struct buffer_page *page = rb_page(old, word);

		cb->overrun += page->entries;
	}
	cb->reader_index = rb_nth_index(cb, cb->nr_slots);
	rb_move_page(&cb->pages[cb->reader_index], &old->pages[old->reader_index]);
	for (kept = 0; kept < count; kept++) {
		u64 word = rb_slot_before(old, tail_seq, count - 1 - kept);

		rb_move_page(rb_nth_page(cb, kept), rb_page(old, word));
		cb->slots[kept] = rb_place(kept, rb_nth_index(cb, kept), 0);
	}
	for (u32 i = kept; i < cb->nr_slots; i++)
		cb->slots[i] = rb_spare_slot(cb, i);
	if (tail_is_readers) {
		/* The reader holds sub-buffer 0, so the slot holds a spare page. */
		cb->reader_pos = (struct rb_position){ 0, cb->pages[cb->reader_index].first };
		cb->slots[0] = rb_place(0, 0, 0) | RB_SLOT_SPARE;
		cb->tail.lo = rb_place(0, cb->reader_index, (u32)rb_offset(old, old->tail.lo));
	} else {
		cb->reader_pos = rb_position_before_first(cb);
		cb->tail.lo = rb_place(kept - 1, rb_nth_index(cb, kept - 1),
				       (u32)rb_offset(old, old->tail.lo));
	}
	cb->tail.hi = old->tail.hi;
	__atomic_store_n(&cb->commit, cb->tail.lo, __ATOMIC_RELEASE);
}

/*
 * Exchanges the ring of one CPU for `ring`. Keeps the events, if the sub-buffers keep their size;
 * else empties the ring and clears the counts. Task context; takes the reader lock.
 */
static void rb_exchange_ring(struct ring_buffer_per_cpu *cb, struct ring_buffer_per_cpu *ring)
{
	bool keep = cb->order == ring->order;
	/* Without RB_CHANGING the writers that come do not count what is cleared here. */
	u32 why = keep ? RB_CHANGING : 1;
	struct ring_buffer_per_cpu old = { 0 };
	unsigned long flags;

	rb_quiesce(cb, why);
	flags = rb_reader_lock(cb);
	rb_set_ring(&old, cb);
	old.tail = cb->tail;
	old.reader_index = cb->reader_index;
	old.reader_pos = cb->reader_pos;
	old.reader_active = cb->reader_active;
	rb_set_ring(cb, ring);
	if (keep)
		rb_move_ring(cb, &old);
	else
		rb_reset_ring(cb);
	cb->generation++;
	rb_reader_unlock(cb, flags);
	rb_resume(cb, why);
	rb_waker_raise(&cb->waker); /* a request for a sub-buffer needs the new number */
	rb_set_ring(ring, &old);
}

/* What a change of the size works with, for each CPU: its new ring, then its old one. */
struct rb_resizing {
	struct ring_buffer_per_cpu *rings; /* without pages: the CPU's ring does not change */
	const void **arrays;               /* memory for rb_free_resizing(): two for each CPU */
	unsigned nr_cpus;
};

static int rb_alloc_resizing(struct rb_resizing *r, unsigned nr_cpus)
{
	r->nr_cpus = nr_cpus;
	r->rings = rb_alloc_array(nr_cpus, sizeof(*r->rings));
	r->arrays = rb_alloc(2 * nr_cpus * sizeof(*r->arrays));
	return r->rings && r->arrays ? 0 : -ENOMEM;
}

/* All arrays at once: a flush of the TLBs waits for each CPU that has interrupts off. */
static void rb_free_resizing(struct rb_resizing *r)
{
	for (unsigned i = 0; r->rings && r->arrays && i < r->nr_cpus; i++) {
		rb_free_data(&r->rings[i]);
		r->arrays[2 * i] = r->rings[i].pages;
		r->arrays[2 * i + 1] = r->rings[i].slots;
	}
	if (r->arrays)
		rb_free_arrays(r->arrays, 2 * r->nr_cpus);
	rb_free_array(r->rings);
	rb_free(r->arrays);
}

/*
 * Changes the sizes of one CPU's or all CPUs' rings and of their sub-buffers. size 0: each ring
 * keeps its size, rounded up.
 */
static int rb_resize(struct trace_buffer *buffer, size_t size, u32 order, int cpu)
{
	struct rb_resizing r;
	int error = rb_alloc_resizing(&r, buffer->nr_cpus);

	rb_mutex_lock(&buffer->map_lock); /* what a program maps keeps its size */
	if (buffer->flags & RB_FL_PERSISTENT)
		error = -EBUSY;
	/* Allocate the memory of all CPUs first: a failure must change nothing. */
	for (unsigned i = 0; i < buffer->nr_cpus && !error; i++) {
		const struct ring_buffer_per_cpu *cb = buffer->cpus[i];
		u32 nr_slots;

		if (!cb || (cpu != RING_BUFFER_ALL_CPUS && cpu != (int)i))
			continue;
		nr_slots = rb_slots_for(size ? size : ring_buffer_size(buffer, i), order);
		if (cb->mapped)
			error = -EBUSY;
		else if (cb->nr_slots != nr_slots || cb->order != order)
			error = rb_alloc_ring(&r.rings[i], nr_slots, order);
	}
	for (unsigned i = 0; i < buffer->nr_cpus && !error; i++)
		if (r.rings[i].pages)
			rb_exchange_ring(buffer->cpus[i], &r.rings[i]);
	rb_mutex_unlock(&buffer->map_lock);
	rb_free_resizing(&r);
	return error;
}

/* Returns the part of a CPU that exists. All have sub-buffers of the same size. */
static const struct ring_buffer_per_cpu *rb_any_cpu(struct trace_buffer *buffer)
{
	unsigned cpu = 0;

	while (!buffer->cpus[cpu])
		cpu++;
	return buffer->cpus[cpu];
}

int ring_buffer_resize(struct trace_buffer *buffer, size_t size, int cpu)
{
	return rb_resize(buffer, max(size, (size_t)1), rb_any_cpu(buffer)->order, cpu);
}

int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, unsigned order)
{
	if (order > RB_ORDER_MAX)
		return -EINVAL;
	return rb_resize(buffer, 0, order, RING_BUFFER_ALL_CPUS);
}

int ring_buffer_shrink(struct trace_buffer *buffer)
{
	return rb_resize(buffer, 1, 0, RING_BUFFER_ALL_CPUS);
}

unsigned ring_buffer_subbuf_order_get(struct trace_buffer *buffer)
{
	return rb_order(rb_any_cpu(buffer));
}

size_t ring_buffer_subbuf_size_get(struct trace_buffer *buffer)
{
	return (size_t)RB_PAGE_SIZE << ring_buffer_subbuf_order_get(buffer);
}

size_t ring_buffer_size(struct trace_buffer *buffer, unsigned cpu)
{
	const struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];

	return ((size_t)cb->nr_slots * RB_PAGE_SIZE) << cb->order;
}

void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned cpu)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	unsigned long flags;

	rb_quiesce(cb, 1);
	flags = rb_reader_lock(cb);
	rb_reset_ring(cb);
	cb->generation++;
	rb_reader_unlock(cb, flags);
	rb_resume(cb, 1);
	rb_waker_raise(&cb->waker);
}

void ring_buffer_reset(struct trace_buffer *buffer)
{
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++)
		if (buffer->cpus[cpu])
			ring_buffer_reset_cpu(buffer, cpu);
}

void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite)
{
	if (overwrite)
		__atomic_fetch_or(&buffer->flags, RB_FL_OVERWRITE, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&buffer->flags, ~RB_FL_OVERWRITE, __ATOMIC_RELAXED);
}

void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void))
{
	__atomic_store_n(&buffer->clock, clock, __ATOMIC_RELAXED);
	for (unsigned cpu = 0; cpu < buffer->nr_cpus; cpu++)
		if (buffer->cpus[cpu])
			__atomic_store_n(&buffer->cpus[cpu]->quick_end, 0, __ATOMIC_RELAXED);
}

u64 ring_buffer_time_stamp(struct trace_buffer *buffer)
{
	return buffer->clock();
}

void ring_buffer_record_disable(struct trace_buffer *buffer)
{
	__atomic_fetch_add(&buffer->record_disabled, 1, __ATOMIC_SEQ_CST);
}

void ring_buffer_record_enable(struct trace_buffer *buffer)
{
	__atomic_fetch_sub(&buffer->record_disabled, 1, __ATOMIC_SEQ_CST);
}

void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned cpu)
{
	__atomic_fetch_add(&buffer->cpus[cpu]->record_disabled, 1, __ATOMIC_SEQ_CST);
}

void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned cpu)
{
	__atomic_fetch_sub(&buffer->cpus[cpu]->record_disabled, 1, __ATOMIC_SEQ_CST);
}

void ring_buffer_record_on(struct trace_buffer *buffer)
{
	__atomic_store_n(&buffer->record_off, 0, __ATOMIC_SEQ_CST);
}

void ring_buffer_record_off(struct trace_buffer *buffer)
{
	__atomic_store_n(&buffer->record_off, 1, __ATOMIC_SEQ_CST);
}

void ring_buffer_cpu_stats(struct trace_buffer *buffer, unsigned cpu,
			   struct ring_buffer_stats *stats)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	struct rb_position next;
	u64 word, *slot, commit;
	unsigned long flags;

	flags = rb_reader_lock(cb);
	*stats = (struct ring_buffer_stats){
		.overrun = READ_ONCE(cb->overrun),
		.commit_overrun = READ_ONCE(cb->commit_overrun),
		.dropped_events = READ_ONCE(cb->dropped_events),
		.read_events = cb->read_events,
		.written = READ_ONCE(cb->written),
	};
	stats->entries = stats->written - stats->overrun - stats->read_events;
	if (cb->reader_active && rb_reader_committed(cb) > cb->read) {
		stats->bytes = rb_reader_committed(cb) - cb->read;
		stats->oldest_event_ts = cb->pages[cb->reader_index].data->time_stamp;
	}
	commit = __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE);
	for (next = rb_reader_next(cb); rb_oldest(cb, next, &word, &slot);
	     next = (struct rb_position){ rb_seq_add(cb, next.seq, 1), next.first }) {
		struct buffer_page *page = rb_page(cb, word);

		next = rb_position(cb, word);
		if (!stats->oldest_event_ts)
			stats->oldest_event_ts = READ_ONCE(page->data->time_stamp);
		stats->bytes += rb_committed(cb, rb_seq(word), rb_index(cb, word));
		if (rb_seq(word) == rb_seq(commit))
			break;
	}
	rb_reader_unlock(cb, flags);
}
