/* The GNU build id of an ELF file. */
#pragma once

#include "kernel/types.h"

#define PERF_BUILD_ID_MAX 20

/*
 * Finds the id in the first page of the file. Its size, and its bytes in id, with zeros behind
 * them; 0: none. The page may change meanwhile. Any context.
 */
u32 perf_find_build_id(const u8 *page, u8 id[PERF_BUILD_ID_MAX]);
