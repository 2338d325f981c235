/*
 * Measures the tracing figures on Linux. A static program. Runs under shared/tools/linux-ref --icount --cpus 1 in
 * /sys/kernel/tracing, where one instruction is one tick of the TSC. Prints lines `NAME FIGURE`.
 *
 * The traced call is getppid(2), with the kernel function __do_sys_getppid. The figure is its additional cost
 * with tracing. The cost of registering is the CPU time of the task, which does not include the sleep in a grace
 * period. The accesses to the files are less than a hundredth of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define FUNCTION "__do_sys_getppid"
#define WARM_UP	 200
#define CALLS	 2001
#define ROUNDS	 5

static void put_mode(const char *file, const char *text, int mode)
{
	int fd = open(file, O_WRONLY | mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(file);
		exit(1);
	}
	close(fd);
}

static void put(const char *file, const char *text)
{
	put_mode(file, text, O_TRUNC);
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return x < y ? -1 : x > y;
}

/* Returns the median cost of a call, because interrupts and other tasks delay some calls. */
static long long call(void)
{
	static unsigned long long took[CALLS];

	for (int i = 0; i < WARM_UP + CALLS; i++) {
		unsigned long long start = __rdtsc();

		syscall(SYS_getppid);
		took[i % CALLS] = __rdtsc() - start;
	}
	qsort(took, CALLS, sizeof(took[0]), compare);
	return (long long)took[CALLS / 2];
}

static unsigned long long own_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

/* Returns the minimum of several rounds, because an interrupt may delay some rounds. */
static unsigned long long switching(const char *file, const char *on, const char *off, int mode)
{
	unsigned long long least = ~0ULL;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned long long start = own_time(), took;

		put_mode(file, on, mode);
		put_mode(file, off, mode);
		took = own_time() - start;
		if (took < least)
			least = took;
	}
	return least;
}

/* Returns what enabling costs for each event: the least of several rounds. */
static unsigned long long enabling_events(void)
{
	unsigned long long least = ~0ULL, events = 0;
	FILE *list = fopen("available_events", "r");

	for (int c; list && (c = getc(list)) != EOF;)
		events += c == '\n';
	if (!events) {
		perror("available_events");
		exit(1);
	}
	fclose(list);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned long long start = own_time(), took;

		put("events/enable", "1");
		took = own_time() - start;
		if (took < least)
			least = took;
		put("events/enable", "0");
	}
	printf("# %llu events: %llu\n", events, least);
	return least / events;
}

int main(void)
{
	long long plain;

	setvbuf(stdout, NULL, _IONBF, 0);
	plain = call();
	put("tracing_on", "0");
	put("set_ftrace_filter", FUNCTION ":traceoff\n");
	printf("probe_off %lld\n", call() - plain);
	put_mode("set_ftrace_filter", "!" FUNCTION ":traceoff\n", O_APPEND);
	put("tracing_on", "1");

	if (mkdir("instances/other", 0755))
		perror("instances/other");
	put("set_ftrace_filter", FUNCTION "\n");
	put("instances/other/set_ftrace_filter", FUNCTION "\n");
	put("current_tracer", "function");
	put("instances/other/current_tracer", "function");
	printf("ops_list %lld\n", call() - plain);
	put("instances/other/current_tracer", "nop");
	printf("traced_call %lld\n", call() - plain);
	put("tracing_on", "0");
	printf("ops_own_tracing_off %lld\n", call() - plain);
	put("tracing_on", "1");
	put("current_tracer", "nop");

	printf("ops_register %llu\n", switching("current_tracer", "function", "nop", O_TRUNC));
	printf("probe_register %llu\n",
	       switching("set_ftrace_filter", FUNCTION ":traceoff\n", "!" FUNCTION ":traceoff\n", O_APPEND));
	printf("events_all %llu\n", enabling_events());
	return 0;
}
