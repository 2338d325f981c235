/*
 * trace-map: reads a CPU's buffer in its own memory, as libtracefs does. Nothing is copied.
 *
 *	trace-map per_cpu/cpu0/trace_pipe_raw
 *
 * Prints the page of numbers, then a line for each sub-buffer that has something new, and ends when nothing is new.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define GET_READER _IO('R', 0x20)
#define MISSED     (1U << 31) /* of subbuf.commit: events were lost before this sub-buffer */
#define LENGTH     0xfffffffU

/* The page of numbers: Linux's struct trace_buffer_meta. */
struct meta {
	uint32_t meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	struct {
		uint64_t lost_events;
		uint32_t id, read;
	} reader;
	uint64_t flags, entries, overrun, read;
};

struct subbuf {
	uint64_t time_stamp, commit;
	uint8_t data[];
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *map(int fd, size_t size, size_t offset)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)offset);

	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}

/* Steps over one entry: returns its size, and whether it is an event of a program or of the kernel. */
static uint32_t entry_size(const uint32_t *entry, unsigned *events)
{
	uint32_t type = *entry & 31;

	if (type == 30 || type == 31) /* only a time */
		return 8;
	if (type == 29) /* only room */
		return entry[1] + 4;
	++*events;
	return type ? type * 4 + 4 : entry[1] + 4;
}

int main(int argc, char **argv)
{
	const volatile struct meta *meta;
	const uint8_t *subbufs;
	uint32_t last_id, at;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: trace-map TRACE_PIPE_RAW\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		fail(argv[1]);
	meta = map(fd, (size_t)getpagesize(), 0);
	subbufs = map(fd, (size_t)meta->nr_subbufs * meta->subbuf_size, meta->meta_page_size);
	/* Of the reader's sub-buffer, others have had so much. */
	last_id = meta->reader.id;
	at = meta->reader.read;
	printf("%u sub-buffers of %u bytes\n", meta->nr_subbufs, meta->subbuf_size);
	for (;;) {
		const struct subbuf *subbuf;
		uint32_t length;
		unsigned events = 0;

		if (ioctl(fd, GET_READER))
			fail("ioctl");
		subbuf = (const void *)(subbufs + (size_t)meta->reader.id * meta->subbuf_size);
		length = (uint32_t)subbuf->commit & LENGTH;
		if (meta->reader.id != last_id)
			at = 0;
		last_id = meta->reader.id;
		if (at == length)
			break;
		for (; at < length;)
			at += entry_size((const void *)(subbuf->data + at), &events);
		printf("sub-buffer %u: %u bytes, %u events, lost before: %llu\n", last_id, length, events,
		       (unsigned long long)(subbuf->commit & MISSED ? meta->reader.lost_events : 0));
	}
	printf("%llu entries written, %llu read, %llu overwritten\n", (unsigned long long)meta->entries,
	       (unsigned long long)meta->read, (unsigned long long)meta->overrun);
	return 0;
}
