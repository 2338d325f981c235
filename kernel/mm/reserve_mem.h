/*
 * Areas of memory that keep their contents when the machine restarts:
 *
 *	reserve_mem=SIZE:ALIGN:NAME	chooses a place (Linux 6.12: kernel-parameters.txt)
 *
 * The place depends only on the map of the RAM, so the next boot finds the same one. docs/memory.md
 * says which memory the firmware and the loaders leave alone.
 */
#pragma once

#include "kernel/types.h"

/* Asks for an area at that place, before reserve_mem_init(). 0, -EINVAL or -ENOSPC. Boot. */
int reserve_mem_at(phys_addr_t start, size_t size);
/* Returns whether reserve_mem_init() has reserved the area of reserve_mem_at(). Any context. */
bool reserve_mem_has(phys_addr_t start, size_t size);
/* Finds the area of that name. False: there is none. Any context after reserve_mem_init(). */
bool reserve_mem_find_by_name(const char *name, phys_addr_t *start, size_t *size);
