/*
 * The ring buffer's fast path, inline. The function tracer uses it directly to save a call; all
 * other writers call ring_buffer_lock_reserve(). Read trace/ring_buffer/internal.h first.
 * Preemption is off in all functions.
 *
 * One write, from top to bottom of the call chain:
 *
 *	rb_lock_reserve()	the function tracer begins here
 *	  rb_begin_write()	counts this writer in cb->nest
 *	  rb_reserve_begun()	claims room: moves the tail behind the new event, in one exchange
 *	(the caller fills in the event)
 *	rb_unlock_commit()
 *	  rb_end_write()	the outermost writer publishes: moves commit to the tail
 */
#pragma once

#include "trace/ring_buffer/internal.h"

#define RB_DELTA_BITS       27
#define RB_DELTA_MAX        ((1UL << RB_DELTA_BITS) - 1)
#define RB_TIME_EXTEND_SIZE 8U
/* The largest rb_data_size() of an event with its length in the header's type_len. */
#define RB_SHORT_SIZE (4U * RINGBUF_TYPE_DATA_TYPE_LEN_MAX + 4)

static __always_inline u32 rb_nest(const struct ring_buffer_per_cpu *cb)
{
	return __atomic_load_n(&cb->nest, __ATOMIC_RELAXED);
}

/* Returns bytes for payload and header; an event in the long form has its length in array[0]. */
static __always_inline u32 rb_data_size(size_t length)
{
	u32 size = (u32)ALIGN(length ? length : 1, 4) + 4;

	return size > RB_SHORT_SIZE ? size + 4 : size;
}

/*
 * Returns whether a sub-buffer can hold an event of that rb_data_size(). Counts it as dropped if
 * not.
 */
static __always_inline bool rb_fits(struct ring_buffer_per_cpu *cb, u32 base)
{
	if (base <= RB_SHORT_SIZE || base + RB_TIME_EXTEND_SIZE <= cb->data_size)
		return true;
	local_add(&cb->dropped_events, 1);
	return false;
}

/*
 * The slow parts (trace/ring_buffer/write.c). rb_move_tail() moves the tail from a full page to the
 * next one, and returns false if there is no room. rb_refuse_write() leaves without an event;
 * disabled: the value of record_disabled if that is the reason, 0 if the loss is already counted.
 */
bool rb_move_tail(struct ring_buffer_per_cpu *cb, struct local_pair tail);
void rb_refuse_write(struct ring_buffer_per_cpu *cb, u32 disabled);
/* Lets rb_reserve_quick() write in the sub-buffer of place. The outermost writer. */
void rb_set_quick(struct ring_buffer_per_cpu *cb, u64 place);
/* rb_publish() when the tail has left the sub-buffer of the last commit. */
void rb_publish_pages(struct ring_buffer_per_cpu *cb, u64 place);
/* Wake readers that wait for any event, or for sub-buffer seq (trace/ring_buffer/wait.c). */
void rb_wake(struct ring_buffer_per_cpu *cb);
void rb_wake_full(struct ring_buffer_per_cpu *cb, u32 seq);

/* Publishes the events up to the tail, which are complete. The outermost writer; nest is 1. */
static __always_inline void rb_publish(struct ring_buffer_per_cpu *cb)
{
	u64 place = READ_ONCE(cb->tail.lo);

	if (likely(rb_seq(cb->commit) == rb_seq(place)))
		__atomic_store_n(&cb->commit, place, __ATOMIC_RELEASE);
	else
		rb_publish_pages(cb, place);
}

/* Whether readers wait. Called after the outermost writer has ended. */
static __always_inline bool rb_has_waiting(const struct ring_buffer_per_cpu *cb)
{
	rb_writer_barrier();
	return rb_load_flag(cb->waiting);
}

/* Wakes readers if they wait. Called after the outermost writer has ended. */
static __always_inline void rb_wake_waiting(struct ring_buffer_per_cpu *cb)
{
	if (unlikely(rb_has_waiting(cb)))
		rb_wake(cb);
}

/*
 * Ends a write. A nested writer sets RB_NEST_MARK, so that the outermost writer publishes the event
 * for it. The outermost writer publishes until no mark has come since. Once nest is 0 the ring may
 * be replaced, so the writer must not look at the ring any more.
 */
