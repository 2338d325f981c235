/*
 * hot: runs a program, and shows in which functions of the kernel the CPUs were meanwhile. A sampler as perf is one, for a reader.
 *
 *	hot [-g] [-p MICROSECONDS] PROGRAM [ARGUMENT]...
 *
 * Each time that the program, or a child of it, has used so many microseconds of a CPU, the kernel looks where it is. If it is
 * in the kernel, its call chain goes to a ring of memory that this program has mapped (perf_event_open(2)). -g shows the chains.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE       4096
#define RING_SIZE  (64 * PAGE) /* a power of 2 */
#define RECORD_MAX 65536
#define CPUS_MAX   255
#define DEPTH      12 /* functions of a chain that are kept */
#define CHAINS_MAX 4096
#define SHOWN      10 /* functions */
#define CHAINS     3  /* of each of them */

/* perf_event_open(2) describes the structs and the numbers. musl has no header with them. */
struct perf_event_attr {
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format, flags;
	uint32_t wakeup_watermark, bp_type;
	uint64_t config1;
};

enum { PERF_TYPE_SOFTWARE = 1, PERF_COUNT_SW_CPU_CLOCK = 0 };
enum { PERF_SAMPLE_IP = 1, PERF_SAMPLE_CALLCHAIN = 1 << 5 };
enum {
	ATTR_DISABLED = 1,
	ATTR_INHERIT = 1 << 1,
	ATTR_EXCLUDE_USER = 1 << 4,
	ATTR_ENABLE_ON_EXEC = 1 << 12,
	ATTR_WATERMARK = 1 << 14,
	ATTR_EXCLUDE_CALLCHAIN_USER = 1 << 22,
};

enum { PERF_RECORD_LOST = 2, PERF_RECORD_SAMPLE = 9 };

struct record {
	uint32_t type;
	uint16_t misc, size; /* of all of it, in bytes: a multiple of 8 */
};

struct sample {
	struct record head;
	uint64_t ip, nr, ips[];
};

struct lost {
	struct record head;
	uint64_t id, lost;
};

/* From here on an entry of ips is no address, but says of which context the following ones are. */
#define PERF_CONTEXT_MAX ((uint64_t)-4095)

struct ring_page {
	char counter[1024];
	uint64_t data_head, data_tail; /* bytes that were ever written by the kernel, and read by us */
	uint64_t data_offset, data_size;
};

struct ring {
	struct ring_page *page;
	char *data;
	uint64_t size;
	int fd;
};

struct function {
	uint64_t address;
	char *name;
	unsigned long hits;
};

struct chain {
	unsigned depth;
	struct function *functions[DEPTH]; /* the first one was hit. Its caller, its caller's caller... */
	unsigned long hits;
};

static struct function *functions; /* by address */
static size_t function_count;
static struct chain chains[CHAINS_MAX];
static unsigned chain_count;
static unsigned long samples, lost, dropped;

static int by_address(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static bool read_functions(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256], type;
	unsigned long address;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %c %255s", &address, &type, name) != 3 || !strchr("tTwW", type))
			continue;
		if (!(function_count & (function_count + 1)))
			functions = realloc(functions, 2 * (function_count + 1) * sizeof(*functions));
		functions[function_count++] = (struct function){ .address = address, .name = strdup(name) };
	}
	fclose(file);
	qsort(functions, function_count, sizeof(*functions), by_address);
	return function_count;
}

