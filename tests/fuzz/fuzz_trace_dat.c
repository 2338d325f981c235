/*
 * trace.dat under libFuzzer. For any file, the reader must end, stay inside its memory, and give events with
 * readable fields.
 *
 * sources: scripts/trace/dat.c scripts/trace/dat_sections.c scripts/trace/dat_v6.c scripts/trace/dat_v7.c scripts/trace/dat_pages.c scripts/trace/dat_names.c scripts/trace/dat_format.c scripts/trace/dat_other.c scripts/trace/print_parse.c scripts/trace/print_eval.c scripts/trace/print_text.c
 * runs: 500
 * libraries: -lz -lzstd
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripts/trace/dat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *quiet;
	const struct event *event;
	struct dat *dat;
	char text[256];
	int fd = memfd_create("trace.dat", 0);

	if (!quiet)
		quiet = stderr = fopen("/dev/null", "w"); /* the reader reports each error in the file */
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	dat = dat_open(fd, "input");
	while (dat && (event = dat_next(dat))) {
		if (event->cpu >= dat_cpus(dat) || !event->name || !dat_comm(dat, event->pid))
			abort();
		if (dat_symbol(dat, event->ip) >= dat_symbols(dat) ||
		    !dat_symbol_name(dat, dat_symbol(dat, event->parent)))
			abort();
		dat_peek(dat, event->cpu);
		if (event->kind == EVENT_PRINT || event->kind == EVENT_BPRINT || event->kind == EVENT_BPUTS || event->kind == EVENT_OTHER)
			dat_print(dat, event, text, sizeof(text));
		/* All bytes of it are readable. */
		for (size_t i = 0; i < event->size; i++)
			text[i % sizeof(text)] = (char)event->data[i];
	}
	if (dat)
		dat_close(dat);
	close(fd);
	return 0;
}
