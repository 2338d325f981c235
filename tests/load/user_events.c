/*
 * user_events: what a program can and cannot do with events of its own (tests/boot/test_user_events.py).
 *
 *	user_events            the cases, a line each: what is tried, and what comes of it
 *	user_events storm N S  processes that register, write, unregister, fork, exec, unmap and protect their memory at random, with N
 *	                       steps each and the seed S, while their events are switched, deleted and read
 *	user_events cost       what a write of 8 bytes costs, in nanoseconds
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define PUT O_APPEND
#include "cases.h"

#define DATA TRACING "user_events_data"

struct user_reg {
	uint32_t size;
	uint8_t enable_bit, enable_size;
	uint16_t flags;
	uint64_t enable_addr, name_args;
	uint32_t write_index;
} __attribute__((packed));

struct user_unreg {
	uint32_t size;
	uint8_t disable_bit, reserved;
	uint16_t reserved2;
	uint64_t disable_addr;
} __attribute__((packed));

#define DIAG_IOCSREG   _IOWR('*', 0, struct user_reg *)
#define DIAG_IOCSDEL   _IOW('*', 1, char *)
#define DIAG_IOCSUNREG _IOW('*', 2, struct user_unreg *)
#define PERSIST        1
#define MULTI          2

static int last_index;

static int reg(int fd, const char *text, volatile void *addr, int bit, int size, int flags)
{
	struct user_reg r = { sizeof(r), (uint8_t)bit, (uint8_t)size, (uint16_t)flags, (uintptr_t)addr, (uintptr_t)text, 77 };
	int result = ioctl(fd, DIAG_IOCSREG, &r);

	last_index = (int)r.write_index;
	return result;
}

static int unreg(int fd, volatile void *addr, int bit)
{
	struct user_unreg r = { .size = sizeof(r), .disable_bit = (uint8_t)bit, .disable_addr = (uintptr_t)addr };

	return ioctl(fd, DIAG_IOCSUNREG, &r);
}

static int record(int fd, int index, const void *payload, size_t length)
{
	struct iovec parts[] = { { &index, sizeof(index) }, { (void *)payload, length } };

	return writev(fd, parts, 2) < 0 ? -1 : 0;
}

static int exists(const char *event)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), TRACING "events/%s", event);
	return stat(path, &st) == 0;
}

static void wait_until_gone(const char *event)
{
	while (exists(event))
		usleep(1000);
}

/* ---- the cases ---- */

static volatile uint32_t word __attribute__((aligned(8)));

/* A struct of another size: size bytes, of which the last one is tail. */
static int reg_sized(int fd, unsigned size, char tail)
{
	char buf[2 * PAGE] = { 0 };
	struct user_reg *r = (struct user_reg *)buf;

	*r = (struct user_reg){ size, 5, 4, 0, (uintptr_t)&word, (uintptr_t) "sized", 0 };
	if (size > sizeof(*r) && size <= sizeof(buf))
		buf[size - 1] = tail;
	return ioctl(fd, DIAG_IOCSREG, r);
}

static void registering(int fd)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name[700];

	memset(name, 'n', sizeof(name));
	name[600] = '\0';
	SAY(reg_sized(fd, 27, 0));
	SAY(reg_sized(fd, 4097, 0));
	SAY(reg_sized(fd, 40, 1));
	SAY(reg_sized(fd, 40, 0));
	SAY(ioctl(fd, DIAG_IOCSREG, NULL));
	SAY(ioctl(fd, DIAG_IOCSREG ^ 0x70, NULL));
	SAY(reg(fd, "a u32 x", &word, 0, 4, 4));
	SAY(reg(fd, "a u32 x", &word, 0, 3, 0));
	SAY(reg(fd, "a u32 x", &word, 32, 4, 0));
	SAY(reg(fd, "a u32 x", &word, 64, 8, 0));
	SAY(reg(fd, "a u32 x", (char *)&word + 2, 0, 4, 0));
	SAY(reg(fd, "a u32 x", (char *)&word + 4, 0, 8, 0));
	SAY(reg(fd, "a u32 x", (void *)0xffff800000000000, 0, 8, 0));
	SAY(reg(fd, "a u32 x", page, 0, 4, 0));
	SAY(reg(fd, "a u32 x", NULL, 0, 4, 0));
	SAY(reg(fd, NULL, &word, 0, 4, 0));
	SAY(reg(fd, name, &word, 0, 4, 0));
	SAY(reg(fd, "a:FLAG u32 x", &word, 0, 4, 0));
	SAY(reg(fd, "a/b u32 x", &word, 0, 4, 0));
	SAY(reg(fd, "z long x", &word, 0, 4, 0));
	SAY(reg(fd, "a u32 x", &word, 0, 4, 0));
	SAY(reg(fd, "a u32 x", &word, 0, 4, 0));
	SAY(reg(fd, "a u64 x", &word, 1, 4, 0));
	SAY(reg(fd, "a u64 x", &word, 2, 4, MULTI));
	SAY(reg(fd, "a u32 x", &word, 3, 4, MULTI));
	printf("index %d, multi %d %d\n", last_index, exists("user_events_multi/a.0"), exists("user_events_multi/a.1"));
	SAY(unreg(fd, &word, 9));
	SAY(unreg(fd, &word, 0) | unreg(fd, &word, 2) | unreg(fd, &word, 3) | unreg(fd, &word, 5));
}

