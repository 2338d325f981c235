/*
 * ring_map: what a program can and cannot do with a buffer that it has mapped (tests/boot/test_ring_buffer_map.py).
 *
 *	ring_map          the cases, a line each: what is tried, and what comes of it
 *	ring_map count N  writes N numbered markers on CPU 0, reads them on CPU 1 in the mapped buffer, and counts
 *	ring_map storm N  N times: processes that map, fork, read, unmap, die, resize, clear and take snapshots, all at once
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define PUT O_TRUNC
#include "cases.h"

#define RAW(cpu)   TRACING "per_cpu/cpu" cpu "/trace_pipe_raw"
#define GET_READER _IO('R', 0x20)

struct meta {
	uint32_t meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	uint64_t lost_events;
	uint32_t id, reader_read;
	uint64_t flags, entries, overrun, read;
};

static int open_raw(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		fail(path);
	return fd;
}

/* All of a CPU's buffer. */
static struct meta *map_all(int fd, size_t *size)
{
	volatile struct meta *meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	void *all;

	if (meta == MAP_FAILED)
		return MAP_FAILED;
	*size = meta->meta_page_size + (size_t)meta->nr_subbufs * meta->subbuf_size;
	all = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
	munmap((void *)meta, PAGE);
	return all;
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* How a child ends that does what. */
static void child(const char *name, void (*what)(volatile char *), volatile char *page)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		what(page);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("%s -> %s\n", name, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
}

static void read_byte(volatile char *page)
{
	(void)*page;
}

static void write_byte(volatile char *page)
{
	*page = 1;
}

static void map_and_write(volatile char *unused)
{
	(void)unused;
	write_byte(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open_raw(RAW("0")), 0));
}

static void map_and_die(volatile char *unused)
{
	(void)unused;
	read_byte(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open_raw(RAW("0")), 0));
	raise(SIGKILL);
}

static long write_mem(void *to)
{
	int fd = open("/proc/self/mem", O_RDWR);
	long result = pwrite(fd, "x", 1, (off_t)(uintptr_t)to);

	close(fd);
	return result;
}

static long write_vm(void *to)
{
	struct iovec local = { (char[]){ 1 }, 1 }, remote = { to, 1 };

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

/* A thread sleeps on a futex in the page: the kernel keeps the page until it wakes. */
static int futex_sleeper(void *word)
{
	struct timespec second = { 1, 0 };

	syscall(SYS_futex, word, FUTEX_WAIT, *(volatile uint32_t *)word, &second, NULL, 0);
	return 0;
}

static void rights(int fd, int rw)
{
	void *p;

	SAY(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, rw, 0));
	SAY(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
	SAY(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
	SAY(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1 << 30));
	SAY(mmap(NULL, 1UL << 30, PROT_READ, MAP_SHARED, fd, 0));
	SAY(ioctl(fd, GET_READER));
	p = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, rw, 0);
	SAY(mprotect(p, 4 * PAGE, PROT_READ | PROT_WRITE));
	SAY(mprotect(p, 4 * PAGE, PROT_READ | PROT_EXEC));
	SAY(munmap(p, PAGE));
	SAY((long)mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE));
	SAY((long)mremap(p, 4 * PAGE, PAGE, 0));
	SAY(write_mem(p));
	SAY(write_vm(p));
	SAY(ioctl(fd, GET_READER));
	SAY(ioctl(fd, GET_READER + 1));
	child("a child writes to its own area", map_and_write, NULL);
	child("a child reads the parent's area", read_byte, p);
	SAY(madvise(p, 4 * PAGE, MADV_DOFORK));
	child("after MADV_DOFORK it reads", read_byte, p);
	child("and writes", write_byte, p);
	munmap(p, 4 * PAGE);
}

