/* The buffer of an event: which mappings are refused, its first page, and the records of page faults in it. */
#include "perf.h"

#define FRESH 4

static void *map(int fd, int pages, int protection, int flags, int offset)
{
	return mmap(NULL, (size_t)pages * PAGE, protection, flags, fd, offset * PAGE);
}

static void tried_map(const char *what, int fd, int pages, int protection, int flags, int offset)
{
	void *area = map(fd, pages, protection, flags, offset);

	said(what, area == MAP_FAILED ? -1 : 0);
	if (area != MAP_FAILED)
		munmap(area, (size_t)pages * PAGE);
}

#define RW (PROT_READ | PROT_WRITE)

/* An area that cannot be split: what moves a part of it changes nothing. */
static void moves(int fd)
{
	char *area = (char *)map_buffer(fd, 2), *room = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
	unsigned char vec[3];

	munmap(room, 4 * PAGE);
	said("mremap of the first page", mremap(area, PAGE, PAGE, flags, room) == MAP_FAILED ? -1 : 0);
	said("  it is there", mincore(room, PAGE, vec));
	said("mremap of the last page", mremap(area + 2 * PAGE, PAGE, PAGE, flags, room) == MAP_FAILED ? -1 : 0);
	said("  it is there", mincore(room, PAGE, vec));
	said("mremap to less", mremap(area, 3 * PAGE, PAGE, flags, room) == MAP_FAILED ? -1 : 0);
	said("  it is there", mincore(room, PAGE, vec));
	said("  all pages are here", mincore(area, 3 * PAGE, vec));
	show("  they are the buffer: %llu bytes", ((struct perf_event_mmap_page *)area)->data_size);
	said("mremap of all", mremap(area, 3 * PAGE, 3 * PAGE, flags, room) == MAP_FAILED ? -1 : 0);
	show("  they are the buffer: %llu bytes", ((struct perf_event_mmap_page *)room)->data_size);
	munmap(room, 3 * PAGE);
}