static void writing(int fd)
{
	struct {
		uint32_t loc;
		char text[4];
	} text = { 4 << 16, "abc" };
	uint32_t number = 1;
	int index;

	SAY(reg(fd, "w __rel_loc char[] t", &word, 0, 4, 0));
	index = last_index;
	SAY(write(fd, "12", 2));
	SAY(record(fd, -1, &text, 8));
	SAY(record(fd, 99, &text, 8));
	SAY(record(fd, index, &text, 3));
	SAY(record(fd, index, &text, 8));
	SAY(put("events/user_events/w/enable", "1"));
	printf("word %x\n", word);
	SAY(record(fd, index, &text, 8));
	SAY(record(fd, index, (void *)8, 8));
	SAY(record(fd, index, &number, 4));
	text.loc = 5 << 16;
	SAY(record(fd, index, &text, 8));
	text.loc = 3 << 16;
	SAY(record(fd, index, &text, 8));
	SAY(put("events/user_events/w/enable", "0"));
	printf("word %x\n", word);
	SAY(record(fd, index, &text, 8));
	SAY(unreg(fd, &word, 0));
}

static void rights(int fd)
{
	if (fork() == 0) {
		if (setgid(1000) || setuid(1000))
			fail("setuid");
		SAY(open(DATA, O_RDWR));
		SAY(reg(fd, "r u8 x", &word, 1, 4, PERSIST));
		SAY(reg(fd, "r u8 x", &word, 1, 4, 0));
		SAY(ioctl(fd, DIAG_IOCSDEL, "p"));
		_exit(0);
	}
	wait(NULL);
}

/* Who keeps an event, and what is left of it. */
static void lives(void)
{
	int fd = open(DATA, O_RDWR | O_CLOEXEC), enable;
	char byte;
	pid_t child;

	SAY(reg(fd, "l u8 x", &word, 0, 4, 0));
	SAY(ioctl(fd, DIAG_IOCSDEL, "l"));
	child = fork();
	if (child == 0) {
		pause();
		_exit(1);
	}
	close(fd);
	SAY(unreg(open(DATA, O_RDWR | O_CLOEXEC), &word, 0));
	printf("kept by the child %d\n", exists("user_events/l"));
	enable = open(TRACING "events/user_events/l/enable", O_RDWR | O_CLOEXEC);
	kill(child, SIGKILL);
	wait(NULL);
	wait_until_gone("user_events/l");
	SAY(write(enable, "1", 1));
	SAY(pread(enable, &byte, 1, 0));
	fd = open(DATA, O_RDWR | O_CLOEXEC);
	SAY(reg(fd, "l u8 x", &word, 0, 4, 0));
	close(fd);
	child = fork();
	if (child == 0) {
		execl("/bin/sleep", "sleep", "1000", NULL);
		fail("execl");
	}
	SAY(unreg(open(DATA, O_RDWR | O_CLOEXEC), &word, 0));
	wait_until_gone("user_events/l"); /* exec has dropped the child's */
	printf("exec drops it\n");
	kill(child, SIGKILL);
	wait(NULL);
}

static void many(void)
{
	int fd = open(DATA, O_RDWR), max = open("/proc/sys/kernel/user_events_max", O_RDWR);
	char old[16] = "";

	SAY(read(max, old, sizeof(old)));
	SAY(pwrite(max, "3", 1, 0));
	SAY(reg(fd, "m1", &word, 0, 4, 0));
	SAY(reg(fd, "m2", &word, 1, 4, 0));
	SAY(reg(fd, "m3", &word, 2, 4, 0));
	SAY(reg(fd, "m4", &word, 3, 4, 0));
	SAY(reg(fd, "m3", &word, 3, 4, 0));
	SAY(pwrite(max, "-1", 2, 0));
	SAY(pwrite(max, old, strlen(old), 0));
	for (int bit = 0; bit < 4; bit++)
		unreg(fd, &word, bit);
	close(fd);
}

