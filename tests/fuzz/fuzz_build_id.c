/*
 * The search for the build id of a program's file, whose bytes are anybody's.
 * sources: trace/perf/build_id.c
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel/mm/page_alloc.h"
#include "trace/perf/build_id.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *page = calloc(1, PAGE_SIZE), id[PERF_BUILD_ID_MAX];
	u32 found;

	memcpy(page, data, size < PAGE_SIZE ? size : PAGE_SIZE);
	found = perf_find_build_id(page, id);
	CHECK(found <= PERF_BUILD_ID_MAX);
	for (u32 i = found; i < PERF_BUILD_ID_MAX; i++)
		CHECK(!id[i]);
	if (found)
		CHECK(memmem(page, PAGE_SIZE, id, found));
	free(page);
	return 0;
}