static __always_inline void rb_end_write(struct ring_buffer_per_cpu *cb)
{
	/*
	 * LAB 7: An interrupt may come between any two instructions, and write.
	 * Starts as: local_dec32(&cb->nest);
	 */
	if (unlikely((rb_nest(cb) & ~RB_NEST_MARK) != 1)) {
		local_or32(&cb->nest, RB_NEST_MARK);
		local_dec32(&cb->nest);
		return;
	}
	do {
		__atomic_store_n(&cb->nest, 1, __ATOMIC_RELAXED);
		rb_publish(cb);
	} while (unlikely(!local_cmpxchg32(&cb->nest, 1, 0)));
	rb_wake_waiting(cb);
	/* END LAB 7 */
}

/*
 * Begins a write. False: the buffer records nothing. Afterwards rb_reserve_begun() must follow, or
 * an event of rb_reserve_quick().
 */
static __always_inline bool rb_begin_write(struct trace_buffer *buffer,
					   struct ring_buffer_per_cpu *cb)
{
	if (unlikely(rb_load_flag(buffer->record_stopped)))
		return false;
	local_inc32(&cb->nest);
	rb_writer_barrier();
	return true;
}

/*
 * Does the work of ring_buffer_lock_reserve() after rb_begin_write(). cb: this CPU's part of the
 * buffer. base: rb_data_size(length). timed: `now` is a fresh reading of the default clock. If an
 * interrupt has written since that reading, this event gets the time of the interrupt's last event.
 */
static __always_inline struct ring_buffer_event *rb_reserve_begun(struct trace_buffer *buffer,
								  struct ring_buffer_per_cpu *cb,
								  u32 base, bool timed, u64 now)
{
	/*
	 * LAB 7: Claim room and time in one exchange, and write the header of the event. Without
	 * room or with recording disabled, leave by rb_refuse_write().
	 * Starts as:
	 * (void)buffer, (void)base, (void)timed, (void)now;
	 * rb_refuse_write(cb, 0);
	 * return NULL;
	 */
	struct ring_buffer_event *event;
	struct buffer_data_page *data;
	struct local_pair tail, next;
	struct buffer_page *page;
	u32 size, disabled;
	u64 offset, delta;

	disabled = __atomic_load_n(&cb->record_disabled, __ATOMIC_ACQUIRE);
	if (unlikely(disabled))
		goto refuse;
	/*
	 * Usually the inner loop ends at its first `break`, and the exchange succeeds. The inner
	 * loop goes round once for a full page, the outer one for an interrupt that has written.
	 */
	do {
		for (;;) {
			tail.lo = READ_ONCE(cb->tail.lo);
			tail.hi = READ_ONCE(cb->tail.hi);
			next.hi = timed && likely(rb_has_default_clock(buffer))
					  ? now
					  : rb_read_clock(buffer);
			offset = rb_offset(cb, tail.lo);
			/* The page's header holds the time of the page's first event. */
			delta = offset ? next.hi - tail.hi : 0;
			if (unlikely((s64)(next.hi - tail.hi) < 0)) {
				next.hi = tail.hi; /* the clock went back: count no time */
				delta = 0;
			}
			size = base;
			if (unlikely(delta > RB_DELTA_MAX)) {
				size = base + RB_TIME_EXTEND_SIZE;
				if ((u32)offset + size <= cb->data_size)
					break;
			} else if (likely((u32)offset + base <= cb->data_size)) {
				break;
			}
			if (!rb_fits(cb, base) || !rb_move_tail(cb, tail))
				goto refuse;
		}
		next.lo = tail.lo + size;
	} while (unlikely(!local_pair_cmpxchg(&cb->tail, tail, next)));

	page = rb_page(cb, tail.lo);
	data = page->data;
	local_add(&page->entries, 1);
	if (unlikely(!offset)) {
		data->time_stamp = next.hi;
		if (rb_nest(cb) == 1)
			rb_set_quick(cb, tail.lo);
	}
	event = (struct ring_buffer_event *)(data->data + offset);
	if (unlikely(delta > RB_DELTA_MAX)) {
		event->type_len = RINGBUF_TYPE_TIME_EXTEND;
		event->time_delta = delta & RB_DELTA_MAX;
		event->array[0] = (u32)(delta >> RB_DELTA_BITS);
		event = (struct ring_buffer_event *)((u8 *)event + RB_TIME_EXTEND_SIZE);
		delta = 0;
	}
	if (likely(base <= RB_SHORT_SIZE)) {
		*(u32 *)event = (u32)delta << 5 | (base - 4) >> 2;
	} else {
		*(u32 *)event = (u32)delta << 5;
		event->array[0] = base - 4;
	}
	return event;

refuse:
	rb_refuse_write(cb, disabled);
	return NULL;
	/* END LAB 7 */
}

