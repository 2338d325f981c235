/*
 * opens: counts for some seconds, or until ^C, how often each program opens each file, and prints the most frequent.
 *
 *	opens [SECONDS]
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "opens.h"
#include "opens.skel.h"

#define SHOWN   20
#define MAXIMUM 4096

struct row {
	struct opened key;
	unsigned long long count;
};

static void stop(int signal)
{
	(void)signal;
}

static int more_often(const void *a, const void *b)
{
	const struct row *first = a, *second = b;

	return (first->count < second->count) - (first->count > second->count);
}

/* Reads the table. The kernel goes on counting meanwhile. */
static size_t read_rows(const struct bpf_map *map, struct row *rows)
{
	struct opened *previous = NULL;
	size_t n = 0;

	while (n < MAXIMUM &&
	       bpf_map__get_next_key(map, previous, &rows[n].key, sizeof(rows[n].key)) == 0) {
		previous = &rows[n].key;
		if (bpf_map__lookup_elem(map, previous, sizeof(*previous), &rows[n].count,
					 sizeof(rows[n].count), 0) == 0)
			n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct row rows[MAXIMUM];
	struct opens *skeleton = opens__open_and_load();
	int status = 1;
	size_t n;

	if (!skeleton || opens__attach(skeleton))
		goto out;
	signal(SIGINT, stop);
	if (argc > 1)
		sleep(atoi(argv[1]));
	else
		pause();
	n = read_rows(skeleton->maps.counts, rows);
	qsort(rows, n, sizeof(*rows), more_often);
	printf("OPENS COMM             FILE\n");
	for (size_t i = 0; i < n && i < SHOWN; i++)
		printf("%5llu %-16s %s\n", rows[i].count, rows[i].key.comm, rows[i].key.file);
	status = 0;
out:
	opens__destroy(skeleton);
	return status;
}
