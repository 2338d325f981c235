/*
 * A buffer in memory that survives a reboot. Read trace/ring_buffer/internal.h first.
 *
 * Nothing is copied at a crash, and a writer does nothing more than in another buffer: the part of
 * each CPU, with its slots, its struct buffer_page and its pages, lies in the area itself. One
 * thing is added: when commit leaves a sub-buffer, rb_publish_pages() stores its sum.
 *
 *      | header, twice | CPU 0: ring_buffer_per_cpu, pages[], slots[], data pages | CPU 1 ... |
 *
 * The next boot believes nothing that it finds. It uses no pointer of the area. Slots, page numbers
 * and places are checked against the size of the ring. A sub-buffer that commit has left must have
 * its sum. The sub-buffer of commit has no sum yet: its events must be a chain that ends exactly at
 * commit. What passes becomes the ring's contents, numbered from 0; the rest is counted.
 *
 * Sub-buffers have one page, and keep this size.
 */
#include "trace/ring_buffer/internal.h"

#define RANGE_MAGIC  0x6e6f70352d72696eUL /* "nir-5pon" */
#define RANGE_HEADER RB_PAGE_SIZE         /* bytes of the area before CPU 0 */
#define STAMP_LIMIT  (1UL << 62)          /* no clock gets so far */
#define PAGE_EVENTS  (RB_PAGE_DATA / 8)   /* a sub-buffer cannot hold more */

/* [boot] Written when the buffer is made, then constant. */
struct range_header {
	u64 magic, size, key;
	u32 nr_cpus, nr_slots;
	u32 layout; /* of the structures that the area holds */
	u32 sum;
};

/* A sub-buffer that can be kept. */
struct kept_page {
	u64 first, entries, last_stamp;
	u32 index, length;
};

/* What the boot knows while it reads the part of one CPU. */
struct range_reader {
	struct ring_buffer_per_cpu old; /* as found, but for its shape, which is right */
	struct buffer_page *pages;
	u64 *slots;
	struct buffer_data_page *data; /* page i is data[i] */
	bool commit_known;             /* commit names a sub-buffer that is in the ring */
	ring_buffer_valid_t valid;
	struct ring_buffer_recovery *found;
	u8 *used;               /* by page index: a slot or the reader has it */
	struct kept_page *kept; /* the oldest first */
	u32 count;
};

static u32 range_layout(void)
{
	return (u32)(sizeof(struct ring_buffer_per_cpu) | sizeof(struct buffer_page) << 12 |
		     offsetof(struct ring_buffer_per_cpu, reader_index) << 20);
}

static u32 header_sum(const struct range_header *header)
{
	u64 sum = rb_sum_step(rb_sum_step(header->magic, header->size), header->key);

	sum = rb_sum_step(sum, (u64)header->nr_cpus << 32 | header->nr_slots);
	sum = rb_sum_step(sum, header->layout);
	return (u32)(sum >> 32 ^ sum);
}

/* Returns the bytes before the data pages of a CPU with so many slots. */
static size_t meta_size(size_t nr_slots)
{
	size_t size = ALIGN(sizeof(struct ring_buffer_per_cpu), 64) +
		      (nr_slots + 1) * sizeof(struct buffer_page) + nr_slots * sizeof(u64);

	return ALIGN(size, (size_t)RB_PAGE_SIZE);
}

/* Returns how many slots each CPU has in an area of that size; less than 2: it is too small. */
static u32 range_slots(size_t size, unsigned nr_cpus)
{
	size_t room = size > RANGE_HEADER ? (size - RANGE_HEADER) / nr_cpus : 0;
	size_t slots = min(room / RB_PAGE_SIZE, (size_t)RB_MAX_SLOTS);

	while (slots && meta_size(slots) + (slots + 1) * RB_PAGE_SIZE > room)
		slots--;
	return (u32)slots;
}

/* Fills where the parts of a CPU lie in the area. */
static struct ring_buffer_per_cpu *range_cpu(void *area, unsigned cpu, u32 nr_slots,
					     struct range_reader *r)
{
	size_t size = meta_size(nr_slots) + (nr_slots + 1UL) * RB_PAGE_SIZE;
	u8 *start = (u8 *)area + RANGE_HEADER + cpu * size;

