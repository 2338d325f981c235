/* kstrdup() and kstrndup() for fuzzers. */
#pragma once

#include <string.h>

#include "tests/host/host_kmalloc.h"

char *kstrndup(const char *s, size_t max, gfp_t gfp)
{
	size_t length = strnlen(s, max);
	char *copy = __kmalloc(length + 1, gfp);

	if (copy) {
		memcpy(copy, s, length);
		copy[length] = '\0';
	}
	return copy;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	return kstrndup(s, strlen(s), gfp);
}