/* The function with this address: the last one that does not begin behind it. NULL: none does. */
static struct function *find_function(uint64_t address)
{
	size_t low = 0, high = function_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

/* Counts a chain, and its first function. */
static void add_chain(const struct chain *chain)
{
	unsigned i = 0;

	if (!chain->depth)
		return;
	samples++;
	chain->functions[0]->hits++;
	while (i < chain_count && (chains[i].depth != chain->depth || memcmp(chains[i].functions, chain->functions, sizeof(chain->functions))))
		i++;
	if (i == CHAINS_MAX) {
		dropped++;
		return;
	}
	if (i == chain_count)
		chains[chain_count++] = *chain;
	chains[i].hits++;
}

static void count_sample(const struct sample *sample)
{
	struct chain chain = { .depth = 0 };

	/*
	 * LAB 15: Which functions are in the chain? A return address can be the first byte behind a function.
	 * Starts as: (void)sample, (void)find_function;
	 */
	for (uint64_t i = 0; i < sample->nr && chain.depth < DEPTH; i++) {
		struct function *function;

		if (sample->ips[i] >= PERF_CONTEXT_MAX)
			continue;
		function = find_function(sample->ips[i] - (chain.depth > 0));
		if (function)
			chain.functions[chain.depth++] = function;
	}
	/* END LAB 15 */
	add_chain(&chain);
}

static void take_record(const struct record *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		count_sample((const struct sample *)record);
	else if (record->type == PERF_RECORD_LOST)
		lost += ((const struct lost *)record)->lost;
}

/* Calls take for each record in the ring, and gives the room back to the kernel. */
static void read_ring(struct ring *ring, void (*take)(const struct record *))
{
	/*
	 * LAB 15: The kernel stores data_head after the records. Store data_tail after you have used them.
	 * Starts as: (void)ring, (void)take;
	 */
	static _Alignas(8) char joined[RECORD_MAX];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;

	while (tail != head) {
		uint64_t at = tail & (ring->size - 1), first = ring->size - at;
		const struct record *record = (const struct record *)(ring->data + at);

		if (record->size > first) { /* it goes on at the beginning of the ring */
			uint16_t size = record->size;

			memcpy(joined, record, first);
			memcpy(joined + first, ring->data, size - first);
			record = (const struct record *)joined;
		}
		take(record);
		tail += record->size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	/* END LAB 15 */
}

/* Samples the process pid and its children on one CPU, from its exec() on. 0, or -1 with errno set. */
static int open_ring(struct ring *ring, pid_t pid, int cpu, unsigned long period)
{
	/*
	 * LAB 15: One event and one ring for a CPU. period is in nanoseconds.
	 * Starts as:
	 * (void)ring, (void)pid, (void)cpu, (void)period;
	 * errno = ENOSYS;
	 * return -1;
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.flags = ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT | ATTR_EXCLUDE_USER | ATTR_EXCLUDE_CALLCHAIN_USER |
			 ATTR_WATERMARK,
		.wakeup_watermark = RING_SIZE / 2,
	};

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
	if (ring->fd < 0)
		return -1;
	ring->size = RING_SIZE;
	ring->page = mmap(NULL, PAGE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED)
		return -1;
	ring->data = (char *)ring->page + PAGE;
	return 0;
	/* END LAB 15 */
}

static int by_hits(const void *a, const void *b)
{
	const struct function *const *left = a, *const *right = b;

	return ((*left)->hits < (*right)->hits) - ((*left)->hits > (*right)->hits);
}

static int by_chain_hits(const void *a, const void *b)
{
	const struct chain *left = a, *right = b;

	return (left->hits < right->hits) - (left->hits > right->hits);
}

static void show_chains(const struct function *function)
{
	for (unsigned i = 0, shown = 0; i < chain_count && shown < CHAINS; i++) {
		if (chains[i].functions[0] != function || chains[i].depth < 2)
			continue;
		printf("%15lu", chains[i].hits);
		for (unsigned n = 1; n < chains[i].depth; n++)
			printf(" < %s", chains[i].functions[n]->name);
		putchar('\n');
		shown++;
	}
}

static void show(bool with_chains)
{
	struct function **hit = calloc(function_count, sizeof(*hit));
	size_t count = 0;

	for (size_t i = 0; hit && i < function_count; i++)
		if (functions[i].hits)
			hit[count++] = &functions[i];
	qsort(hit, count, sizeof(*hit), by_hits);
	qsort(chains, chain_count, sizeof(*chains), by_chain_hits);
	printf("%lu samples in the kernel, %lu lost\n", samples, lost);
	for (size_t i = 0; i < count && i < SHOWN; i++) {
		printf("%5.1f%% %8lu %s\n", 100.0 * (double)hit[i]->hits / (double)samples, hit[i]->hits, hit[i]->name);
		if (with_chains)
			show_chains(hit[i]);
	}
	if (with_chains && dropped)
		printf("%lu samples have other chains\n", dropped);
	free(hit);
}

/* Starts the program, which executes when `go` is closed. Its copy of `alive` is closed when it and its children have ended. */
static pid_t start(char **argv, int go[2], int alive[2])
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(go[1]);
	close(alive[0]);
	if (read(go[0], &byte, 1) == 0) {
		close(go[0]);
		execvp(argv[0], argv);
	}
	fprintf(stderr, "hot: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	static struct ring rings[CPUS_MAX];
	static struct pollfd wait_for[CPUS_MAX + 1];
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), go[2], alive[2], status, option;
	unsigned long period = 250;
	bool with_chains = false;
	pid_t pid;

	while ((option = getopt(argc, argv, "+gp:")) != -1) {
		if (option == 'g')
			with_chains = true;
		else if (option == 'p')
			period = strtoul(optarg, NULL, 0);
		else
			period = 0;
	}
	if (!period || optind == argc) {
		fprintf(stderr, "usage: hot [-g] [-p MICROSECONDS] PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	if (!read_functions() || pipe(go) || pipe(alive) || (pid = start(argv + optind, go, alive)) < 0) {
		perror("hot");
		return 1;
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (open_ring(&rings[cpu], pid, cpu, period * 1000)) {
			perror("hot: open_ring");
			return 1;
		}
		wait_for[cpu] = (struct pollfd){ .fd = rings[cpu].fd, .events = POLLIN };
	}
	wait_for[cpus] = (struct pollfd){ .fd = alive[0], .events = POLLIN };
	close(alive[1]);
	close(go[0]);
	close(go[1]);
	do {
		poll(wait_for, (nfds_t)cpus + 1, -1);
		for (int cpu = 0; cpu < cpus; cpu++) {
			read_ring(&rings[cpu], take_record);
			if (wait_for[cpu].revents & POLLHUP) /* no task has the event any more */
				wait_for[cpu].fd = -1;
		}
	} while (!wait_for[cpus].revents);
	waitpid(pid, &status, 0);
	show(with_chains);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
