/*
 * wakers: watches for some seconds, or until ^C, which task wakes which, and how long the woken tasks wait for a CPU.
 *
 *	wakers [SECONDS]
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "wakers.h"
#include "wakers.skel.h"

#define SHOWN   20
#define MAXIMUM 4096
#define WIDTH   40 /* of the longest bar */

struct row {
	struct pair pair;
	struct waits waits;
};

static void stop(int signal)
{
	(void)signal;
}

static int more_often(const void *a, const void *b)
{
	const struct row *first = a, *second = b;

	return (first->waits.count < second->waits.count) -
	       (first->waits.count > second->waits.count);
}

/* Reads the values of all CPUs for a pair, and adds them up. */
static int read_waits(const struct bpf_map *map, int cpus, struct row *row)
{
	struct waits *values = calloc(cpus, sizeof(*values));
	int error = values ? bpf_map__lookup_elem(map, &row->pair, sizeof(row->pair), values,
						  cpus * sizeof(*values), 0)
			   : -1;

	row->waits = (struct waits){ 0 };
	for (int cpu = 0; !error && cpu < cpus; cpu++) {
		row->waits.count += values[cpu].count;
		row->waits.total += values[cpu].total;
		if (values[cpu].longest > row->waits.longest)
			row->waits.longest = values[cpu].longest;
	}
	free(values);
	return error;
}

static void print_pairs(const struct bpf_map *map)
{
	static struct row rows[MAXIMUM];
	struct pair *previous = NULL;
	int cpus = libbpf_num_possible_cpus();
	size_t n = 0;

	while (n < MAXIMUM &&
	       bpf_map__get_next_key(map, previous, &rows[n].pair, sizeof(rows[n].pair)) == 0) {
		previous = &rows[n].pair;
		if (read_waits(map, cpus, &rows[n]) == 0 && rows[n].waits.count)
			n++;
	}
	qsort(rows, n, sizeof(*rows), more_often);
	printf("WAKER            WOKEN             TIMES  MEAN us LONGEST us\n");
	for (size_t i = 0; i < n && i < SHOWN; i++)
		printf("%-16s %-16s %6llu %8.1f %10.1f\n", rows[i].pair.waker, rows[i].pair.woken,
		       rows[i].waits.count, rows[i].waits.total / 1e3 / rows[i].waits.count,
		       rows[i].waits.longest / 1e3);
}

static void print_histogram(const unsigned long long *slots)
{
	unsigned long long most = 0;
	int last = 0;

	for (int i = 0; i < SLOTS; i++) {
		if (slots[i])
			last = i;
		if (slots[i] > most)
			most = slots[i];
	}
	printf("\n      WAIT us   TIMES\n");
	for (int i = 0; most && i <= last; i++)
		printf("%11llu ..%8llu %.*s\n", i ? 1ULL << i : 0, slots[i],
		       (int)(slots[i] * WIDTH / most), "****************************************");
}

int main(int argc, char **argv)
{
	struct wakers *skeleton = wakers__open_and_load();
	int status = 1;

	if (!skeleton || wakers__attach(skeleton))
		goto out;
	signal(SIGINT, stop);
	if (argc > 1)
		sleep(atoi(argv[1]));
	else
		pause();
	wakers__detach(skeleton);
	print_pairs(skeleton->maps.pairs);
	print_histogram(skeleton->bss->histogram);
	status = 0;
out:
	wakers__destroy(skeleton);
	return status;
}
