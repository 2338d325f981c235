/* Version 6 of trace.dat (trace-cmd.dat.v6(5)) has its sections in a fixed order. */
#include "dat_internal.h"

static bool skip_options(struct dat *dat)
{
	uint16_t id;
	uint32_t size;

	for (;;) {
		if (!dat_take(dat, &id, 2))
			return false;
		if (!id)
			return true;
		if (!dat_take(dat, &size, 4) || size > dat->end - dat->at)
			return false;
		dat->at += size;
	}
}

static const char *read_cpus(struct dat *dat)
{
	const char *missing;
	uint64_t place[2];
	uint32_t count;

	if (!dat_take(dat, &count, 4))
		return "the number of CPUs";
	missing = dat_set_cpus(dat, count);
	if (missing)
		return missing;
	if (dat_take_tag(dat, "options  ") && !skip_options(dat))
		return "the options";
	if (!dat_take_tag(dat, "flyrecord"))
		return "the section of the CPUs' data";
	for (unsigned i = 0; i < count; i++) {
		if (!dat_take(dat, place, sizeof(place)))
			return "the table of the CPUs' data";
		dat_place_cpu(dat, i, place[0], place[1]);
	}
	return NULL;
}

const char *dat_read_v6(struct dat *dat)
{
	const char *missing = dat_take_headers(dat);

	if (missing)
		return missing;
	if (!dat_take_formats(dat, "ftrace") || !dat_take_systems(dat))
		return "the formats of the events";
	if (!(dat->kallsyms = dat_take_text(dat, 4)))
		return "kallsyms";
	if (!(dat->printk = dat_take_text(dat, 4)))
		return "the formats of trace_printk";
	if (!(dat->cmdlines = dat_take_text(dat, 8)))
		return "the names of the tasks";
	return read_cpus(dat);
}