	r->pages = (void *)(start + ALIGN(sizeof(struct ring_buffer_per_cpu), 64));
	r->slots = (void *)(r->pages + nr_slots + 1);
	r->data = (void *)(start + meta_size(nr_slots));
	return (void *)start;
}

/* ---- one sub-buffer ---- */

/* Turns the event into padding of the same size, so that no reader returns it. */
static void hide_event(struct ring_buffer_event *event, u32 size)
{
	event->type_len = RINGBUF_TYPE_PADDING;
	event->array[0] = size - 4;
}

/* Returns the event's size, or 0: it does not fit into the bytes that remain. */
static u32 checked_size(const struct ring_buffer_event *event, u32 remaining)
{
	bool data = !event->type_len, long_form = data || event->type_len > 28;
	u32 size;

	if (remaining < 8)
		return 0; /* the shortest event has a header and one word */
	if (long_form && event->type_len < RINGBUF_TYPE_TIME_EXTEND && event->array[0] > remaining)
		return 0;
	size = rb_event_size(event);
	return size >= 8 && size <= remaining && size % 4 == 0 ? size : 0;
}

/* Walks the events of a sub-buffer; counts and hides them. False: they are no chain of events. */
static bool walk_events(const struct range_reader *r, struct kept_page *page)
{
	struct buffer_data_page *data = &r->data[page->index];
	u64 stamp = data->time_stamp, before = stamp;

	page->entries = 0;
	for (u32 at = 0, size; at < page->length; at += size, before = stamp) {
		struct ring_buffer_event *event = (void *)(data->data + at);

		size = checked_size(event, page->length - at);
		if (!size)
			return false;
		if (!rb_event_is_data(event, &stamp)) {
			if (stamp < before || stamp >= STAMP_LIMIT)
				return false;
			continue;
		}
		if (stamp < before || stamp >= STAMP_LIMIT)
			return false;
		if (r->valid(ring_buffer_event_data(event), ring_buffer_event_length(event))) {
			page->entries++;
		} else {
			hide_event(event, size);
			r->found->hidden++;
		}
	}
	page->last_stamp = stamp;
	return stamp < STAMP_LIMIT;
}

/* Keeps the sub-buffer if it is complete and undamaged, behind those that are kept already. */
static void keep_page(struct range_reader *r, u32 seq, u32 index)
{
	const struct buffer_page *page = &r->pages[index];
	struct kept_page *kept = &r->kept[r->count];
	const struct kept_page *last = r->count ? kept - 1 : NULL;
	u64 after = last ? last->first + last->entries : 0;
	s64 ahead = r->commit_known ? rb_seq_diff(&r->old, seq, rb_seq(r->old.commit)) : -1;

	if (ahead > 0)
		return; /* the crash came before its first event was complete */
	*kept = (struct kept_page){ .first = page->first, .index = index, .length = page->final };
	if (ahead == 0) {
		kept->length = (u32)rb_offset(&r->old, r->old.commit);
		if (!kept->length)
			return;
		if (kept->first - after > (u64)r->old.nr_slots * PAGE_EVENTS)
			kept->first = after; /* without a sum: must be plausible */
	} else if (page->sum != rb_page_sum(page, &r->data[index], seq, index)) {
		r->found->damaged++;
		return;
	}
	if (kept->length > RB_PAGE_DATA || kept->length % 4 || kept->first < after ||
	    !walk_events(r, kept)) {
		r->found->damaged++;
		return;
	}
	r->count++;
	r->found->pages++;
	r->found->events += kept->entries;
}

/* ---- one CPU ---- */

static bool reader_page_known(const struct range_reader *r)
{
	return r->old.reader_index <= r->old.nr_slots && *(const u8 *)&r->old.reader_active == 1 &&
	       r->old.reader_pos.seq < r->old.seq_limit;
}

/* Returns whether commit names a sub-buffer that a slot or the reader has. */
static bool commit_is_known(const struct range_reader *r)
{
	u64 commit = r->old.commit;
	u32 seq = rb_seq(commit), index = rb_index(&r->old, commit);

	if (seq >= r->old.seq_limit || index > r->old.nr_slots || rb_offset(&r->old, commit) % 4 ||
	    rb_offset(&r->old, commit) > RB_PAGE_DATA)
		return false;
	return r->slots[seq % r->old.nr_slots] == rb_place(seq, index, 0) ||
	       (reader_page_known(r) && index == r->old.reader_index &&
		seq == r->old.reader_pos.seq);
}