static int cases(void)
{
	int fd = open(DATA, O_RDWR);

	SAY(reg(fd, "p u8 x", &word, 0, 4, PERSIST));
	SAY(unreg(fd, &word, 0));
	close(fd);
	fd = open(DATA, O_RDWR);
	registering(fd);
	writing(fd);
	rights(fd);
	close(fd);
	fd = open(DATA, O_RDWR);
	wait_until_gone("user_events/w");
	printf("persists %d\n", exists("user_events/p"));
	SAY(ioctl(fd, DIAG_IOCSDEL, "p"));
	SAY(ioctl(fd, DIAG_IOCSDEL, "p"));
	close(fd);
	many();
	lives();
	return 0;
}

/* ---- the storm ---- */

#define NAMES   6
#define PAGES   6
#define WORDS   4 /* of a page, with bits for the kernel: its first ones */
#define BITS    0xff00u
#define FILL    0xa5
#define WORKERS 6

static uint64_t seed;

static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* Memory of one process: at some of the pages the kernel may write bits, at none anything else. */
static char *pages;

static void map_page(unsigned n)
{
	char *page = mmap(pages + n * PAGE, PAGE, PROT_READ | PROT_WRITE,
			  MAP_FIXED | MAP_ANONYMOUS | (n % 3 == 2 ? MAP_SHARED : MAP_PRIVATE), -1, 0);

	if (page == MAP_FAILED) {
		if (errno == ENOMEM)
			_exit(0);
		fail("mmap");
	}
	memset(page, FILL, PAGE);
	memset(page, 0, WORDS * sizeof(uint32_t));
}

static void check_pages(void)
{
	unsigned char in_memory;

	for (unsigned n = 0; n < PAGES; n++) {
		char *page = pages + n * PAGE;

		if (mincore(page, PAGE, &in_memory)) /* not mapped */
			continue;
		if (mprotect(page, PAGE, PROT_READ | PROT_WRITE))
			continue;
		for (unsigned i = 0; i < WORDS; i++)
			if (((uint32_t *)page)[i] & ~BITS)
				fail("a bit that nobody has registered");
		if (page[PAGE - 1]) /* else MADV_DONTNEED has taken the page */
			for (unsigned i = WORDS * sizeof(uint32_t); i < PAGE; i++)
				if ((unsigned char)page[i] != FILL)
					fail("a byte beside the words");
	}
}

static const char *const formats[NAMES] = { "s0 u32 a",
					    "s1 u32 a; u32 b",
					    "s2 __rel_loc char[] a",
					    "s3 char[20] a",
					    "s4",
					    "s5 __data_loc char[] a; u8 b" };

static void steps(unsigned count);

static void one_step(int fd)
{
	uint32_t payload[8] = { 4 << 16 | 4, 0, 0, 0, 0, 0, 0, 0 };
	unsigned page = pick(PAGES), bit = 8 + pick(8), name = pick(NAMES);
	volatile char *at = pages + page * PAGE + pick(WORDS) * sizeof(uint32_t);
	pid_t child;

	switch (pick(16)) {
	case 0 ... 4:
		reg(fd, formats[name], at, (int)bit, 4, pick(4) ? 0 : MULTI);
		break;
	case 5 ... 6:
		unreg(fd, at, (int)bit);
		break;
	case 7 ... 9:
		record(fd, (int)pick(4), payload, pick(sizeof(payload) + 1));
		break;
	case 10:
		munmap(pages + page * PAGE, PAGE);
		break;
	case 11:
		map_page(page);
		break;
	case 12:
		madvise(pages + page * PAGE, PAGE, MADV_DONTNEED);
		break;
	case 13:
		mprotect(pages + page * PAGE, PAGE, pick(2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	case 14:
		child = pick(4) ? -1 : fork();
		if (child == 0) {
			steps(pick(10));
			_exit(0);
		}
		if (child > 0) {
			int status;

			if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status))
				_exit(1);
		}
		break;
	default:
		check_pages();
	}
}

static void steps(unsigned count)
{
	int fd = open(DATA, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	for (unsigned i = 0; i < count; i++)
		one_step(fd);
	close(fd);
}

static void *thread_steps(void *fd)
{
	uint32_t payload[2] = { 0 };
	volatile char *at = pages + PAGES * PAGE; /* a page of their own */

	for (unsigned i = 0; i < 200; i++) {
		reg((int)(intptr_t)fd, formats[i % NAMES], at + i % 2 * 4, (int)(8 + i % 8), 4, 0);
		record((int)(intptr_t)fd, (int)(i % 4), payload, sizeof(payload));
		unreg((int)(intptr_t)fd, at + i % 2 * 4, (int)(8 + i % 8));
	}
	return NULL;
}

/* A process of the storm: steps, and then a new program that goes on, or the end. */
static int worker(unsigned count, uint64_t start)
{
	char rest[16], next[24];
	pthread_t threads[2];
	int fd = open(DATA, O_RDWR | O_CLOEXEC);

	seed = start;
	pages = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 0;
	for (unsigned n = 0; n < PAGES; n++)
		map_page(n);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread_steps, (void *)(intptr_t)fd))
			fail("pthread_create");
	for (unsigned n = count < 100 ? count : 100; n; n--)
		steps(1 + pick(20));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check_pages();
	if (count <= 100)
		return 0;
	snprintf(rest, sizeof(rest), "%u", count - 100);
	snprintf(next, sizeof(next), "%llu", (unsigned long long)(seed >> 1));
	execl("/proc/self/exe", "user_events", "worker", rest, next, NULL);
	fail("execl");
	return 1;
}

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

