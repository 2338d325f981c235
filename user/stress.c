/* stress: processes that compute, and processes that map memory. Both verify their results. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS  4096 /* the most words in a block of memory */
#define BLOCKS 64   /* blocks of one process */

/* Shared by all processes. */
static struct stress {
	_Atomic uint64_t end; /* ns of the monotonic clock */
	_Atomic unsigned long checked, wrong;
} *shared;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Counts a check. Returns true if the time is over. */
static bool over(bool right)
{
	shared->checked++;
	shared->wrong += !right;
	return now() >= shared->end;
}

static uint64_t xorshift(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ (x << 17);
}

static uint64_t compute(uint64_t x)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		x = xorshift(x);
		sum = (sum << 7 | sum >> 57) + x;
	}
	return sum;
}

/* Repeats one computation, which must always have the result of the first time. */
static void stress_cpu(void)
{
	volatile uint64_t seed = (uint64_t)getpid(); /* else the compiler computes once */
	uint64_t expected = compute(seed);

	while (!over(compute(seed) == expected))
		;
}

static size_t words_of(uint64_t seed)
{
	return 1 + seed % WORDS;
}

/* Fills a block with the numbers that follow from seed, or checks that the block has them still. */
static bool fill_or_check(uint64_t *block, uint64_t seed, bool check)
{
	size_t n = block ? words_of(seed) : 0;
	bool right = true;

	for (size_t i = 0; i < n; i++) {
		seed = xorshift(seed);
		if (check)
			right &= block[i] == seed;
		else
			block[i] = seed;
	}
	return right;
}

static void unmap(uint64_t *block, uint64_t seed)
{
	if (block)
		munmap(block, words_of(seed) * sizeof(uint64_t));
}

/* Maps and unmaps blocks in a random order. No memory is not an error. */
static void stress_memory(void)
{
	uint64_t *blocks[BLOCKS] = { 0 }, seeds[BLOCKS] = { 0 }, x = (uint64_t)getpid();
	bool right;

	do {
		unsigned i = (unsigned)(x >> 16) % BLOCKS;
		uint64_t *block;

		right = fill_or_check(blocks[i], seeds[i], true);
		unmap(blocks[i], seeds[i]);
		seeds[i] = x = xorshift(x);
		block = mmap(NULL, words_of(x) * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		blocks[i] = block == MAP_FAILED ? NULL : block;
		fill_or_check(blocks[i], x, false);
	} while (!over(right));
	for (unsigned i = 0; i < BLOCKS; i++) {
		over(fill_or_check(blocks[i], seeds[i], true));
		unmap(blocks[i], seeds[i]);
	}
}

static void run_child(void (*run)(void))
{
	signal(SIGTERM, SIG_DFL);
	run();
	_exit(0);
}

static int stress(long cpu, long memory)
{
	int error = 0, status;
	unsigned failures = 0;

	for (long i = 0; i < cpu + memory && !error; i++) {
		pid_t pid = fork();

		if (pid == 0)
			run_child(i < cpu ? stress_cpu : stress_memory);
		error = pid < 0 ? errno : 0;
	}
	if (error)
		shared->end = 0; /* the processes that exist already end at once */
	while (wait(&status) > 0)
		failures += status != 0;
	if (error) {
		errno = error;
		perror("stress: can't make the tasks");
		return 1;
	}
	printf("stress: %lu checksums verified\n", shared->checked);
	if (failures)
		printf("stress: %u tasks did not complete\n", failures);
	if (shared->wrong)
		printf("stress: %lu mismatches\n", shared->wrong);
	return failures || shared->wrong;
}

static long at_most(const char *text, long most)
{
	long number = atol(text);

	return number < most ? number : most;
}

int main(int argc, char **argv)
{
	long cpu = 0, memory = 0, seconds = 10;
	int option;

	while ((option = getopt(argc, argv, "c:m:t:")) > 0 && option != '?') {
		if (option == 't')
			seconds = at_most(optarg, 1000000);
		else
			*(option == 'c' ? &cpu : &memory) = at_most(optarg, 10000);
	}
	if (option > 0 || optind < argc) {
		fprintf(stderr, "Usage: stress [-c N] [-m N] [-t SECONDS]\n");
		return 2;
	}
	if (!cpu && !memory)
		cpu = memory = 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("stress");
		return 1;
	}
	shared->end = now() + (uint64_t)seconds * 1000000000;
	return stress(cpu, memory);
}