/* Returns the slot of the oldest sub-buffer: the one after commit, or that with the first event. */
static u32 oldest_slot(const struct range_reader *r)
{
	u64 first = ~0UL;
	u32 oldest = 0;

	if (r->commit_known)
		return rb_seq_add(&r->old, rb_seq(r->old.commit), 1) % r->old.nr_slots;
	for (u32 i = 0; i < r->old.nr_slots; i++) {
		u32 index = rb_index(&r->old, r->slots[i]);
		const struct buffer_page *page = &r->pages[min(index, r->old.nr_slots)];

		if (index > r->old.nr_slots || (r->slots[i] & RB_SLOT_SPARE) ||
		    page->first >= first)
			continue;
		if (page->sum == rb_page_sum(page, &r->data[index], rb_seq(r->slots[i]), index)) {
			first = page->first;
			oldest = i;
		}
	}
	return oldest;
}

/* Looks at what a slot holds. */
static void read_slot(struct range_reader *r, u32 slot)
{
	u64 word = r->slots[slot];
	u32 seq = rb_seq(word), index = rb_index(&r->old, word);
	bool spare = rb_offset(&r->old, word) == RB_SLOT_SPARE;

	if (index > r->old.nr_slots || seq >= r->old.seq_limit || seq % r->old.nr_slots != slot ||
	    (rb_offset(&r->old, word) && !spare) || r->used[index]) {
		r->found->damaged++;
		return;
	}
	r->used[index] = 1;
	if (!spare)
		keep_page(r, seq, index);
	else if (r->commit_known && r->old.reader_pos.seq < r->old.seq_limit &&
		 rb_seq_diff(&r->old, seq, r->old.reader_pos.seq) > 0 &&
		 rb_seq_diff(&r->old, seq, rb_seq(r->old.commit)) <= 0)
		r->found->damaged++; /* the reader has not had it yet */
}

static void read_cpu(struct range_reader *r)
{
	u32 oldest;

	r->commit_known = commit_is_known(r);
	if (!r->commit_known)
		r->found->damaged++;
	if (reader_page_known(r)) {
		r->used[r->old.reader_index] = 1;
		keep_page(r, r->old.reader_pos.seq, r->old.reader_index);
	}
	oldest = oldest_slot(r);
	for (u32 i = 0; i < r->old.nr_slots; i++)
		read_slot(r, (oldest + i) % r->old.nr_slots);
}

/* ---- the new ring ---- */

/* Returns a page that no kept sub-buffer uses. There is one more page than slots. */
static u32 unused_page(const struct range_reader *r, u32 *next)
{
	while (r->used[*next])
		(*next)++;
	return (*next)++;
}

/* Makes the kept sub-buffers the contents of the ring, numbered from 0. No writer runs. */
static void install_ring(struct ring_buffer_per_cpu *cb, struct range_reader *r)
{
	u32 in_reader = r->count > cb->nr_slots, next = 0, filled;
	u64 base = r->count ? r->kept[0].first : 0;

	memset(r->used, 0, cb->nr_slots + 1);
	for (u32 i = 0; i < r->count; i++) {
		const struct kept_page *kept = &r->kept[i];
		struct buffer_page *page = &cb->pages[kept->index];
		u32 seq = i >= in_reader ? i - in_reader : rb_seq_sub(cb, 0, 1);

		r->used[kept->index] = 1;
		page->entries = kept->entries;
		page->first = kept->first - base;
		page->final = kept->length;
		page->sum = rb_page_sum(page, page->data, seq, kept->index);
		cb->written += kept->entries;
		if (i < in_reader)
			continue;
		cb->slots[seq] = rb_place(seq, kept->index, 0);
		cb->tail.lo = rb_place(seq, kept->index, kept->length);
		cb->tail.hi = kept->last_stamp;
	}
	filled = r->count - in_reader;
	if (!filled) {
		cb->tail.lo = cb->slots[0] = rb_place(0, unused_page(r, &next), 0);
		filled = 1;
	}
	for (u32 i = filled; i < cb->nr_slots; i++)
		cb->slots[i] = rb_place(rb_seq_sub(cb, i, cb->nr_slots), unused_page(r, &next), 0) |
			       RB_SLOT_SPARE;
	cb->reader_index = in_reader ? r->kept[0].index : unused_page(r, &next);
	cb->reader_active = in_reader;
	cb->reader_pos =
		(struct rb_position){ rb_seq_sub(cb, 0, 1), rb_page(cb, cb->slots[0])->first };
	if (in_reader)
		cb->reader_pos.first = 0;
	__atomic_store_n(&cb->commit, cb->tail.lo, __ATOMIC_RELEASE);
}