static void busy(int fd)
{
	volatile struct meta *meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	void *second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE);
	static char stack[16384] __attribute__((aligned(16)));
	char page[PAGE];

	SAY(put("per_cpu/cpu0/buffer_size_kb", "64"));
	SAY(put("per_cpu/cpu1/buffer_size_kb", "64"));
	SAY(put("buffer_size_kb", "128"));
	SAY(put("buffer_subbuf_size_kb", "8"));
	SAY(put("snapshot", "1"));
	SAY(put("events/sched/sched_switch/trigger", "snapshot"));
	SAY(put("events/sched/sched_switch/trigger", "hist:keys=prev_pid:onmax($x).snapshot():x=prev_pid"));
	SAY(put("set_ftrace_filter", "schedule:snapshot\n"));
	SAY(put("current_tracer", "wakeup"));
	put("set_ftrace_filter", "");
	put("trace_marker", "hello");
	ioctl(fd, GET_READER);
	printf("read: %d\n", (int)meta->read);
	put("trace", "");
	printf("after a reset: written %d, read %d, reader %d\n", (int)meta->entries, (int)meta->read, (int)meta->id);
	put("trace_marker", "hello");
	SAY(read(fd, page, sizeof(page)));
	child("another process maps, and is killed", map_and_die, NULL);
	munmap((void *)meta, PAGE);
	SAY(put("per_cpu/cpu0/buffer_size_kb", "64"));
	clone(futex_sleeper, stack + sizeof(stack), CLONE_VM | SIGCHLD, second);
	usleep(200000);
	munmap(second, PAGE);
	SAY(put("per_cpu/cpu0/buffer_size_kb", "64"));
	wait(NULL);
	SAY(put("snapshot", "1"));
	SAY((long)(meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0)));
	munmap((void *)meta, PAGE);
	SAY(put("current_tracer", "wakeup"));
	SAY((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
	SAY(put("current_tracer", "nop"));
	SAY(put("set_ftrace_filter", "schedule:snapshot\n"));
	SAY((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
	put("set_ftrace_filter", "!schedule:snapshot\n");
	SAY((long)(meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0)));
	put("snapshot", "0");
}

/* ---- count ---- */

struct print_entry {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint64_t ip;
	char text[];
};

static unsigned long seen, lost, expected;

static void take(const struct print_entry *entry)
{
	unsigned long number = strtoul(entry->text, NULL, 10);

	if (number < expected) {
		printf("DEFECT: %lu after %lu\n", number, expected);
		exit(1);
	}
	lost += number - expected;
	expected = number + 1;
	seen++;
}

static uint32_t step(const uint32_t *entry)
{
	uint32_t type = *entry & 31;

	if (type >= 30)
		return 8;
	if (type == 29)
		return entry[1] + 4;
	take((const void *)(entry + (type ? 1 : 2)));
	return type ? type * 4 + 4 : entry[1] + 4;
}

static void write_markers(unsigned long n)
{
	int fd = open(TRACING "trace_marker", O_WRONLY);
	char text[16];

	on_cpu(0);
	for (unsigned long i = 0; i < n; i++)
		if (write(fd, text, (size_t)snprintf(text, sizeof(text), "%lu", i)) < 0)
			fail("trace_marker");
	_exit(0);
}

static void count(unsigned long n)
{
	unsigned long told = 0, rounds = 0;
	uint32_t at = 0, last = 0;
	volatile struct meta *meta;
	const char *subbufs;
	bool ended = false;
	size_t size;
	int fd;

	put("buffer_size_kb", "32");
	put("trace", "");
	fd = open_raw(RAW("0"));
	meta = map_all(fd, &size);
	subbufs = (const char *)meta + meta->meta_page_size;
	on_cpu(1);
	if (!fork())
		write_markers(n);
	for (;;) {
		const uint64_t *head;
		uint32_t length;

		ended = ended || waitpid(-1, NULL, WNOHANG) > 0;
		if (ioctl(fd, GET_READER))
			fail("GET_READER");
		head = (const void *)(subbufs + (size_t)meta->id * meta->subbuf_size);
		length = (uint32_t)head[1] & 0xfffffff;
		if (meta->id != last) {
			at = 0;
			told += meta->lost_events;
			rounds++;
		}
		last = meta->id;
		if (at == length && ended)
			break;
		while (at < length)
			at += step((const void *)((const char *)(head + 2) + at));
	}
	lost += n - expected;
	printf("seen and lost: %s\n", seen + lost == n ? "all" : "DEFECT");
	printf("the kernel says so, too: %s\n", told == lost && meta->read == seen ? "yes" : "DEFECT");
	printf("sub-buffers: %s\n", rounds > 1 ? "many" : "DEFECT");
}

/* ---- storm ---- */

static void storm_step(unsigned kind, unsigned *random)
{
	char size[16];
	size_t length;
	void *all;
	int fd;

	*random = *random * 1103515245 + 12345;
	snprintf(size, sizeof(size), "%u", 8 + *random / 65536 % 64);
	switch (kind % 8) {
	case 0:
	case 1:
	case 2:
		fd = open_raw(kind & 8 ? RAW("1") : RAW("0"));
		all = map_all(fd, &length);
		if (all != MAP_FAILED) {
			for (unsigned i = 0; i < 20; i++) {
				ioctl(fd, GET_READER);
				for (size_t at = 0; at < length; at += PAGE)
					(void)*((volatile char *)all + at);
			}
			madvise(all, length, MADV_DOFORK);
			if (kind & 16 && !fork())
				_exit(*(volatile char *)all);
			if (*random & 0x10000)
				munmap(all, length);
		}
		close(fd);
		break;
	case 3:
		put("buffer_size_kb", size);
		break;
	case 4:
		put("buffer_subbuf_size_kb", *random & 0x20000 ? "8" : "4");
		break;
	case 5:
		put("trace", "");
		break;
	case 6:
		put("snapshot", *random & 0x20000 ? "1" : "0");
		break;
	case 7:
		for (unsigned i = 0; i < 200; i++)
			put("trace_marker", "storm");
		break;
	}
}

static void storm(unsigned long n)
{
	for (unsigned kind = 0; kind < 32; kind++)
		if (!fork()) {
			unsigned random = kind + 1;

			for (unsigned long i = 0; i < n; i++)
				storm_step(kind, &random);
			kill(getpid(), kind & 8 ? SIGKILL : SIGTERM); /* with its areas */
		}
	while (wait(NULL) > 0)
		;
	put("snapshot", "0");
	SAY(put("buffer_subbuf_size_kb", "4"));
	SAY(put("buffer_size_kb", "64"));
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "count")) {
		count(strtoul(argv[2], NULL, 10));
	} else if (argc == 3) {
		storm(strtoul(argv[2], NULL, 10));
	} else {
		on_cpu(0);
		put("trace", "");
		rights(open_raw(RAW("0")), open(RAW("0"), O_RDWR));
		busy(open_raw(RAW("0")));
	}
	return 0;
}