static __always_inline struct ring_buffer_event *rb_reserve_data(struct trace_buffer *buffer,
								 struct ring_buffer_per_cpu *cb,
								 u32 base, bool timed, u64 now)
{
	return rb_begin_write(buffer, cb) ? rb_reserve_begun(buffer, cb, base, timed, now) : NULL;
}

/* rb_reserve_data() for any length. NULL, too, if no event of any buffer can be so long. */
static __always_inline struct ring_buffer_event *__rb_lock_reserve(struct trace_buffer *buffer,
								   struct ring_buffer_per_cpu *cb,
								   size_t length, bool timed,
								   u64 now)
{
	if (unlikely(length > RB_MAX_EVENT(RB_ORDER_MAX)))
		return NULL;
	return rb_reserve_data(buffer, cb, rb_data_size(length), timed, now);
}

static __always_inline struct ring_buffer_event *
rb_lock_reserve(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cb, size_t length)
{
	return __rb_lock_reserve(buffer, cb, length, false, 0);
}

/* Does the work of ring_buffer_unlock_commit(). */
static __always_inline void rb_unlock_commit(struct ring_buffer_per_cpu *cb)
{
	local_add(&cb->written, 1);
	rb_end_write(cb);
}

/* ---- the same, with few instructions and without a call in the usual case ---- */

/*
 * Reserves room after rb_begin_write() in the usual case: the only writer, the default clock, room
 * in the sub-buffer of commit, and a last event less than RB_DELTA_MAX ago. base: at most
 * RB_SHORT_SIZE. timed and now: as above. *end: the place behind the event. NULL: it is another
 * case, and nothing has changed. It calls no function, and few values live at one time, so that
 * its caller saves few registers.
 *
 * The exchange expects the tail at commit, where the only writer finds it. So it fails if an
 * interrupt has written since.
 */
static __always_inline struct ring_buffer_event *
rb_reserve_quick(struct ring_buffer_per_cpu *cb, u32 base, bool timed, u64 now, u64 *end)
{
	/*
	 * LAB 7: One exchange, without a loop. Look at everything that is not usual before it.
	 * Starts as:
	 * (void)cb, (void)base, (void)timed, (void)now, (void)end;
	 * return NULL;
	 */
	struct ring_buffer_event *event;
	struct local_pair tail, next;
	u64 delta;

	if (unlikely(rb_load_quick_state(cb) != 1))
		return NULL;
	next.hi = timed ? now : rb_read_default_clock(cb);
	tail.lo = cb->commit;
	tail.hi = READ_ONCE(cb->tail.hi);
	next.lo = tail.lo + base;
	delta = next.hi - tail.hi; /* a high number if the clock went back */
	if (unlikely(next.lo > rb_load_flag(cb->quick_end) || delta > RB_DELTA_MAX))
		return NULL;
	if (unlikely(!local_pair_try_cmpxchg(&cb->tail, &tail, next)))
		return NULL;
	local_add(&cb->quick_page->entries, 1);
	event = (struct ring_buffer_event *)(tail.lo + cb->quick_base);
	*(u32 *)event = (u32)delta << 5 | (base - 4) >> 2;
	*end = next.lo;
	return event;
	/* END LAB 7 */
}

/*
 * Does the work of rb_end_write() for an event of rb_reserve_quick(). All before the event is
 * published, so one store publishes it, too, even if an interrupt has written behind it. False: an
 * interrupt has, and rb_end_quick() must follow. Calls no function.
 */
static __always_inline bool rb_end_write_quick(struct ring_buffer_per_cpu *cb, u64 end)
{
	/*
	 * LAB 7: Publish and leave.
	 * Starts as:
	 * (void)cb, (void)end;
	 * return false;
	 */
	__atomic_store_n(&cb->commit, end, __ATOMIC_RELEASE);
	return likely(local_dec32_is_zero(&cb->nest));
	/* END LAB 7 */
}

/*
 * Publishes what interrupts have written behind the event. They have left RB_NEST_MARK in nest, and
 * nothing else is in it. If the mark is gone, a later interrupt was the outermost writer, and has
 * published all.
 */
static __always_inline void rb_end_quick(struct ring_buffer_per_cpu *cb)
{
	/*
	 * LAB 7: Become the outermost writer again, if there is something to publish.
	 * Starts as: (void)cb;
	 */
	if (local_cmpxchg32(&cb->nest, RB_NEST_MARK, 1))
		rb_end_write(cb);
	/* END LAB 7 */
}