static void mappings(void)
{
	int fd = EVENT(.sample_period = 1), counter = EVENT(), inherited = EVENT(.inherit = 1), of_cpu = EVENT_ON(0, 0, -1, 0, .inherit = 1), other;
	void *area;

	tried_map("1 page", fd, 1, RW, MAP_SHARED, 0);
	tried_map("1 + 1 pages", fd, 2, RW, MAP_SHARED, 0);
	tried_map("1 + 2 pages", fd, 3, RW, MAP_SHARED, 0);
	tried_map("1 + 3 pages", fd, 4, RW, MAP_SHARED, 0);
	tried_map("1 + 128 pages", fd, 129, RW, MAP_SHARED, 0);
	tried_map("read only", fd, 3, PROT_READ, MAP_SHARED, 0);
	tried_map("write only", fd, 3, PROT_WRITE, MAP_SHARED, 0);
	tried_map("executable", fd, 3, RW | PROT_EXEC, MAP_SHARED, 0);
	tried_map("private", fd, 3, RW, MAP_PRIVATE, 0);
	tried_map("from page 1", fd, 2, RW, MAP_SHARED, 1);
	tried_map("from page 8", fd, 3, RW, MAP_SHARED, 8);
	tried_map("a counter", counter, 3, RW, MAP_SHARED, 0);
	tried_map("inherited", inherited, 3, RW, MAP_SHARED, 0);
	tried_map("inherited, on CPU 0", of_cpu, 3, RW, MAP_SHARED, 0);
	area = map_buffer(fd, 2);
	tried_map("again", fd, 3, RW, MAP_SHARED, 0);
	tried_map("again, of another size", fd, 5, RW, MAP_SHARED, 0);
	tried_map("again, 1 page", fd, 1, RW, MAP_SHARED, 0);
	tried_map("again, read only", fd, 3, PROT_READ, MAP_SHARED, 0);
	said("munmap of the first page", munmap(area, PAGE));
	said("mprotect to read only", mprotect((char *)area + PAGE, 2 * PAGE, PROT_READ));
	said("mremap to more", mremap((char *)area + PAGE, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
	munmap(area, 3 * PAGE);
	moves(fd);
	other = EVENT(.sample_period = 1);
	said("SET_OUTPUT to an event without a buffer", ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	area = map_buffer(fd, 2);
	said("SET_OUTPUT", ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	tried_map("that has its output elsewhere", other, 3, RW, MAP_SHARED, 0);
	said("SET_OUTPUT -1", ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	tried_map("then", other, 3, RW, MAP_SHARED, 0);
	said("SET_OUTPUT to a mapped event of a mapped one", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other));
	said("SET_OUTPUT of an event of a CPU", ioctl(of_cpu, PERF_EVENT_IOC_SET_OUTPUT, fd));
	said("SET_OUTPUT of an inherited event", ioctl(inherited, PERF_EVENT_IOC_SET_OUTPUT, fd));
	said("PAUSE_OUTPUT", ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	close(other);
	other = EVENT(.sample_period = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC);
	said("SET_OUTPUT with another clock", ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	close(other);
	other = EVENT(.sample_period = 1, .write_backward = 1);
	said("SET_OUTPUT in another direction", ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	close(other);
	TRY_ON("FD_OUTPUT", 0, -1, fd, PERF_FLAG_FD_OUTPUT, .sample_period = 1);
	munmap(area, 3 * PAGE);
	close(fd);
	close(counter);
	close(inherited);
	close(of_cpu);
}

static void sampling(void)
{
	TRY("a period", .sample_period = 1000);
	TRY("the longest period", .sample_period = ~0UL >> 1);
	TRY("a longer period", .sample_period = 1UL << 63);
	TRY("a frequency", .freq = 1, .sample_freq = 4000);
	TRY("a frequency of 0", .freq = 1);
	TRY("a frequency of 100,000", .freq = 1, .sample_freq = 100000);
	TRY("a frequency over the limit", .freq = 1, .sample_freq = 200000);
	TRY("a wake-up mark", .sample_period = 1, .watermark = 1, .wakeup_watermark = 1 << 30);
	TRY("callchains", .sample_period = 1, .sample_type = PERF_SAMPLE_CALLCHAIN);
	TRY("all that is kept of a fault", .sample_period = 1, .sample_type = 0x7ff);
	TRY("the registers and the stack of the program", .sample_period = 1, .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	    .sample_regs_user = 0xff0fff, .sample_stack_user = 8192);
	TRY("a record that is too large", .sample_period = 1, .sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER, .sample_regs_user = 0xff0fff,
	    .sample_stack_user = 65528);
	TRY("SAMPLE_READ", .sample_period = 1, .sample_type = PERF_SAMPLE_READ);
	TRY("SAMPLE_READ, inherited", .sample_period = 1, .sample_type = PERF_SAMPLE_READ, .inherit = 1);
	TRY("branches", .sample_period = 1, .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
}

static void first_page(void)
{
	int fd = EVENT(.sample_period = 1, .disabled = 1);
	struct perf_event_mmap_page *page = map_buffer(fd, 2);
	struct perf_event_mmap_page *again;

	show("version %u, compat_version %u, lock even: %s, index %u", page->version, page->compat_version, page->lock % 2 ? "no" : "yes", page->index);
	show("bit0 %u, bit0_is_deprecated %u", (unsigned)page->cap_bit0, (unsigned)page->cap_bit0_is_deprecated);
	show("data_offset %llu, data_size %llu, head %llu, tail %llu", page->data_offset, page->data_size, page->data_head, page->data_tail);
	show("aux_offset %llu, aux_size %llu", page->aux_offset, page->aux_size);
	page->data_tail = 77;
	again = map(fd, 3, PROT_READ, MAP_SHARED, 0);
	show("another mapping of it: %s", again != MAP_FAILED && again->data_tail == 77 ? "the same page" : "another page");
	close(fd);
	show("after close: data_size %llu", page->data_size);
	munmap(page, 3 * PAGE);
	if (again != MAP_FAILED)
		munmap(again, 3 * PAGE);
}

/* A record, as the kernel has written it. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, address, id, period;
};

static void samples(void)
{
	int fd = EVENT(.sample_period = 1, .disabled = 1, .exclude_kernel = 1,
		       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD);
	struct perf_event_mmap_page *page = map_buffer(fd, 2);
	char *data = (char *)page + PAGE;
	volatile char *pages = fresh_pages(FRESH);
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	uint64_t id = 0, last = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	poll(&polled, 1, 0);
	show("poll of an empty buffer: %#x", polled.revents);
	page->data_tail = page->data_head;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, FRESH);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show("bytes: %llu", page->data_head - page->data_tail);
	for (uint64_t at = page->data_tail, i = 0; at < page->data_head; i++) {
		struct sample *sample = (struct sample *)(data + at % (2 * PAGE));

		show("type %u, misc %u, size %u, pid %s, tid %s, time %s, id %s, period %lu, page %ld, ip in user space: %s", sample->header.type,
		     sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK, sample->header.size, sample->pid == (uint32_t)getpid() ? "own" : "other",
		     sample->tid == (uint32_t)syscall(SYS_gettid) ? "own" : "other", sample->time >= last ? "not before" : "before",
		     sample->id == id ? "own" : "other", sample->period, (long)(sample->address - (unsigned long)pages) / PAGE,
		     sample->ip >> 47 ? "no" : "yes");
		last = sample->time;
		if (!sample->header.size)
			break;
		at += sample->header.size;
	}
	page->data_tail = page->data_head;
	munmap(page, 3 * PAGE);
	close(fd);
}

/* Records that do not fit are counted, and said before the next one that does. */
static void lost(void)
{
	int fd = EVENT(.sample_period = 1, .disabled = 1, .exclude_kernel = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
		       .read_format = PERF_FORMAT_LOST);
	struct perf_event_mmap_page *page = map(fd, 2, RW, MAP_SHARED, 0);
	volatile char *pages = fresh_pages(402);
	uint64_t words[2] = { 0 };
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record;
	uint64_t at;

	touch(pages, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages + PAGE, 400);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show("after 400 records of 24 bytes: %llu bytes", page->data_head - page->data_tail);
	read(fd, words, sizeof(words));
	show("lost more than 200: %s", words[1] > 200 ? "yes" : "no");
	page->data_tail = at = page->data_head;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages + 401 * PAGE, 1);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* It may begin at the end of the page and go on at the start. */
	for (size_t i = 0; i < sizeof(record); i++)
		((char *)&record)[i] = ((char *)page)[PAGE + (at + i) % PAGE];
	show("first record then: type %u, size %u, lost %s", record.header.type, record.header.size, record.lost == words[1] ? "as read" : "other");
	show("bytes: %llu", page->data_head - page->data_tail);
	munmap(page, 2 * PAGE);
	close(fd);
}

int main(void)
{
	set_sysctl("perf_event_max_sample_rate", 100000);
	mappings();
	sampling();
	first_page();
	samples();
	lost();
	return 0;
}
