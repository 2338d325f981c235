/*
 * A CPU's ring in the memory of programs, struct trace_buffer_meta and sub-buffers:
 * trace/core/buffer_mmap.c is mmap(2) of trace_pipe_raw. Read trace/ring_buffer/internal.h first.
 */
#pragma once

#include "trace/ring_buffer/internal.h"

#define TRACE_MMAP_IOCTL_GET_READER 0x5220 /* _IO('R', 0x20) */

/*
 * The start of the area (Documentation/trace/ring-buffer-map.rst). Sub-buffers follow, after
 * meta_page_size bytes, in the order of their ids.
 */
struct trace_buffer_meta {
	u32 meta_page_size, meta_struct_len;
	u32 subbuf_size, nr_subbufs; /* nr_subbufs: with the reader's */
	struct {
		u64 lost_events; /* just before the reader's sub-buffer */
		u32 id;          /* of the reader's sub-buffer: the one that may be read */
		u32 read;        /* bytes of it that have been given out */
	} reader;
	u64 flags;
	u64 entries, overrun; /* since the last reset: written, overwritten before they were read */
	u64 read;             /* events that have been given out */
	u64 reserved[2];
};

/*
 * Ids are the numbers of the ring's pages, so that the reader of a new or cleared ring has 0, and
 * the first sub-buffer 1: as on Linux.
 */
static inline u32 rb_subbuf_id(const struct ring_buffer_per_cpu *cb, u32 index)
{
	u32 n = index >> cb->order;

	return n == cb->nr_slots ? 0 : n + 1;
}

static inline void *rb_subbuf(const struct ring_buffer_per_cpu *cb, u32 id)
{
	return cb->pages[(id ? id - 1 : cb->nr_slots) << cb->order].data;
}

/*
 * Counts an area that shows `pages` pages from page `first` on, so that the ring keeps its pages
 * until ring_buffer_unmap(). The part, or an ERR_PTR(): -EINVAL (there are no such pages), -ENOMEM.
 * No snapshot exchanges the part meanwhile. Task context; takes map_lock.
 */
struct ring_buffer_per_cpu *ring_buffer_map(struct trace_buffer *buffer, unsigned cpu, u64 first,
					    u64 pages);
/* One area more shows the same. Task context. */
void ring_buffer_map_dup(struct ring_buffer_per_cpu *cb);
void ring_buffer_unmap(struct ring_buffer_per_cpu *cb);
/* The address of a page that an area shows; it is counted (kernel/mm/user_page.h). */
void *ring_buffer_mapped_page(const struct ring_buffer_per_cpu *cb, u64 number);
/*
 * Gives the programs what is new: the rest of the reader's sub-buffer, or else the next one. 0,
 * also if there is nothing new; -ENODEV: no program maps the ring. Task context.
 */
int ring_buffer_map_get_reader(struct trace_buffer *buffer, unsigned cpu);
