/* Opens and closes a trace.dat. */
#include "dat.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dat_internal.h"

#define DAMAGE_SHOWN 20

void dat_damaged(struct dat *dat, const char *fmt, ...)
{
	va_list args;

	if (dat->damage++ < DAMAGE_SHOWN) {
		fprintf(stderr, "%s: ", dat->file_name);
		va_start(args, fmt);
		vfprintf(stderr, fmt, args);
		va_end(args);
		fputc('\n', stderr);
	} else if (dat->damage == DAMAGE_SHOWN + 1) {
		fprintf(stderr, "%s: (and more)\n", dat->file_name);
	}
}

static bool refuse(const struct dat *dat, const char *what)
{
	fprintf(stderr, "%s: %s\n", dat->file_name, what);
	return false;
}

/* Checks the magic, and finds the reader of the file's version. */
static bool check_magic(struct dat *dat, const char *(**read)(struct dat *dat))
{
	char magic[10], version[16] = "";

	if (!dat_take(dat, magic, 10) || memcmp(magic, "\x17\x08\x44tracing", 10))
		return refuse(dat, "this is no trace.dat");
	for (unsigned i = 0; i < sizeof(version) - 1; i++)
		if (!dat_take(dat, &version[i], 1) || !version[i])
			break;
	*read = !strcmp(version, "6") ? dat_read_v6 : !strcmp(version, "7") ? dat_read_v7 : NULL;
	if (*read)
		return true;
	fprintf(stderr, "%s: version %.15s of the format; this program reads versions 6 and 7\n", dat->file_name, version);
	return false;
}

/* Takes the fields that follow the version in all versions. */
static const char *take_head(struct dat *dat)
{
	uint8_t two[2]; /* byte order, size of a long */

	if (!dat_take(dat, two, 2) || !dat_take(dat, &dat->page_size, 4))
		return "its head";
	if (two[0])
		return "anything but little-endian data";
	if (dat->page_size < 64 || dat->page_size > PAGE_MAX)
		return "a sensible page size";
	return NULL;
}

struct dat *dat_open(int fd, const char *name)
{
	struct dat *dat = calloc(1, sizeof(*dat));
	const char *(*read)(struct dat *dat), *missing;
	struct stat st;

	if (!dat || fstat(fd, &st) || !(dat->formats = calloc(ID_MAX, sizeof(*dat->formats)))) {
		perror(name);
		free(dat);
		return NULL;
	}
	dat->fd = fd;
	dat->file_name = name;
	dat->file_size = (uint64_t)st.st_size;
	dat->end = dat->file_size;
	if (!check_magic(dat, &read)) {
		dat_close(dat);
		return NULL;
	}
	missing = take_head(dat);
	if (!missing)
		missing = read(dat);
	if (missing) {
		fprintf(stderr, "%s: damaged or cut short: it does not have %s\n", name, missing);
		dat_close(dat);
		return NULL;
	}
	dat_read_names(dat);
	for (unsigned i = 0; i < dat->nr_cpus; i++)
		dat_advance(dat, i);
	return dat;
}

void dat_close(struct dat *dat)
{
	dat_free_names(dat);
	for (unsigned i = 0; dat->cpus && i < dat->nr_cpus; i++) {
		free(dat->cpus[i].page);
		free(dat->cpus[i].chunk);
	}
	free(dat->cpus);
	for (unsigned i = 0; i < ID_MAX; i++)
		if (dat->formats[i]) /* most are NULL, and calls of free(NULL) would take most of the fuzzer's time */
			dat_free_format(dat->formats[i]);
	free(dat->formats);
	free(dat);
}

unsigned dat_cpus(const struct dat *dat)
{
	return dat->nr_cpus;
}

unsigned dat_damage(const struct dat *dat)
{
	return dat->damage;
}