/*
 * Makes the part of a CPU, with what can be kept. r->kept and r->used have nr_slots + 1 elements.
 */
static void init_cpu(struct trace_buffer *buffer, void *area, unsigned cpu, u32 nr_slots,
		     struct range_reader *r)
{
	struct ring_buffer_per_cpu *cb = range_cpu(area, cpu, nr_slots, r);

	memcpy(&r->old, cb, sizeof(r->old));
	rb_set_shape(&r->old, nr_slots, 0);
	r->count = 0;
	memset(r->used, 0, nr_slots + 1);
	if (r->found->previous == RB_PREVIOUS_KEPT)
		read_cpu(r);

	memset(cb, 0, sizeof(*cb));
	rb_init_cpu(cb, buffer, cpu);
	cb->pages = r->pages;
	cb->slots = r->slots;
	rb_set_shape(cb, nr_slots, 0);
	for (u32 i = 0; i <= nr_slots; i++)
		cb->pages[i].data = &r->data[i];
	rb_init_ring_pages(r->data, nr_slots + 1);
	rb_init_ring(cb);
	install_ring(cb, r);
}

/* ---- the area ---- */

/* Compares both copies of the header, as found, with the one that this boot will write. */
static enum ring_buffer_previous previous_of(const struct range_header *copies,
					     const struct range_header *ours)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct range_header *old = &copies[i];

		if (old->magic != RANGE_MAGIC || old->sum != header_sum(old))
			continue;
		if (old->key != ours->key || old->layout != ours->layout)
			return RB_PREVIOUS_OTHER_KEY;
		if (old->size != ours->size || old->nr_cpus != ours->nr_cpus)
			return RB_PREVIOUS_OTHER_SHAPE;
		return RB_PREVIOUS_KEPT;
	}
	return RB_PREVIOUS_NONE;
}

struct trace_buffer *ring_buffer_alloc_range(void *area, size_t size, u64 key, u32 flags,
					     ring_buffer_valid_t valid,
					     struct ring_buffer_recovery *found)
{
	struct range_header *copies = area;
	struct range_header header = {
		.magic = RANGE_MAGIC,
		.size = size,
		.key = key,
		.nr_cpus = rb_nr_cpus(),
		.nr_slots = range_slots(size, rb_nr_cpus()),
		.layout = range_layout(),
	};
	struct range_reader *r = rb_alloc(sizeof(*r));
	struct trace_buffer *buffer = NULL;

	if (!r || header.nr_slots < 2)
		goto out;
	r->used = rb_alloc_array(header.nr_slots + 1, sizeof(*r->used));
	r->kept = rb_alloc_array(header.nr_slots + 1, sizeof(*r->kept));
	if (r->used && r->kept)
		buffer = rb_alloc_buffer(flags | RB_FL_PERSISTENT);
	if (!buffer)
		goto out;
	header.sum = header_sum(&header);
	*found = (struct ring_buffer_recovery){ .previous = previous_of(copies, &header) };
	r->valid = valid;
	r->found = found;
	for (unsigned cpu = 0; cpu < header.nr_cpus; cpu++)
		if (rb_cpu_present(cpu))
			init_cpu(buffer, area, cpu, header.nr_slots, r);
	copies[0] = copies[1] = header;
out:
	if (r) {
		rb_free_array(r->used);
		rb_free_array(r->kept);
		rb_free(r);
	}
	return buffer;
}
