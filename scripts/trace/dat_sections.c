/* Reads the contents of trace.dat's sections. dat_v6.c and dat_v7.c find the sections. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat_internal.h"

#define CPUS_MAX 4096

bool dat_read_at(struct dat *dat, uint64_t offset, void *buf, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(dat->fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool dat_take(struct dat *dat, void *buf, size_t size)
{
	if (size > dat->end - dat->at)
		return false;
	if (dat->section)
		memcpy(buf, dat->section + dat->at, size);
	else if (!dat_read_at(dat, dat->at, buf, size))
		return false;
	dat->at += size;
	return true;
}

bool dat_take_tag(struct dat *dat, const char *tag)
{
	char buf[16];
	size_t size = strlen(tag) + 1;

	if (!dat_take(dat, buf, size))
		return false;
	if (!memcmp(buf, tag, size))
		return true;
	dat->at -= size;
	return false;
}

char *dat_take_text(struct dat *dat, size_t size_bytes)
{
	uint64_t size = 0;
	char *text;

	if (!dat_take(dat, &size, size_bytes) || size > DAT_TEXT_MAX || size > dat->end - dat->at)
		return NULL;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	if (!dat_take(dat, text, size)) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

/* Finds the offset of the data in a page. */
static bool read_header_page(struct dat *dat)
{
	char *text = dat_take_text(dat, 8), *data = text ? strstr(text, "field: char data;\toffset:") : NULL;
	bool good = data && sscanf(data + 24, "%*[^0-9]%u", &dat->data_offset) == 1;

	free(text);
	return good && dat->data_offset >= 12 && dat->data_offset < dat->page_size;
}

const char *dat_take_headers(struct dat *dat)
{
	char *text;

	if (!dat_take_tag(dat, "header_page") || !read_header_page(dat))
		return "header_page";
	text = dat_take_tag(dat, "header_event") ? dat_take_text(dat, 8) : NULL;
	if (!text)
		return "header_event";
	free(text);
	return NULL;
}

bool dat_take_formats(struct dat *dat, const char *system)
{
	uint32_t count;

	if (!dat_take(dat, &count, 4))
		return false;
	while (count--) {
		char *text = dat_take_text(dat, 8);

		if (!text)
			return false;
		dat_read_format(dat, system, text);
		free(text);
	}
	return true;
}

bool dat_take_systems(struct dat *dat)
{
	uint32_t count;
	char system[64], c;

	if (!dat_take(dat, &count, 4))
		return false;
	while (count--) {
		size_t length = 0;

		do {
			if (!dat_take(dat, &c, 1))
				return false;
			if (length < sizeof(system))
				system[length++] = c;
		} while (c);
		system[length - 1] = '\0';
		if (!dat_take_formats(dat, system))
			return false;
	}
	return true;
}

const char *dat_set_cpus(struct dat *dat, uint32_t count)
{
	if (count > CPUS_MAX)
		return "a sensible number of CPUs";
	dat->cpus = calloc(count ? count : 1, sizeof(*dat->cpus));
	if (!dat->cpus)
		return "memory";
	dat->nr_cpus = count;
	for (unsigned i = 0; i < count; i++)
		if (!(dat->cpus[i].page = malloc(dat->page_size)))
			return "memory";
	return NULL;
}

void dat_place_cpu(struct dat *dat, unsigned number, uint64_t offset, uint64_t size)
{
	struct cpu *cpu = &dat->cpus[number];

	cpu->offset = offset;
	cpu->size = size;
	if (offset <= dat->file_size && size <= dat->file_size - offset)
		return;
	dat_damaged(dat, "CPU %u: the data goes on behind the end of the file", number);
	cpu->size = offset > dat->file_size ? 0 : dat->file_size - offset;
}
