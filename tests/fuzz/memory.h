/* Physical memory for parsers under test: the fuzzer's bytes at MEMORY_BASE, and holes everywhere else. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BASE 0x1000
#define MAX_READS   4096

static const uint8_t *memory_bytes;
static size_t memory_size;
static void *memory_reads[MAX_READS];
static size_t memory_read_count;

static void memory_set(const uint8_t *bytes, size_t size)
{
	memory_bytes = bytes;
	memory_size = size;
}

/* Each read gets an allocation of its exact size, so that ASan sees an overrun. */
static void *memory_read(uint64_t phys, size_t size)
{
	uint8_t *copy;

	if (phys < MEMORY_BASE || phys - MEMORY_BASE > memory_size ||
	    size > memory_size - (phys - MEMORY_BASE) || memory_read_count == MAX_READS)
		return NULL;
	copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	memcpy(copy, memory_bytes + (phys - MEMORY_BASE), size);
	memory_reads[memory_read_count++] = copy;
	return copy;
}

static void memory_free(void)
{
	while (memory_read_count)
		free(memory_reads[--memory_read_count]);
}
