/*
 * A ring that programs read in their own memory, without a copy (Linux 6.10:
 * Documentation/trace/ring-buffer-map.rst). Read trace/ring_buffer/internal.h and map.h first.
 *
 * A program sees all sub-buffers of a CPU, read-only, and may read the reader's. Writers never come
 * to that one, but for the events that they still add while `commit` is in it: behind the bytes
 * that data->commit names. The program sees the other sub-buffers while they are written: what it
 * reads there means nothing, and harms only itself.
 *
 *	map_lock	a ring with areas keeps its pages: rb_resize() returns -EBUSY
 *	reader lock	who has the reader's page: GET_READER, read(2), trace_pipe, a reset
 *	pages		counted: a page outlives the ring while an entry of a page table shows it
 *
 * Writers know nothing of all this, and pay nothing.
 */
#include "kernel/errno.h"
#include "trace/ring_buffer/map.h"

/* Tells the programs what the reader has. [M] */
static void update_meta(struct ring_buffer_per_cpu *cb)
{
	struct trace_buffer_meta *meta = cb->meta;

	meta->reader.id = rb_subbuf_id(cb, cb->reader_index);
	meta->reader.read = cb->read;
	meta->reader.lost_events = cb->lost;
	meta->entries = READ_ONCE(cb->written);
	meta->overrun = READ_ONCE(cb->overrun);
	meta->read = cb->read_events;
}

/* The ring's first area: makes the page of numbers, as large as a sub-buffer. map_lock held. */
static int make_meta(struct ring_buffer_per_cpu *cb)
{
	struct trace_buffer_meta *meta = rb_alloc_ring_pages(cb->order);
	unsigned long flags;

	if (!meta)
		return -ENOMEM;
	meta->meta_page_size = meta->subbuf_size = cb->data_size + RB_PAGE_HEADER;
	meta->meta_struct_len = sizeof(*meta);
	meta->nr_subbufs = cb->nr_slots + 1;
	flags = rb_reader_lock(cb);
	cb->meta = meta;
	cb->was_reset = update_meta;
	update_meta(cb);
	rb_reader_unlock(cb, flags);
	return 0;
}

struct ring_buffer_per_cpu *ring_buffer_map(struct trace_buffer *buffer, unsigned cpu, u64 first,
					    u64 pages)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	int error = 0;
	u64 total;

	rb_mutex_lock(&buffer->map_lock);
	total = (cb->nr_slots + 2UL) << cb->order;
	if (first & (BIT(cb->order) - 1) || first >= total || pages > total - first)
		error = -EINVAL;
	else if (!cb->mapped)
		error = make_meta(cb);
	if (!error)
		cb->mapped++;
	rb_mutex_unlock(&buffer->map_lock);
	return error ? ERR_PTR(error) : cb;
}

void ring_buffer_map_dup(struct ring_buffer_per_cpu *cb)
{
	rb_mutex_lock(&cb->buffer->map_lock);
	cb->mapped++;
	rb_mutex_unlock(&cb->buffer->map_lock);
}

void ring_buffer_unmap(struct ring_buffer_per_cpu *cb)
{
	struct trace_buffer_meta *meta;
	unsigned long flags;

	rb_mutex_lock(&cb->buffer->map_lock);
	if (!--cb->mapped) {
		flags = rb_reader_lock(cb);
		meta = cb->meta;
		cb->meta = NULL;
		cb->was_reset = NULL;
		rb_reader_unlock(cb, flags);
		rb_free_ring_pages(meta, cb->order);
	}
	rb_mutex_unlock(&cb->buffer->map_lock);
}

void *ring_buffer_mapped_page(const struct ring_buffer_per_cpu *cb, u64 number)
{
	u64 subbuf = number >> cb->order, page = number & (BIT(cb->order) - 1);
	u8 *start = subbuf ? rb_subbuf(cb, (u32)subbuf - 1) : (void *)cb->meta;

	return start + page * RB_PAGE_SIZE;
}

/*
 * Writes the head of the reader's sub-buffer, which a program reads in place. The number of lost
 * events goes behind the data, if writers have left the sub-buffer and there is room. `length` is
 * older than this look at commit: writers may have added events behind it before they left. [M]
 */
static void publish_page(struct ring_buffer_per_cpu *cb, u32 length)
{
	const struct buffer_page *page = &cb->pages[cb->reader_index];
	struct buffer_data_page *data = page->data;
	u64 lost = cb->lost;

	data->commit = length | (lost ? RB_MISSED_EVENTS : 0);
	if (!lost || length + sizeof(lost) > cb->data_size ||
	    rb_commit_in_reader_page(cb, __atomic_load_n(&cb->commit, __ATOMIC_ACQUIRE)) ||
	    length != page->final)
		return;
	memcpy(data->data + length, &lost, sizeof(lost));
	data->commit |= RB_MISSED_STORED;
}

int ring_buffer_map_get_reader(struct trace_buffer *buffer, unsigned cpu)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[cpu];
	unsigned long flags = rb_reader_lock(cb);
	int error = cb->meta ? 0 : -ENODEV;
	u32 length = error ? 0 : rb_reader_page(cb);
	u64 lost = cb->lost;

	if (length) {
		publish_page(cb, length);
		rb_consume_page(cb, length);
		update_meta(cb);
		cb->meta->reader.lost_events = lost;
	}
	rb_reader_unlock(cb, flags);
	return error;
}
