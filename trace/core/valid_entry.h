/* Which entries that another kernel has left in memory can be printed. */
#pragma once

#include "kernel/types.h"

/*
 * True if the entry alone is enough to print it: all fields lie in it, and so do the data and the
 * strings that they point to; each address that a printer follows is that of a constant of the
 * kernel. A right sum proves none of this, because the writer of the entry also wrote the sum.
 * Other addresses and numbers may be wrong.
 *
 * False for an entry of an event that this kernel does not have yet, such as one of a module or a
 * probe: its number may soon be that of another event. Boot.
 */
bool trace_entry_is_valid(const void *payload, size_t length);