/* Switches, deletes and reads events until SIGTERM. */
static int switcher(uint64_t start)
{
	static const char *const files[] = { "user_events_status", "dynamic_events", "trace", "available_events" };
	char path[80], buf[4096];

	seed = start;
	signal(SIGTERM, end);
	while (!ended) {
		unsigned name = pick(NAMES);
		int fd;

		snprintf(path, sizeof(path), "events/user_events/s%u/%s", name, pick(8) ? "enable" : "filter");
		switch (pick(8)) {
		case 0:
			put("events/user_events/enable", pick(2) ? "1" : "0");
			break;
		case 1:
			fd = open(DATA, O_RDWR);
			snprintf(buf, sizeof(buf), "s%u", name);
			ioctl(fd, DIAG_IOCSDEL, buf);
			close(fd);
			break;
		case 2:
			snprintf(buf, sizeof(buf), TRACING "%s", files[pick(4)]);
			fd = open(buf, O_RDONLY);
			while (read(fd, buf, sizeof(buf)) > 0)
				;
			close(fd);
			break;
		case 3:
			put("dynamic_events", pick(2) ? "u:s4" : "-:s4");
			break;
		case 4:
			put("events/user_events_multi/enable", pick(2) ? "1" : "0");
			break;
		default:
			put(path, pick(2) ? "1" : "0");
		}
	}
	return 0;
}

static int storm(const char *count, uint64_t start)
{
	pid_t switchers[2], workers[WORKERS];
	char text[24];
	int bad = 0, status;

	for (unsigned i = 0; i < 2; i++) {
		switchers[i] = fork();
		if (switchers[i] == 0)
			_exit(switcher(start + i));
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		workers[i] = fork();
		if (workers[i] == 0) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)(start * 100 + i));
			execl("/proc/self/exe", "user_events", "worker", count, text, NULL);
			fail("execl");
		}
	}
	for (unsigned i = 0; i < WORKERS; i++)
		if (waitpid(workers[i], &status, 0) != workers[i] || status) {
			printf("DEFECT: worker %u: status %x\n", i, status);
			bad = 1;
		}
	for (unsigned i = 0; i < 2; i++) {
		kill(switchers[i], SIGTERM);
		waitpid(switchers[i], NULL, 0);
	}
	put("events/user_events/enable", "0");
	put("events/user_events_multi/enable", "0");
	put("dynamic_events", "-:s4");
	wait_until_gone("user_events");
	wait_until_gone("user_events_multi");
	printf("the storm is over\n");
	return bad;
}

/* Nanoseconds, which are instructions under icount, of one of 1,000 writes. */
static void cost_of(const char *what, int fd, const void *data, size_t length)
{
	struct timespec from, to;

	for (int i = -1; i < 1000; i++) {
		if (i == 0)
			clock_gettime(CLOCK_MONOTONIC, &from);
		if (write(fd, data, length) < 0 && errno != EBADF)
			fail(what);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%s: %ld\n", what, ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec) / 1000);
}

static int cost(void)
{
	int fd = open(DATA, O_RDWR), marker = open(TRACING "trace_marker", O_WRONLY), null = open("/dev/null", O_WRONLY);
	struct {
		uint32_t index;
		uint64_t payload;
	} __attribute__((packed)) data = { 0, 5 };

	if (reg(fd, "cost u64 x", &word, 0, 4, 0))
		fail("reg");
	cost_of("/dev/null", null, &data, sizeof(data));
	cost_of("off", fd, &data, sizeof(data));
	put("events/user_events/cost/enable", "1");
	cost_of("recorded", fd, &data, sizeof(data));
	put("events/user_events/cost/filter", "x == 6");
	cost_of("dropped", fd, &data, sizeof(data));
	put("events/user_events/cost/filter", "0");
	put("events/user_events/cost/enable", "0");
	put("events/user_events/cost/trigger", "hist:keys=x");
	cost_of("counted", fd, &data, sizeof(data));
	put("events/user_events/cost/trigger", "!hist:keys=x");
	cost_of("trace_marker", marker, "8 bytes\n", 8);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return cases();
	if (argc == 4 && !strcmp(argv[1], "storm"))
		return storm(argv[2], strtoull(argv[3], NULL, 0));
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return worker((unsigned)atoi(argv[2]), strtoull(argv[3], NULL, 0));
	return cost();
}
