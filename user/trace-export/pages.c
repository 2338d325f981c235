/* Sends pages of the ring buffers as frames. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"

#define PAGES_PER_READ (EXPORT_PAYLOAD / PAGE_SIZE)
#define FOLLOW_MS      50 /* pause when the buffers had less than a page */

static long count_cpu(void *arg, const char *path __attribute__((unused)), const char *name)
{
	struct trace_export *x = arg;
	unsigned cpu;

	if (!strncmp(name, "cpu", 3) && sscanf(name + 3, "%u", &cpu) == 1 && cpu >= x->nr_cpus)
		if (cpu >= x->nr_cpus)
			x->nr_cpus = cpu + 1;
	return 0;
}

int export_open_cpus(struct trace_export *x)
{
	char path[PATH_SIZE];
	int error;

	snprintf(path, sizeof(path), "%s/per_cpu", x->top);
	x->nr_cpus = 0;
	error = (int)scan_directory(path, count_cpu, x);
	if (error)
		return error;
	x->cpu_fds = malloc(x->nr_cpus * sizeof(*x->cpu_fds));
	if (!x->cpu_fds)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < x->nr_cpus; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", x->top, cpu);
		x->cpu_fds[cpu] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return 0;
}

void export_close_cpus(struct trace_export *x)
{
	for (unsigned cpu = 0; x->cpu_fds && cpu < x->nr_cpus; cpu++)
		if (x->cpu_fds[cpu] >= 0)
			close(x->cpu_fds[cpu]);
	free(x->cpu_fds);
	x->cpu_fds = NULL;
}

/* Sends one frame of a CPU's pages at most. Returns the number of pages, or an error. */
static int send_pages(struct trace_export *x, unsigned cpu)
{
	ssize_t n = PAGE_SIZE;
	int pages = 0;

	while (pages < (int)PAGES_PER_READ && n == PAGE_SIZE) {
		n = result(read(x->cpu_fds[cpu], x->link.payload + (size_t)pages * PAGE_SIZE, PAGE_SIZE));
		pages += n == PAGE_SIZE;
	}
	if (n < 0 && n != -EAGAIN && !export_go_on(x, n))
		return (int)n;
	x->bytes += (u64)pages * PAGE_SIZE;
	return pages && export_link_send(&x->link, EXPORT_PAGES, 0, (u16)cpu,
					 (size_t)pages * PAGE_SIZE)
		       ? x->link.error
		       : pages;
}

/* Sends a frame of each CPU. Returns the largest number of pages that a CPU had, or an error. */
static int send_all_pages(struct trace_export *x)
{
	int most = 0;

	for (unsigned cpu = 0; x->cpu_fds && cpu < x->nr_cpus && most >= 0; cpu++) {
		int pages = x->cpu_fds[cpu] >= 0 ? send_pages(x, cpu) : 0;

		most = pages < 0 || pages > most ? pages : most;
	}
	return most;
}

/* True when the followed command has ended, or the user or the receiver ends the transfer. */
static bool ended(struct trace_export *x)
{
	return x->listen ? export_command_ended(x) : export_asked_to_end(x);
}

/* Pauses while the CPUs have few events, because a read also returns a page that is not full. */
int export_follow(struct trace_export *x)
{
	int pages = 0, output;
	bool last;

	do {
		/* First, so that the last turn sends all that was written before. */
		last = ended(x);
		output = export_send_output(x);
		pages = output < 0 ? output : send_all_pages(x);
		x->watch_output = true;
		if (!last && pages >= 0 && pages < 2 && !output &&
		    export_link_poll(&x->link, FOLLOW_MS))
			pages = x->link.error;
		x->watch_output = false;
	} while (pages >= 0 && (!last || output));
	return pages < 0 ? pages : 0;
}

int export_drain(struct trace_export *x)
{
	int pages;

	do
		pages = send_all_pages(x);
	while (pages > 0 && (x->follow || !export_asked_to_end(x)));
	return pages < 0 ? pages : 0;
}
