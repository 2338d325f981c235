/* Which entries that another kernel has left in memory can be printed. */
#pragma once

#include "kernel/types.h"

/*
 * Returns whether the text of an entry can be made of the entry alone: each field lies in it, so
 * does what a field says about the place and the length of others, strings end in it, and an
 * address that a printer follows is that of one of the kernel's constants. Whoever wrote the entry
 * also wrote its sum, so a right sum says nothing about that. Other addresses and numbers may be
 * wrong.
 *
 * False for an entry of an event that this kernel does not have yet, such as one of a module or a
 * probe: its number may soon be that of another event. Boot.
 */
bool trace_entry_is_valid(const void *payload, size_t length);
